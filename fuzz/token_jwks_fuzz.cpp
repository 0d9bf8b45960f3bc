// JWK Sets of any bytes: refused in one line that holds no secret, or a set that keeps its rules,
// whose keys are keys of Boost.JSON's reading, and under which no token passes unsigned.
#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json_text.h"
#include "token/access.h"
#include "token/jwks.h"
#include "token/test_keys.h"

namespace anteroom::token {
namespace {

namespace bj = boost::json;

bool is_text(const bj::object& object, std::string_view name, std::string_view expected) {
    const bj::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() &&
           std::string_view(value->get_string()) == expected;
}

// Is this an element that may have become the key?
bool describes(const bj::value& element, const VerifyKey& key) {
    if (!element.is_object()) return false;
    const bj::object& jwk = element.get_object();
    const bool same_name =
        key.kid().empty() ? !jwk.contains("kid") : is_text(jwk, "kid", key.kid());
    if (!same_name) return false;
    if (jwk.contains("use") && !is_text(jwk, "use", "sig")) return false;
    if (jwk.contains("alg") && !is_text(jwk, "alg", key.algorithm())) return false;
    if (is_text(jwk, "kty", "oct")) return key.algorithm() == "HS256";
    if (jwk.contains("d") || jwk.contains("p") || jwk.contains("k")) return false;
    if (is_text(jwk, "kty", "RSA")) return key.algorithm() == "RS256";
    if (is_text(jwk, "kty", "EC"))
        return key.algorithm() == "ES256" && is_text(jwk, "crv", "P-256");
    return key.algorithm() == "EdDSA" && is_text(jwk, "kty", "OKP");
}

void check_rules(const JwkSet& set, std::string_view text) {
    CHECK(!set.keys.empty());
    CHECK(set.keys.size() + set.skipped.size() <= jwks_keys_max);
    for (const std::string& line : set.skipped) CHECK(line.find('\n') == std::string::npos);
    boost::system::error_code error;
    const bj::value theirs = bj::parse({text.data(), text.size()}, error);
    if (error) return; // A number whose exponent Boost.JSON cannot count.
    const bj::array& elements = theirs.get_object().at("keys").get_array();
    CHECK(elements.size() == set.keys.size() + set.skipped.size());
    for (const VerifyKey& key : set.keys) {
        bool found = false;
        for (const bj::value& element : elements) found = found || describes(element, key);
        CHECK(found);
        for (const VerifyKey& other : set.keys)
            CHECK(&key == &other || key.kid().empty() || key.kid() != other.kid());
    }
}

void check_use(const JwkSet& set) {
    Result<AccessVerifier> verifier = AccessVerifier::from_jwks(set);
    CHECK(verifier);
    constexpr std::string_view claims = R"({"userId":"u","type":"access","exp":1700000600})";
    for (const VerifyKey& key : set.keys) {
        std::string header = R"({"alg":")" + std::string(key.algorithm()) + R"(","kid":)";
        append_json_string(header, key.kid());
        const std::string forged = forge(header + '}', claims, "not the secret of anybody at all");
        CHECK(std::holds_alternative<Refusal>(verifier->verify(forged, test_now)));
    }
    const std::string unsigned_token = forge(R"({"alg":"none"})", claims, "");
    CHECK(std::holds_alternative<Refusal>(verifier->verify(unsigned_token, test_now)));
}

} // namespace
} // namespace anteroom::token

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom::token;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const anteroom::Result<JwkSet> set = parse_jwks(text);
    if (!set) {
        CHECK(!set.fault().reason.empty());
        CHECK(set.fault().reason.find('\n') == std::string::npos);
        return 0;
    }
    check_rules(*set, text);
    check_use(*set);
    return 0;
}
