// GuestBook: what the witness knows of a room, written down in the simplest way that is right.
//
// It is filled from facts and signs of life only, never from the room itself, and shares no code
// with the engine beyond the names of things: ordered sets and maps instead of bitmaps and trees.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/command.h"
#include "engine/settings.h"
#include "engine/visitor.h"

namespace anteroom::sim {

struct Guest {
    Number number = 0;
    VisitorKey key;
    VisitorState state = VisitorState::unknown;
    std::uint8_t lane = 0;
    std::uint8_t line = 0;
    std::uint64_t order = 0;
    Instant joined{};
    Instant seen{};
    Millis told{};   // How soon they were told to ask again.
    Instant since{}; // Of the lease or of the leaving.
    Instant ended{};
    unsigned calls = 0;
    unsigned missed = 0;  // Calls that were not claimed.
    bool awaited = false; // Missed one and did not ask since.
    bool redeemed = false;
    bool was_redeemed_now = false; // By the command that is being checked.
    // What this visitor was told last, and how many had joined with an earlier claim by then.
    bool was_told = false;
    std::uint64_t told_ahead = 0;
    std::uint64_t told_joins = 0;
};

struct OuterGuest {
    VisitorKey key;
    Instant taken{};
    VisitorKey user;
    bool bound = false;
    bool spent = false;
};

struct OuterBook {
    bool active = false;
    std::uint32_t generation = 0;
    Number issued = 0;
    Number serving = 0;
    Number forgotten = 0;
    Number base = 0; // Numbers of all older generations.
    Instant advanced{};
    std::map<VisitorKey, Number> holders;
    std::vector<OuterGuest> guests; // Of this generation, from number 1.

    bool knows(OuterPlace place) const {
        return place.generation == generation && place.number > forgotten && place.number <= issued;
    }
    bool has_released(Number number) const { return !active || number <= serving; }
    OuterGuest& at(Number number) { return guests[number - 1]; }
    const OuterGuest& at(Number number) const { return guests[number - 1]; }
};

struct KeyHash {
    std::size_t operator()(const VisitorKey& key) const { return key.low ^ key.high; }
};

struct GuestBook {
    static constexpr std::size_t lines_max = 2 * limits::lanes_max;
    using Places = std::set<std::pair<std::uint64_t, Number>>; // By order.

    Settings settings;
    RoomState state = RoomState::open;
    RoomState before_pause = RoomState::open;
    Number issued = 0;
    Number serving = 0;
    std::uint64_t called = 0;
    std::uint64_t active = 0;
    std::uint64_t waiting = 0;     // With those who may still come back.
    std::uint64_t first_again = 0; // Of them, those who missed a call.
    std::unordered_map<Number, Guest> guests;
    std::unordered_map<VisitorKey, Number, KeyHash> live;
    std::array<Places, lines_max> waits; // In line; whether they are present is another question.
    std::array<Places, lines_max> away;
    std::set<Number> inside; // Called or active.
    std::array<std::uint64_t, lines_max> joins{};
    OuterBook outer;

    Guest* find(Number number) {
        const auto found = guests.find(number);
        return found == guests.end() ? nullptr : &found->second;
    }
    Number holder(const VisitorKey& key) const {
        const auto found = live.find(key);
        return found == live.end() ? 0 : found->second;
    }
    // Joins so far that may have put somebody before this guest.
    std::uint64_t joins_before(const Guest& guest) const {
        std::uint64_t sum = guest.line % 2 == 0 ? joins[guest.line] : 0;
        for (std::size_t line = 0; line < guest.line; ++line) sum += joins[line];
        return sum;
    }
};

} // namespace anteroom::sim
