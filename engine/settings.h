// The settings of a room, each with its limits. A room refuses settings that cannot work; it never
// clamps them silently.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "engine/outcome.h"

namespace anteroom {

namespace limits {
inline constexpr std::int64_t count_max = 0xffff'ffff; // Of anything that is counted.
inline constexpr Millis interval_max = hours(1);       // Between batches.
inline constexpr Millis span_max = hours(24 * 366);    // Leases, idle times, lifetimes.
inline constexpr std::uint8_t lanes_max = 8;
inline constexpr std::uint64_t calls_per_tick_max =
    10'000; // A tick is short; the next one goes on.
inline constexpr std::uint64_t ends_per_tick_max = 10'000;
inline constexpr std::int64_t rate_milli_max = 1'000'000'000; // A million calls a second.
// Who was told to ask again in t seconds is present for three times as long, at least 10 s.
inline constexpr std::int64_t presence_factor = 3;
inline constexpr Millis presence_min = seconds(10);
inline constexpr std::uint8_t missed_max = 3; // So many unclaimed calls end the visit.
inline constexpr std::uint64_t passed_over_per_tick_max = 50'000; // Some milliseconds.
} // namespace limits

enum class LeaseStart : std::uint8_t { at_call, at_claim };

struct Settings {
    // Who may be inside.
    std::int64_t capacity = 1'000; // Live leases. 0: nobody is called.
    Millis lease = minutes(10);    // Runs from the start or the last sign of life…
    Millis lease_max = hours(1);   // …but never longer than this after the start.
    LeaseStart lease_start = LeaseStart::at_call;
    // A called visitor who has not come by then goes back to the head of the line, and the slot to
    // the next. 0: the lease decides, and ends the visit.
    Millis claim_window = seconds(30);
    bool claim_by_look = true; // A called visitor's next sign of life is the claim.

    // How fast they are called. Batch and rate hold together.
    std::int64_t admit_batch = 100;     // At most so many…
    Millis admit_interval = seconds(1); // …in any window of this length.
    std::int64_t rate_milli = 0;        // Calls per 1 000 s, in any window; 0: no such limit.
    bool admit_on_join = true; // Who meets an empty line and a free slot is called at once.
    Millis wait_min{0};        // Nobody is called before having waited so long.
    std::int64_t called_max =
        0; // Only the first so many may enter: called, not yet in. 0: no limit.

    // Who may wait.
    std::int64_t waiting_max = 10'000'000;
    std::uint8_t lanes = 1;    // Lane 0 goes first.
    Millis idle = minutes(10); // Silent for longer: out of the line.
    Millis sweep_interval = seconds(30);
    Millis leave_grace = seconds(10);
    Millis ended_memory = hours(24); // How long the room can tell what became of a number.

    // The outer line.
    std::int64_t outer_batch = 500;
    Millis outer_interval = seconds(10);
    Millis outer_lifetime = hours(24);

    // Not seen for longer, a visitor is passed over when the turn comes, until they are back. 0: as
    // limits::presence_factor says. Never longer than `idle`.
    Millis presence{0};

    friend bool operator==(const Settings&, const Settings&) = default;
};

// Any setting as 64 bits, and back.
constexpr std::uint64_t word_of(Millis setting) {
    return static_cast<std::uint64_t>(setting.count);
}
template <class T>
constexpr std::uint64_t word_of(T setting) {
    return static_cast<std::uint64_t>(setting);
}
constexpr void set_from_word(Millis& setting, std::uint64_t word) {
    setting = Millis{static_cast<std::int64_t>(word)};
}
template <class T>
constexpr void set_from_word(T& setting, std::uint64_t word) {
    setting = static_cast<T>(word);
}

// Every setting with its name, in the order of the struct: what is stored and compared goes by this
// one list. visit(name, member); S is Settings or const Settings.
template <class S, class Visit>
void for_each_setting(S& settings, Visit visit) {
    visit("capacity", settings.capacity);
    visit("lease", settings.lease);
    visit("lease_max", settings.lease_max);
    visit("lease_start", settings.lease_start);
    visit("claim_window", settings.claim_window);
    visit("claim_by_look", settings.claim_by_look);
    visit("admit_batch", settings.admit_batch);
    visit("admit_interval", settings.admit_interval);
    visit("rate_milli", settings.rate_milli);
    visit("admit_on_join", settings.admit_on_join);
    visit("wait_min", settings.wait_min);
    visit("called_max", settings.called_max);
    visit("waiting_max", settings.waiting_max);
    visit("lanes", settings.lanes);
    visit("idle", settings.idle);
    visit("sweep_interval", settings.sweep_interval);
    visit("leave_grace", settings.leave_grace);
    visit("ended_memory", settings.ended_memory);
    visit("outer_batch", settings.outer_batch);
    visit("outer_interval", settings.outer_interval);
    visit("outer_lifetime", settings.outer_lifetime);
    visit("presence", settings.presence);
}

// Reason::none when the settings can work.
Reason fault_of(const Settings& settings);

} // namespace anteroom
