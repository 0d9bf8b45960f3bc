// StreamWords: what one event stream says of its visitor. The hub knows when there is something to
// say and to whom; how it is said is the adapter's.
//
// Threads: everything runs on the stream's loop.
#pragma once

#include "base/time.h"
#include "net/frame.h"
#include "service/hosted_room.h"

namespace anteroom {

class StreamWords {
  public:
    struct Said {
        net::Frame frame = {}; // Null: nothing.
        bool is_last = false;  // The stream ends after it.
    };

    StreamWords() = default;
    StreamWords(const StreamWords&) = delete;
    StreamWords& operator=(const StreamWords&) = delete;
    virtual ~StreamWords() = default;

    virtual Said begin(const HostedRoom& room, Number number, Instant now) = 0;
    // Something happened to the visitor.
    virtual Said news(const HostedRoom& room, Number number, Instant now) = 0;
    // About once a second, with the room's pulse.
    virtual Said beat(const HostedRoom& room, Number number, const net::Frame& pulse,
                      Instant now) = 0;
    // The last words when a newer stream of the visitor takes its place. Null: they live side by
    // side.
    virtual net::Frame replaced() { return {}; }
};

} // namespace anteroom
