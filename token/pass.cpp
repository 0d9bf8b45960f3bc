#include "token/pass.h"

#include <limits>

#include "base/overload.h"
#include "base/text.h"
#include "token/base64.h"

namespace anteroom::token {
namespace {

constexpr std::int64_t outer_tier = 1;

// Members in the order they are added: existing clients compare whole tokens in their tests.
class ClaimsWriter {
  public:
    void text(std::string_view name, std::string_view value) {
        start(name);
        sound_ = sound_ && is_utf8(value);
        append_json_string(out_, value);
    }
    void optional_text(std::string_view name, std::string_view value) {
        if (!value.empty()) text(name, value);
    }
    void number(std::string_view name, std::int64_t value) {
        start(name);
        out_ += std::to_string(value);
    }
    bool sound() const { return sound_; }
    std::string finish() { return std::move(out_ += '}'); }

  private:
    void start(std::string_view name) {
        out_ += out_.empty() ? '{' : ',';
        append_json_string(out_, name);
        out_ += ':';
    }

    std::string out_;
    bool sound_ = true;
};

Result<std::string> finish(ClaimsWriter& claims, UnixSeconds now, Millis lifetime) {
    const UnixSeconds expires = now + lifetime;
    if (!claims.sound()) return Fault{"a name in the pass is not UTF-8"};
    if (now < UnixSeconds{0} || expires <= now || expires > unix_seconds_max)
        return Fault{"the pass would have no sane lifetime"};
    claims.number("iat", now.count);
    claims.number("exp", expires.count);
    return claims.finish();
}

std::string encoded_header(const Key& key, std::string_view type) {
    ClaimsWriter header;
    header.text("alg", name(key.algorithm));
    header.optional_text("typ", type);
    header.optional_text("kid", key.kid);
    std::string out = base64url(bytes_of(header.finish()));
    return out += '.';
}

// Absent is an empty view; a value that is no string makes the pass malformed.
bool read_text(const JsonObject& claims, std::string_view name, std::string_view& out) {
    const JsonValue* value = claims.find(name);
    if (value == nullptr) return true;
    out = value->text;
    return value->kind == JsonKind::string;
}

bool read_position(const JsonObject& claims, std::optional<std::uint32_t>& out) {
    const JsonValue* value = claims.find("position");
    if (value == nullptr) return true;
    if (value->kind != JsonKind::integer || value->integer < 0) return false;
    if (value->integer > std::numeric_limits<std::uint32_t>::max()) return false;
    out = static_cast<std::uint32_t>(value->integer);
    return true;
}

// An entry pass has no tier: a token that has one is not an entry pass, whatever key signed
// it.
bool has_tier(const JsonObject& claims, Tier tier) {
    const JsonValue* value = claims.find("tier");
    if (tier == Tier::entry) return value == nullptr;
    return value != nullptr && value->kind == JsonKind::integer && value->integer == outer_tier;
}

} // namespace

PassIssuer::SigningKey::SigningKey(const Key& key, std::string_view type)
    : header(encoded_header(key, type)), material(Hmac(key.secret.bytes())) {
    if (key.algorithm == Algorithm::ed25519) material = Ed25519PrivateKey(key.secret.bytes());
}

Result<std::string> PassIssuer::SigningKey::sign(std::string_view claims) const {
    std::string token = header;
    append_base64url(token, bytes_of(claims));
    const auto append = [&](ByteView signature) {
        token += '.';
        append_base64url(token, signature);
    };
    std::visit(Overload{
                   [&](const Hmac& key) { append(key.sign(token)); },
                   [&](const Ed25519PrivateKey& key) { append(key.sign(bytes_of(token))); },
               },
               material);
    if (token.size() > jwt_bytes_max) return Fault{"the pass would be too large"};
    return token;
}

PassIssuer::PassIssuer(const KeyRing& ring)
    : outer_(ring.current(Purpose::outer), "JWT"), entry_(ring.current(Purpose::entry), "") {}

Result<std::string> PassIssuer::issue(const OuterPass& pass, UnixSeconds now,
                                      Millis lifetime) const {
    ClaimsWriter claims;
    claims.text("sub", pass.room);
    claims.text("uid", pass.visitor);
    claims.number("tier", outer_tier);
    if (pass.position) claims.number("position", *pass.position);
    claims.optional_text("rid", pass.request_id);
    Result<std::string> text = finish(claims, now, lifetime);
    if (!text) return text;
    return outer_.sign(*text);
}

Result<std::string> PassIssuer::issue(const EntryPass& pass, UnixSeconds now,
                                      Millis lifetime) const {
    ClaimsWriter claims;
    claims.text("sub", pass.room);
    claims.text("uid", pass.visitor);
    claims.optional_text("jti", pass.pass_id);
    Result<std::string> text = finish(claims, now, lifetime);
    if (!text) return text;
    return entry_.sign(*text);
}

PassVerifier::PassVerifier(const KeyRing& ring)
    : outer_(verify_keys(ring, Purpose::outer)), entry_(verify_keys(ring, Purpose::entry)) {}

PassVerifier::PassVerifier(std::vector<VerifyKey> outer, std::vector<VerifyKey> entry)
    : outer_(std::move(outer)), entry_(std::move(entry)) {}

PassVerdict PassVerifier::verify(std::string_view token, UnixSeconds now, const Expect& expected) {
    JwtReader& reader = expected.tier == Tier::outer ? outer_ : entry_;
    const std::variant<JwtClaims, Refusal> read = reader.read(token, now);
    if (const Refusal* refusal = std::get_if<Refusal>(&read)) return *refusal;
    const JwtClaims& signed_claims = std::get<JwtClaims>(read);
    const JsonObject& claims = *signed_claims.members;

    VerifiedPass pass{.room = {},
                      .visitor = {},
                      .expires_at = signed_claims.expires_at,
                      .issued_at = signed_claims.issued_at,
                      .position = std::nullopt,
                      .request_id = {},
                      .pass_id = {}};
    if (!has_tier(claims, expected.tier)) return Refusal::wrong_tier;
    // Our passes name no audience: one that does was issued for another service.
    if (claims.find("aud") != nullptr) return Refusal::wrong_audience;
    if (claims.find("iss") != nullptr) return Refusal::wrong_issuer;
    const bool texts =
        read_text(claims, "sub", pass.room) && read_text(claims, "uid", pass.visitor) &&
        read_text(claims, "rid", pass.request_id) && read_text(claims, "jti", pass.pass_id);
    if (!texts || !read_position(claims, pass.position)) return Refusal::bad_claims;
    if (pass.room.empty()) return Refusal::wrong_room;
    if (expected.room && pass.room != *expected.room) return Refusal::wrong_room;
    if (pass.visitor.empty()) return Refusal::wrong_visitor;
    if (expected.visitor && pass.visitor != *expected.visitor) return Refusal::wrong_visitor;
    return pass;
}

} // namespace anteroom::token
