// Audience: the event streams of one room on one loop.
//
// Every stream is looked at once a second, each in its own tenth of the second, so that nothing
// goes to all of them at once. A look keeps the visitor present (every third one does), sends a
// pulse that could not go at once, and a heartbeat when the stream heard nothing for 16 to 20 s.
// Time is an argument; there is no timer per stream.
//
// A stream gets at most one pulse a second. News of a visitor that HostedRoom::may_tell() forbids,
// because they are not durable yet or the room is just being changed, are owed: retell() asks the
// words of that stream again.
//
// Threads: everything runs on the loop's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "net/exchange.h"
#include "service/hosted_room.h"
#include "service/room_pulse.h"
#include "service/stream_words.h"

namespace anteroom {

// A point in time, in tenths of a second. Wraps after 13 years.
using Tenth = std::uint32_t;
inline constexpr Millis tenth_of_a_second{100};
inline constexpr Tenth tenths_per_second = 10;
constexpr Tenth tenth_of(Instant at) {
    return static_cast<Tenth>(at.ms / tenth_of_a_second.count);
}

class Audience : public std::enable_shared_from_this<Audience> {
  public:
    // `on_leave` is called when a client has gone by itself; it may drop the Audience. `greet`: the
    // doorman has passed over a visitor whose stream is open, and the room needs a Touch.
    using Greet = std::function<void(HostedRoom&, Number)>;
    explicit Audience(std::shared_ptr<HostedRoom> room, net::Job on_leave = {}, Greet greet = {})
        : room_(std::move(room)), on_leave_(std::move(on_leave)), greet_(std::move(greet)) {}
    ~Audience();
    Audience(const Audience&) = delete;
    Audience& operator=(const Audience&) = delete;

    // A visitor's stream that has said `first`; its slot, until remove().
    std::uint32_t add(Number number, net::EventStream stream, std::shared_ptr<StreamWords> words,
                      std::uint64_t begun, const StreamWords::Said& first, Instant now);
    void remove(std::uint32_t slot);
    void close_all();

    HostedRoom& room() const { return *room_; }
    bool empty() const { return by_number_.empty(); }
    bool owes() const { return !owed_.empty(); }
    std::size_t slots() const { return paces_.size(); }

    // The pulse for all streams. send_pulse sends it to a stream that does not have it and got no
    // other pulse within a second; a look sends it to the rest if no newer pulse came in between.
    void set_pulse(const RoomPulse::Event& pulse, Instant now);
    void send_pulse(std::uint32_t slot, Instant now);
    void send_pulses(std::size_t from, std::size_t end, Instant now);

    // Something happened to the visitor.
    void tell(Number number, Instant now);
    void tell_everybody(Instant now);
    void retell(Instant now);
    // Older streams of the visitor end whose words say so.
    void supersede(Number number, std::uint64_t newer, Instant now);

    // Looks at up to `count` of the streams whose turn this tenth is, from the slot `from` on.
    // Where to go on; nothing: that was all. Slots have their turn in runs, as they lie in memory.
    std::size_t first_slot(Tenth tenth) const;
    std::optional<std::size_t> look(Tenth tenth, std::size_t from, std::size_t count, Instant now);

  private:
    // The fields that look() reads, apart from Subscriber: a tenth of a second later they are not
    // in the cache any more, and fetching three cache lines per stream cost more than the
    // heartbeats. Times and versions are short because only differences count: when they wrap (109
    // minutes), at worst one pulse comes a second later.
    struct Pace {
        Number number = 0;         // 0: the slot is free.
        std::uint16_t heard = 0;   // The tenth in which something was sent,
        std::uint16_t pulsed = 0;  // and in which that was a pulse.
        std::uint16_t pulse = 0;   // The version of the last pulse.
        bool is_owed = false;      // The slot is in owed_.
        bool is_looked_at = false; // Its words want look().
    };
    struct Subscriber {
        net::EventStream stream;
        std::shared_ptr<StreamWords> words;
        std::uint64_t begun;
    };

    bool is_taken(std::size_t slot) const { return paces_[slot].number != 0; }
    std::vector<std::uint32_t> slots_of(Number number) const;
    void tell_slot(std::uint32_t slot, Instant now);
    void say(std::uint32_t slot, const StreamWords::Said& said, Instant now);
    void owe(std::uint32_t slot);
    void leave(std::uint32_t slot);
    void look_at(std::uint32_t slot, Tenth tenth, Instant now);
    void keep_present(Number number, Instant now);

    const std::shared_ptr<HostedRoom> room_;
    const net::Job on_leave_; // May be empty.
    const Greet greet_;
    RoomPulse::Event pulse_;
    Tenth pulse_set_ = 0;
    std::deque<Pace> paces_; // By slot; a stream keeps its slot.
    std::deque<std::optional<Subscriber>> subscribers_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> owed_;
    std::unordered_multimap<Number, std::uint32_t> by_number_;
};

} // namespace anteroom
