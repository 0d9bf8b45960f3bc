// RoomPulse: what a room says to everybody: the document of this moment, and the event that streams
// were told last.
//
// The document is made anew when somebody asks and it is a second old. The event changes only with
// news (pulse_news.h); every stream of the room has the last one, or is about to get it.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/time.h"
#include "net/frame.h"
#include "service/pulse_news.h"

namespace anteroom {

class HostedRoom;

class RoomPulse {
  public:
    struct Event {
        net::Frame frame = {};
        std::uint32_t version = 0; // Goes up with every event; 0: there was none yet.
    };
    struct Published {
        Event event;             // Without a frame: nothing that streams must hear.
        bool is_put_off = false; // There is news that can wait: publish again a second later.
    };

    // Facts happened since the last pulse.
    void want() { is_wanted_.store(true, std::memory_order_release); }
    // The room was written to, or has another profile: also a command without facts moves the
    // estimates that streams show.
    void stir() { is_stirred_.store(true, std::memory_order_release); }
    // Whether a pulse is to be published now; asked once for each.
    bool take_wanted(bool has_streams) {
        const bool stirred = has_streams && is_stirred_.exchange(false, std::memory_order_acq_rel);
        return is_wanted_.exchange(false, std::memory_order_acq_rel) || stirred;
    }

    Published publish(const HostedRoom& room, Instant now);
    net::Frame document(const HostedRoom& room, Instant now);
    Event told() const;

  private:
    std::atomic<bool> is_wanted_{true};
    std::atomic<bool> is_stirred_{true};
    mutable std::mutex mutex_; // Guards everything below.
    PulseNews news_;
    Event told_;
    net::Frame document_;
    Instant made_at_{};
};

} // namespace anteroom
