// What a crowd occupies in the process that keeps its rooms: counted, so that it is the same on
// every machine. The whole process is measured by bench/http_bench --only memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/counted_memory_testing.h"
#include "store/embedded/test_house.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::embedded {
namespace {

constexpr std::uint64_t crowd = 50'000;
constexpr std::uint64_t wave = 1'000; // In flight at once.

Settings nobody_is_called() {
    Settings settings;
    settings.capacity = 0;
    return settings;
}

VisitorKey key_of(std::uint64_t visitor) {
    return {.high = visitor * 0x9e37'79b9'7f4a'7c15, .low = visitor * 0xd6e8'feb8'6659'fd93};
}

void fill(House& house, HostedRoom& room) {
    for (std::uint64_t visitor = 1; visitor <= crowd; ++visitor) {
        const std::string name = fmt::format("{:08x}-0000-4000-8000-{:012x}", visitor, visitor);
        const Join join{.visitor = key_of(visitor)};
        if (visitor % wave == 0)
            house.do_now(room, join, name);
        else
            house.store->submit(room, join, nullptr, {}, name);
    }
}

TEST(Memory, AWaitingVisitorOccupiesWhatTheRoomNeedsAndNothingBeside) {
    const TestFolder folder;
    House house(folder.path());
    const auto room = house.make("r", {.rules = nobody_is_called()});
    const std::size_t before = counted::bytes_held();
    fill(house, *room);
    ASSERT_EQ(room->view().waiting(), crowd);
    // 48 of the record, up to 11 of the index, 2 of the lines; the rest is what a wave leaves to
    // the next. Twice as much would be a mistake.
    EXPECT_LE(counted::bytes_held() - before, crowd * 80);
    // Of pages, the ledger keeps what it writes to, not what it has written.
    EXPECT_LE(sqlite::bytes_held(), 4u << 20);
}

TEST(Memory, ACrowdThatHasGoneLeavesNothing) {
    const TestFolder folder;
    House house(folder.path());
    const auto room = house.make("r", {.rules = nobody_is_called()});
    const std::size_t before = counted::bytes_held();
    fill(house, *room);
    house.do_now(*room, Clear{});
    house.quiet.retire({}); // There are no readers: what was unlinked goes now.
    ASSERT_EQ(room->view().waiting(), 0u);
    // The queues stay as large as a wave.
    EXPECT_LE(counted::bytes_held() - before, crowd * 20);
}

} // namespace
} // namespace anteroom::embedded
