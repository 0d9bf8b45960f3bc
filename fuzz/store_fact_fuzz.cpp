// Facts as a damaged ledger might hold them: what is read as a fact is written as the same row
// again, and a room either refuses it or can live with it.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_stream.h"
#include "base/check.h"
#include "engine/room.h"
#include "service/profile_text.h"
#include "store/embedded/fact_codec.h"

namespace anteroom::embedded {
namespace {

FactColumns read_columns(ByteReader& in) {
    FactColumns columns{.kind = in.byte() % 20};
    const std::uint8_t has = in.byte();
    // Small numbers meet each other; a few are anything.
    const auto number = [&] {
        return (has & 64) != 0 ? in.signed_word() : std::int64_t{in.byte()};
    };
    if ((has & 1) != 0) columns.number = number();
    if ((has & 2) != 0) columns.visitor = VisitorKey{.high = in.byte(), .low = in.byte()};
    if ((has & 4) != 0) columns.detail = number();
    if ((has & 8) != 0) columns.outer = number();
    if ((has & 16) != 0)
        columns.text = std::string(in.bytes(std::min<std::size_t>(in.byte(), in.left())));
    return columns;
}

void run(std::string_view input) {
    ByteReader in(input);
    Room room;
    std::uint64_t sequence = 0;
    Instant at{1'000};
    while (!in.at_end()) {
        const FactColumns columns = read_columns(in);
        const std::optional<Happening> what = happening_of(columns);
        if (!what) continue;
        const std::optional<Happening> again = happening_of(columns_of(*what));
        CHECK(again && again->index() == what->index());
        at = at + Millis{in.byte()};
        if (room.replay({.sequence = sequence + 1, .at = at, .what = *what})) ++sequence;
    }
    CHECK(room.sequence() == sequence);
    Facts facts;
    room.apply(Wake{}, at, facts);
    room.apply(Tick{}, at + seconds(60), facts);
    CHECK(room.digest() == room.digest());
    if (const std::optional<Profile> profile = profile_of(input))
        CHECK(profile_of(profile_text(*profile)) == profile);
}

} // namespace
} // namespace anteroom::embedded

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    anteroom::embedded::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
