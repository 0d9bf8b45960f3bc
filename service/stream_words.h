// StreamWords: the events that one stream sends about its visitor. The hub decides when a stream is
// to say something; an adapter implements StreamWords in its own format.
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
        bool is_owed = false;  // There is more, which may not be told yet: news() is asked again.
    };

    StreamWords() = default;
    StreamWords(const StreamWords&) = delete;
    StreamWords& operator=(const StreamWords&) = delete;
    virtual ~StreamWords() = default;

    virtual Said begin(const HostedRoom& room, Number number, Instant now) = 0;
    // Something happened to the visitor.
    virtual Said news(const HostedRoom& room, Number number, Instant now) = 0;
    // The room has a new pulse; at most once a second.
    virtual Said beat(const HostedRoom& room, Number number, const net::Frame& pulse,
                      Instant now) = 0;
    // Once a second, whatever happened, if wants_looks().
    virtual bool wants_looks() const { return false; }
    virtual Said look(const HostedRoom&, Number, Instant) { return {}; }
    // Nothing was said for long: shows the client, and everything in between, that the stream
    // lives.
    virtual net::Frame heartbeat() {
        static const net::Frame comment = net::make_frame(": heartbeat\n\n");
        return comment;
    }
    // The last words when a newer stream of the visitor takes its place. Null: they live side by
    // side.
    virtual net::Frame replaced() { return {}; }
};

} // namespace anteroom
