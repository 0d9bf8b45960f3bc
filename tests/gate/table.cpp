#include "tests/gate/table.h"

#include <boost/json/parse.hpp>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "token/base64.h"
#include "token/ed25519.h"
#include "token/hmac.h"
#include "token/json_object.h"
#include "token/test_keys.h"

namespace anteroom::gate {
namespace {

namespace json = boost::json;

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_of(const json::object& object, std::string_view name,
                    std::string_view otherwise = "") {
    const json::value* value = object.if_contains(name);
    return value && value->is_string() ? std::string(value->as_string()) : std::string(otherwise);
}

std::int64_t number_of(const json::object& object, std::string_view name, std::int64_t otherwise) {
    const json::value* value = object.if_contains(name);
    return value && value->is_int64() ? value->as_int64() : otherwise;
}

std::string in_json(std::string_view text) {
    std::string out;
    token::append_json_string(out, text);
    return out;
}

token::Key ed25519_key(token::Purpose purpose, std::string_view kid, const std::string& seed) {
    Result<token::Secret> secret = token::Secret::from_text(seed);
    CHECK(secret);
    return {.purpose = purpose,
            .kid = std::string(kid),
            .algorithm = token::Algorithm::ed25519,
            .secret = *std::move(secret),
            .created_at = token::UnixSeconds{0}};
}

} // namespace

Table Table::load(const std::string& path) {
    Result<Rules> every_key =
        read_rules(content(path.substr(0, path.rfind('/') + 1) + "every_key.toml"), "every_key");
    CHECK(every_key);
    return {json::parse(content(path)).as_object(), *std::move(every_key)};
}

const Rules& Table::rules(std::string_view name) const {
    if (name == "every_key") return every_key_;
    return name == "compat" ? compat_rules() : default_rules();
}

token::UnixSeconds Table::now() const {
    return {root_.at("now").as_int64()};
}

std::string Table::secret(std::string_view name) const {
    return text_of(root_.at("secrets").as_object(), name);
}

token::AccessRules Table::access_rules() const {
    const json::object& ruled = root_.at("ruled").as_object();
    return {.issuer = text_of(ruled, "issuer"), .audience = text_of(ruled, "audience")};
}

token::KeyRing Table::ring(TableKeys keys) const {
    token::KeyRing ring = token::test_ring();
    if (keys == TableKeys::hs256) {
        CHECK(ring.configure(token::Purpose::outer, secret("outer")));
        CHECK(ring.configure(token::Purpose::entry, secret("entry")));
        return ring;
    }
    const json::object& seeds = root_.at("ed25519").as_object();
    std::vector<token::Key> all{
        ed25519_key(token::Purpose::outer, "ed-outer", text_of(seeds, "outer")),
        ed25519_key(token::Purpose::entry, "ed-entry", text_of(seeds, "entry")),
        ring.current(token::Purpose::ticket), ring.current(token::Purpose::visitor)};
    Result<token::KeyRing> made = token::KeyRing::from_keys(std::move(all));
    CHECK(made);
    return *std::move(made);
}

std::string Table::token(const json::value& described, TableKeys keys) const {
    if (described.is_string()) return std::string(described.as_string());
    const json::object& how = described.as_object();
    const std::string key = text_of(how, "key");
    const std::string header = text_of(
        how, "header", key == "outer" ? R"({"alg":"HS256","typ":"JWT"})" : R"({"alg":"HS256"})");
    const std::string text = token::base64url(token::bytes_of(header)) + '.' +
                             token::base64url(token::bytes_of(claims(how)));
    std::string made =
        text + '.' +
        (how.contains("signature") ? text_of(how, "signature") : signature(text, key, keys));
    made.resize(made.size() - static_cast<std::size_t>(number_of(how, "cut", 0)));
    if (how.contains("respell")) made.back() = static_cast<char>(made.back() + 1);
    return text_of(how, "prepend") + made + text_of(how, "append");
}

std::string Table::claims(const json::object& described) const {
    if (described.contains("claims")) return text_of(described, "claims");
    std::string out = "{\"sub\":" + in_json(text_of(described, "sub")) +
                      ",\"uid\":" + in_json(text_of(described, "uid"));
    if (const json::value* tier = described.if_contains("tier"); tier && tier->is_int64())
        out += ",\"tier\":" + std::to_string(tier->as_int64());
    out += ",\"iat\":" + std::to_string(now().count);
    out += ",\"exp\":" + std::to_string(now().count + number_of(described, "exp", 600));
    return out + text_of(described, "extra") + '}';
}

std::string Table::signature(std::string_view text, std::string_view key, TableKeys keys) const {
    const auto seed = [&](std::string_view name) {
        return text_of(root_.at("ed25519").as_object(), name);
    };
    if (key == "public") {
        const auto point = token::Ed25519PrivateKey(token::bytes_of(seed("entry"))).public_point();
        return token::base64url(token::Hmac(point).sign(text));
    }
    if (keys == TableKeys::ed25519 && (key == "outer" || key == "entry"))
        return token::base64url(
            token::Ed25519PrivateKey(token::bytes_of(seed(key))).sign(token::bytes_of(text)));
    return token::base64url(token::Hmac(token::bytes_of(secret(key))).sign(text));
}

} // namespace anteroom::gate
