// Tokens of any bytes. The first byte chooses what the rest is taken for:
//   a whole token, which must be refused unless it is exactly what our issuer makes of its claims;
//   claims that get a good signature, which must be refused or mean what Boost.JSON reads in them;
//   a JSON object, on which our scanner and Boost.JSON must agree.
#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json_text.h"
#include "token/json_object.h"
#include "token/pass.h"
#include "token/test_keys.h"

namespace anteroom::token {
namespace {

namespace bj = boost::json;

const KeyRing& ring() {
    static const KeyRing ring = test_ring();
    return ring;
}

PassVerifier& verifier() {
    static PassVerifier verifier(ring());
    return verifier;
}

bool same(const JsonValue& ours, const bj::value& theirs) {
    switch (ours.kind) {
        case JsonKind::null: return theirs.is_null();
        case JsonKind::boolean: return theirs.is_bool() && theirs.get_bool() == (ours.integer == 1);
        case JsonKind::integer: return theirs.is_int64() && theirs.get_int64() == ours.integer;
        case JsonKind::number: return theirs.is_number();
        case JsonKind::string:
            return theirs.is_string() && std::string_view(theirs.get_string()) == ours.text;
        case JsonKind::array: return theirs.is_array();
        case JsonKind::object: return theirs.is_object();
    }
    return false;
}

// Boost.JSON computes numbers and refuses an exponent that it cannot count; we only read their
// form.
bool too_large_for_boost(const boost::system::error_code& error) {
    return error == bj::error::exponent_overflow;
}

void compare_with_boost(std::string_view text) {
    std::string buffer(text);
    JsonObject ours;
    const JsonFault fault = ours.parse(buffer);
    boost::system::error_code error;
    const bj::value theirs = bj::parse({text.data(), text.size()}, error);
    if (too_large_for_boost(error)) return;
    const bool theirs_is_object = !error && theirs.is_object();
    if (fault == JsonFault::malformed) {
        CHECK(!theirs_is_object);
        return;
    }
    if (fault != JsonFault::none) return; // Our own limits: duplicates, members, depth.
    CHECK(theirs_is_object);
    CHECK(ours.members().size() == theirs.get_object().size());
    for (const JsonMember& member : ours.members()) {
        const bj::value* value =
            theirs.get_object().if_contains({member.name.data(), member.name.size()});
        CHECK(value != nullptr);
        CHECK(same(member.value, *value));
        if (member.value.kind != JsonKind::string) continue;
        std::string again = "{\"again\":";
        append_json_string(again, member.value.text);
        again += '}';
        JsonObject reread;
        CHECK(reread.parse(again) == JsonFault::none);
        CHECK(reread.find("again")->text == member.value.text);
    }
}

// An unsigned token is only ever accepted when it is the one that the issuer would make.
void read_as_token(std::string_view token) {
    for (const Tier tier : {Tier::outer, Tier::entry}) {
        const PassVerdict verdict =
            verifier().verify(token, test_now, {.room = test_room, .tier = tier});
        const VerifiedPass* pass = std::get_if<VerifiedPass>(&verdict);
        if (pass == nullptr) continue;
        const PassIssuer issuer(ring());
        const Millis lifetime = seconds(pass->expires_at.count - pass->issued_at->count);
        const Result<std::string> again =
            tier == Tier::outer ? issuer.issue(OuterPass{.room = pass->room,
                                                         .visitor = pass->visitor,
                                                         .position = pass->position,
                                                         .request_id = pass->request_id},
                                               *pass->issued_at, lifetime)
                                : issuer.issue(EntryPass{.room = pass->room,
                                                         .visitor = pass->visitor,
                                                         .pass_id = pass->pass_id},
                                               *pass->issued_at, lifetime);
        CHECK(again);
        CHECK(*again == token);
    }
}

void read_as_signed_claims(std::string_view claims) {
    const std::string token = forge(R"({"alg":"HS256"})", claims, entry_secret);
    const PassVerdict verdict =
        verifier().verify(token, test_now, {.room = test_room, .tier = Tier::entry});
    const VerifiedPass* pass = std::get_if<VerifiedPass>(&verdict);
    if (pass == nullptr) return;
    boost::system::error_code error;
    const bj::value theirs = bj::parse({claims.data(), claims.size()}, error);
    if (too_large_for_boost(error)) return;
    CHECK(!error);
    const bj::object& object = theirs.get_object();
    CHECK(std::string_view(object.at("sub").get_string()) == test_room);
    CHECK(std::string_view(object.at("uid").get_string()) == pass->visitor);
    CHECK(object.at("exp").get_int64() == pass->expires_at.count);
    CHECK(object.at("exp").get_int64() > test_now.count);
    CHECK(!object.contains("tier"));
}

void read_as_signed_header(std::string_view header) {
    const std::string claims =
        R"({"sub":")" + std::string(test_room) + R"(","uid":"u","exp":1700000600})";
    const std::string token = forge(header, claims, entry_secret);
    const PassVerdict verdict =
        verifier().verify(token, test_now, {.room = test_room, .tier = Tier::entry});
    if (!std::holds_alternative<VerifiedPass>(verdict)) return;
    boost::system::error_code error;
    const bj::value theirs = bj::parse({header.data(), header.size()}, error);
    CHECK(!error);
    CHECK(std::string_view(theirs.get_object().at("alg").get_string()) == "HS256");
    CHECK(!theirs.get_object().contains("crit"));
}

} // namespace
} // namespace anteroom::token

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom::token;
    if (size == 0) return 0;
    const std::string_view rest{reinterpret_cast<const char*>(data) + 1, size - 1};
    switch (data[0] % 4) {
        case 0: read_as_token(rest); break;
        case 1: read_as_signed_claims(rest); break;
        case 2: read_as_signed_header(rest); break;
        default: compare_with_boost(rest); break;
    }
    return 0;
}
