// Pulse: one small frame per room and tick, the same for everybody, from which each client computes
// how many stand ahead of it.
//
// For every line it maps orders to ranks: the first 1 000 visitors exactly, as alternating runs of
// live and gone orders; behind them a mark for every further 2 % of the rank. Between two marks the
// live ones can lie anywhere, so a client takes the middle of what is possible and is at most 1 %
// off.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/room.h"

namespace anteroom {

struct PulseLine {
    std::uint8_t line = 0;
    std::uint64_t count = 0;           // Everybody in this line.
    std::uint64_t first = 0;           // The order of the first of them.
    std::vector<std::uint64_t> runs{}; // From `first`: so many live, so many gone, so many live, …
    std::vector<std::uint64_t>
        marks{}; // Orders at the ranks of next_mark(); the last: behind the last visitor.
};

struct Pulse {
    RoomState state = RoomState::open;
    std::uint64_t issued = 0;
    std::uint64_t serving = 0;
    std::uint64_t waiting = 0;
    std::uint64_t active = 0; // Inside, called ones included.
    std::uint64_t capacity = 0;
    double rate_per_second = 0;
    std::uint32_t outer_generation = 0;
    bool outer_active = false;
    std::uint64_t outer_issued = 0;
    std::uint64_t outer_serving = 0;
    std::vector<PulseLine> lines{}; // Only those with somebody in them, in the order of calling.
};

namespace limits {
inline constexpr std::uint64_t pulse_exact = 1'000;
inline constexpr std::uint64_t pulse_steps_per_rank = 50; // A mark every 1/50 of the rank.
} // namespace limits

// The rank of the mark after the one at `rank`, in a line of `count`.
std::uint64_t next_mark(std::uint64_t rank, std::uint64_t count);

// Reader-safe, like everything it asks the room.
Pulse make_pulse(const Room& room);

// What a client does with its own line and order: the frame's answer to "how many are ahead of me?"
std::uint64_t ahead_from(const Pulse& pulse, std::uint8_t line, std::uint64_t order);

} // namespace anteroom
