#include "token/access.h"

#include <utility>

namespace anteroom::token {
namespace {

// Absent is an empty view; a value of the wrong kind makes the token malformed.
bool read_text(const JsonObject& claims, std::string_view name, std::string_view& out) {
    const JsonValue* value = claims.find(name);
    if (value == nullptr || value->kind == JsonKind::null) return true;
    out = value->text;
    return value->kind == JsonKind::string;
}

// Some sites number their users.
bool read_user_id(const JsonObject& claims, std::string_view name, std::string_view& out) {
    const JsonValue* value = claims.find(name);
    if (value == nullptr || value->kind != JsonKind::integer) return read_text(claims, name, out);
    out = value->text;
    return value->integer >= 0;
}

Result<VerifyKey> key_of(std::string_view text, const AccessRules& rules) {
    const Result<Secret> secret =
        rules.secret_is_text ? Secret::from_text(text) : Secret::from_base64_or_text(text);
    if (!secret) return Fault{"secret of access tokens: " + secret.fault().reason};
    return VerifyKey::hs256("", *secret);
}

} // namespace

Result<AccessVerifier> AccessVerifier::from_secret(std::string_view secret, AccessRules rules) {
    Result<VerifyKey> key = key_of(secret, rules);
    if (!key) return key.fault();
    return AccessVerifier({*std::move(key)}, KeyChoice::every_key, std::move(rules));
}

Result<AccessVerifier> AccessVerifier::from_jwks(const JwkSet& set, std::string_view secret,
                                                 AccessRules rules) {
    std::vector<VerifyKey> keys = set.keys;
    if (!secret.empty()) {
        Result<VerifyKey> key = key_of(secret, rules);
        if (!key) return key.fault();
        keys.push_back(*std::move(key));
    }
    return AccessVerifier(std::move(keys), KeyChoice::without_doubt, std::move(rules));
}

// RFC 7519, 4.1.3: one text, or a list of them.
bool AccessVerifier::is_meant_for_us(const JsonValue* audience) {
    constexpr std::size_t audiences_max = 16;
    if (!rules_.checks_audience) return true;
    if (audience == nullptr || audience->kind == JsonKind::null) return rules_.audience.empty();
    if (audience->kind == JsonKind::string) return audience->text == rules_.audience;
    if (audience->kind != JsonKind::array || rules_.audience.empty()) return false;
    list_text_ = audience->text; // Texts are decoded in place.
    if (parse_json_array(list_text_, audiences_max, list_) != JsonFault::none) return false;
    bool found = false;
    for (const JsonValue& one : list_) {
        if (one.kind != JsonKind::string) return false;
        found = found || one.text == rules_.audience;
    }
    return found;
}

AccessVerdict AccessVerifier::verify(std::string_view token, UnixSeconds now) {
    const std::variant<JwtClaims, Refusal> read = reader_.read(token, now);
    if (const Refusal* refusal = std::get_if<Refusal>(&read)) return *refusal;
    const JwtClaims& signed_claims = std::get<JwtClaims>(read);
    const JsonObject& claims = *signed_claims.members;

    std::string_view type, issuer, subject;
    AccessUser user{.user_id = {},
                    .email = {},
                    .role = {},
                    .roles = {},
                    .expires_at = signed_claims.expires_at};
    const bool texts =
        read_text(claims, "type", type) && read_text(claims, "iss", issuer) &&
        read_text(claims, "email", user.email) && read_text(claims, "role", user.role) &&
        read_user_id(claims, "userId", user.user_id) && read_user_id(claims, "sub", subject);
    if (!texts) return Refusal::bad_claims;
    const JsonValue* roles = claims.find("roles");
    if (roles && (roles->kind == JsonKind::string || roles->kind == JsonKind::array))
        user.roles = roles->text;

    // A refresh token lives for days and must not open anything.
    const bool typed = claims.find("type") != nullptr;
    if (typed ? type != "access" : rules_.type_required) return Refusal::wrong_token_type;
    if (rules_.roles_required && user.roles.empty()) return Refusal::wrong_token_type;
    if (!rules_.issuer.empty() && issuer != rules_.issuer) return Refusal::wrong_issuer;
    if (!is_meant_for_us(claims.find("aud"))) return Refusal::wrong_audience;
    // A token with the claims of a pass is refused: logins do not issue passes.
    if (claims.find("tier") != nullptr) return Refusal::wrong_tier;
    if (user.user_id.empty()) user.user_id = subject;
    if (user.user_id.empty()) return Refusal::wrong_visitor;
    return user;
}

} // namespace anteroom::token
