// RoomPulse: what a room says to everybody: the document of this moment, and the event that streams
// were told last.
//
// The document is made anew when somebody asks and it is a second old. The event changes only with
// news (pulse_news.h); every stream of the room has the last one, or is about to get it.
//
// Threads: any.
#pragma once

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
        Event event;          // Without a frame: nothing that streams must hear.
        bool is_held = false; // There is news that can wait: publish again with the next tick.
    };

    Published publish(const HostedRoom& room, Instant now);
    net::Frame document(const HostedRoom& room, Instant now);
    Event told() const;

  private:
    mutable std::mutex mutex_; // Guards everything below.
    PulseNews news_;
    Event told_;
    net::Frame document_;
    Instant made_at_{};
};

} // namespace anteroom
