// Key files of any bytes: refused with a reason that holds no secret, or a ring that keeps its
// rules and whose text is read back as the same ring.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "token/key_text.h"
#include "token/pass.h"
#include "token/test_keys.h"
#include "token/ticket.h"

namespace anteroom::token {
namespace {

void check_rules(const KeyRing& ring) {
    for (const Purpose purpose : purposes) {
        CHECK(!ring.keys(purpose).empty());
        CHECK(ring.keys(purpose).size() <= keys_per_purpose_max);
        CHECK(!ring.current(purpose).retired_at);
        for (const Key& key : ring.keys(purpose)) {
            CHECK(key.secret.bytes().size() >= secret_bytes_min);
            CHECK(key.kid.empty() || is_key_id(key.kid));
            CHECK(ring.masked().find(base64url(key.secret.bytes())) == std::string::npos);
        }
    }
    CHECK(!(ring.current(Purpose::outer).secret == ring.current(Purpose::entry).secret));
}

void check_use(KeyRing ring) {
    PassVerifier verifier(ring);
    const Result<std::string> pass =
        PassIssuer(ring).issue(EntryPass{.room = "r", .visitor = "v"}, test_now, minutes(1));
    CHECK(pass);
    const PassVerdict verdict =
        verifier.verify(*pass, test_now, {.room = "r", .visitor = "v", .tier = Tier::entry});
    CHECK(std::holds_alternative<VerifiedPass>(verdict));
    TicketBook book(ring);
    CHECK(book.read(book.mint_uuid({})->view(), test_now) == TicketVerdict(TicketContent{}));
    const Result<std::string> rotated = ring.rotate(Purpose::ticket, test_now, hours(1));
    if (rotated) CHECK(parse_key_text(key_text(ring)));
}

} // namespace
} // namespace anteroom::token

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom::token;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const anteroom::Result<KeyRing> ring = parse_key_text(text);
    if (!ring) {
        CHECK(!ring.fault().reason.empty());
        CHECK(ring.fault().reason.size() < 200);
        return 0;
    }
    check_rules(*ring);
    const std::string written = key_text(*ring);
    const anteroom::Result<KeyRing> again = parse_key_text(written);
    CHECK(again);
    CHECK(key_text(*again) == written);
    check_use(*ring);
    return 0;
}
