// Snapshots that are not as they were written. The input changes bytes of a good one, drops,
// doubles and exchanges its pieces; the first byte 0xff: the rest is one piece as it stands. What a
// room accepts it must be able to live with.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.h"
#include "base/check.h"
#include "engine/room.h"

namespace anteroom {
namespace {

std::vector<std::string> good_pieces() {
    Room room;
    Facts facts;
    Settings settings;
    settings.capacity = 5;
    settings.lanes = 2;
    settings.rate_milli = 3'000;
    Instant now{1'000};
    room.apply(Configure{settings}, now, facts);
    room.apply(Activate{}, now, facts);
    for (std::uint64_t i = 1; i <= 40; ++i) room.apply(TakeNumber{{i << 50, i}}, now, facts);
    room.apply(Advance{30}, now, facts);
    for (std::uint64_t i = 1; i <= 300; ++i) {
        now = now + Millis{20};
        Join join{.visitor = {i << 50, i + 1'000}, .lane = static_cast<std::uint8_t>(i % 2)};
        join.outer = OuterPlace{.generation = 1, .number = 1 + i % 30};
        room.apply(join, now, facts);
        if (i == 40) room.apply(Deactivate{}, now, facts);
        if (i % 5 == 0) room.apply(Leave{i / 2}, now, facts);
        if (i % 7 == 0) room.apply(Tick{}, now, facts);
    }
    std::vector<std::string> pieces;
    room.begin_snapshot();
    while (room.take_snapshot(pieces, 1'000)) {
    }
    return pieces;
}

void live_with(Room& room) {
    Facts facts;
    const std::uint64_t digest = room.digest();
    CHECK(room.digest() == digest);
    Instant now{10'000'000};
    room.apply(Wake{}, now, facts);
    for (std::uint64_t i = 0; i < 3; ++i) {
        now = now + seconds(60);
        room.apply(Tick{}, now, facts);
        room.apply(Join{.visitor = {i << 40, i + 77}}, now, facts);
        for (Number number = 1; number <= 40; ++number) {
            CHECK(room.standing(number).ahead <= room.waiting());
            room.apply(Touch{number}, now, facts);
            if (number % 3 == 0) room.apply(Leave{number}, now, facts);
        }
    }
    room.apply(Clear{}, now, facts);
    CHECK(room.waiting() == 0);
}

void change(std::vector<std::string>& pieces, ByteReader& in) {
    while (!in.at_end() && !pieces.empty()) {
        const std::uint8_t what = in.byte();
        std::string& piece = pieces[in.byte() % pieces.size()];
        const std::size_t at = piece.empty() ? 0 : (in.byte() * 256u + in.byte()) % piece.size();
        switch (what % 6) {
            case 0: piece.resize(at); break;
            case 1: pieces.push_back(piece); break;
            case 2: std::swap(piece, pieces[in.byte() % pieces.size()]); break;
            case 3: piece.push_back(static_cast<char>(in.byte())); break;
            default:
                if (!piece.empty()) piece[at] = static_cast<char>(in.byte());
                break;
        }
    }
}

void run(std::string_view input) {
    static const std::vector<std::string> good = good_pieces();
    if (input.starts_with('\xff')) {
        Room room;
        if (room.restore(input.substr(1))) CHECK(room.waiting() == 0); // No more than a head.
        return;
    }
    std::vector<std::string> pieces = good;
    ByteReader in(input);
    change(pieces, in);
    Room room;
    for (const std::string& piece : pieces)
        if (!room.restore(piece)) return;
    if (!pieces.empty() && pieces.back() == "E") live_with(room);
}

} // namespace
} // namespace anteroom

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    anteroom::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
