#include "token/jwt.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/overload.h"
#include "token/base64.h"

namespace anteroom::token {
namespace {

bool is_string(const JsonValue* value, std::string_view text) {
    return value != nullptr && value->kind == JsonKind::string && value->text == text;
}

// Absent is fine, anything but a sane whole number of seconds is not.
bool sane_time(const JsonValue* value) {
    return value == nullptr || (value->kind == JsonKind::integer && value->integer >= 0 &&
                                UnixSeconds{value->integer} <= unix_seconds_max);
}

} // namespace

VerifyKey VerifyKey::from(const Key& key) {
    VerifyKey made = key.algorithm == Algorithm::hs256
                         ? hs256(key.kid, key.secret)
                         : ed25519(key.kid, Ed25519PrivateKey(key.secret.bytes()).public_point());
    made.retired_at_ = key.retired_at;
    return made;
}

VerifyKey VerifyKey::hs256(std::string kid, const Secret& secret) {
    return {std::move(kid), Hmac(secret.bytes())};
}

VerifyKey VerifyKey::ed25519(std::string kid, const Ed25519Point& point) {
    return {std::move(kid), Ed25519PublicKey(point)};
}

VerifyKey VerifyKey::rs256(std::string kid, RsaPublicKey key) {
    return {std::move(kid), std::move(key)};
}

VerifyKey VerifyKey::es256(std::string kid, P256PublicKey key) {
    return {std::move(kid), std::move(key)};
}

std::string_view VerifyKey::algorithm() const {
    return std::visit(Overload{
                          [](const Hmac&) { return name(Algorithm::hs256); },
                          [](const Ed25519PublicKey&) { return name(Algorithm::ed25519); },
                          [](const RsaPublicKey&) { return std::string_view("RS256"); },
                          [](const P256PublicKey&) { return std::string_view("ES256"); },
                      },
                      material_);
}

bool VerifyKey::accepts(std::string_view message, ByteView signature) const {
    return std::visit(
        Overload{
            [&](const Hmac& key) { return equal_in_constant_time(key.sign(message), signature); },
            [&](const auto& key) { return key.accepts(bytes_of(message), signature); },
        },
        material_);
}

std::vector<VerifyKey> verify_keys(const KeyRing& ring, Purpose purpose) {
    std::vector<VerifyKey> keys;
    for (const Key& key : ring.keys(purpose)) keys.push_back(VerifyKey::from(key));
    return keys;
}

std::variant<JwtClaims, Refusal> JwtReader::read(std::string_view token, UnixSeconds now) {
    if (token.size() > jwt_bytes_max) return Refusal::oversized;
    const std::optional<Parts> parts = split(token);
    if (!parts) return Refusal::malformed;
    if (const auto no = parse(parts->header, header_buffer_, header_, Refusal::bad_header))
        return *no;
    if (const auto no = check_header()) return *no;
    if (const auto no = check_signature(*parts, now)) return *no;
    if (const auto no = parse(parts->claims, claims_buffer_, claims_, Refusal::bad_claims))
        return *no;
    return timely_claims(now);
}

std::optional<JwtReader::Parts> JwtReader::split(std::string_view token) {
    const std::size_t first = token.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t second = token.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    if (token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
    return Parts{.header = token.substr(0, first),
                 .claims = token.substr(first + 1, second - first - 1),
                 .signature = token.substr(second + 1),
                 .signed_text = token.substr(0, second)};
}

std::optional<Refusal> JwtReader::parse(std::string_view part, Buffer& buffer, JsonObject& object,
                                        Refusal otherwise) {
    const std::optional<std::size_t> size = read_base64url(part, buffer);
    if (!size) return Refusal::bad_encoding;
    switch (object.parse({reinterpret_cast<char*>(buffer.data()), *size})) {
        case JsonFault::none: return std::nullopt;
        case JsonFault::duplicate_member: return Refusal::duplicate_member;
        case JsonFault::malformed:
        case JsonFault::too_many_members:
        case JsonFault::too_deep: break;
    }
    return otherwise;
}

std::optional<Refusal> JwtReader::check_header() const {
    for (const JsonMember& member : header_.members()) {
        if (member.name == "crit") return Refusal::critical_header;
        if (member.name != "alg" && member.name != "typ" && member.name != "kid")
            return Refusal::unexpected_header;
        if (member.value.kind != JsonKind::string) return Refusal::bad_header;
        if (member.name == "typ" && member.value.text != "JWT") return Refusal::wrong_token_type;
    }
    return std::nullopt;
}

// With several keys the refusal is of the best match: unknown key, wrong algorithm, bad signature.
std::optional<Refusal> JwtReader::check_signature(const Parts& parts, UnixSeconds now) const {
    std::array<std::uint8_t, rsa_bits_max / 8> signature; // The longest there is.
    const std::optional<std::size_t> size = read_base64url(parts.signature, signature);
    if (!size) return Refusal::bad_encoding;
    const JsonValue* algorithm = header_.find("alg");
    const JsonValue* kid = choice_ == KeyChoice::every_key ? nullptr : header_.find("kid");
    if (choice_ == KeyChoice::without_doubt) {
        if (kid != nullptr && kid->text.empty()) return Refusal::unknown_key;
        if (kid == nullptr && algorithm != nullptr && leaves_doubt(algorithm->text))
            return Refusal::unknown_key;
    }

    Refusal refusal = Refusal::unknown_key;
    for (const VerifyKey& key : keys_) {
        if (kid != nullptr && key.kid() != kid->text) continue;
        if (!is_string(algorithm, key.algorithm())) {
            if (refusal == Refusal::unknown_key) refusal = Refusal::wrong_algorithm;
            continue;
        }
        refusal = Refusal::bad_signature;
        if (!key.accepts(parts.signed_text, ByteView(signature).first(*size))) continue;
        if (key.retired(now)) return Refusal::retired_key;
        return std::nullopt;
    }
    return refusal;
}

bool JwtReader::leaves_doubt(std::string_view algorithm) const {
    return std::ranges::count(keys_, algorithm, &VerifyKey::algorithm) > 1;
}

std::variant<JwtClaims, Refusal> JwtReader::timely_claims(UnixSeconds now) const {
    const JsonValue* expires = claims_.find("exp");
    const JsonValue* issued = claims_.find("iat");
    const JsonValue* not_before = claims_.find("nbf");
    if (expires == nullptr) return Refusal::bad_time;
    if (!sane_time(expires) || !sane_time(issued) || !sane_time(not_before))
        return Refusal::bad_time;
    if (issued != nullptr && issued->integer > expires->integer) return Refusal::bad_time;

    const UnixSeconds latest = now + clock_skew_max;
    if (UnixSeconds{expires->integer} <= now) return Refusal::expired;
    if (issued != nullptr && UnixSeconds{issued->integer} > latest) return Refusal::not_yet_valid;
    if (not_before != nullptr && UnixSeconds{not_before->integer} > latest)
        return Refusal::not_yet_valid;
    JwtClaims claims{.members = &claims_,
                     .expires_at = UnixSeconds{expires->integer},
                     .issued_at = std::nullopt};
    if (issued != nullptr) claims.issued_at = UnixSeconds{issued->integer};
    return claims;
}

} // namespace anteroom::token
