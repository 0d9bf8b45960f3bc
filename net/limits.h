// Every bound on what clients and servers can make us keep, in one place.
//
// The constants are the defaults; Limits is what a server is started with, so that tests can ask
// for a 30 ms deadline. A client that goes over a limit gets the status named beside it and is cut.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace anteroom::net {

namespace limits {
inline constexpr std::size_t head_bytes_max = 8 * 1024;   // 431
inline constexpr std::size_t headers_max = 100;           // 431
inline constexpr std::size_t target_bytes_max = 8 * 1024; // 414
inline constexpr std::size_t body_bytes_max = 64 * 1024;  // 413
inline constexpr std::size_t chunk_line_bytes_max = 128;  // 400: size and extensions
inline constexpr std::size_t trailer_bytes_max = 1024;    // 400
inline constexpr std::uint32_t pipelined_max = 32; // Answered per turn, then other connections
inline constexpr std::size_t corked_bytes_max = 64 * 1024; // Of answers in one write
inline constexpr Millis head_deadline{10'000};             // 408: the whole head, not a read
inline constexpr Millis body_grace{5'000}; // Before the rate counts: time for a lost packet
inline constexpr std::uint32_t body_bytes_per_second_min = 16 * 1024; // 408
inline constexpr Millis idle_deadline{60'000};                        // Silent close
inline constexpr Millis answer_deadline{30'000};      // 503: a deferred reply is lost
inline constexpr Millis handshake_deadline{10'000};   // Silent close
inline constexpr Millis write_stall_deadline{30'000}; // Cut: the peer reads nothing
inline constexpr Millis unheard_deadline{30'000};     // Cut: no packet of a stream arrives
inline constexpr Millis linger_deadline{2'000};
inline constexpr std::size_t linger_bytes_max = 1024 * 1024;
inline constexpr std::size_t backlog_bytes_max = 64 * 1024; // Cut: an event stream that lags
inline constexpr std::size_t relay_bytes_max = 64 * 1024;   // Each way; then the other side waits
inline constexpr Millis half_closed_deadline{10'000};       // Cut: half-closed during a relay
inline constexpr std::size_t response_head_bytes_max = 16 * 1024;   // Of an answer: 502
inline constexpr std::uint32_t interim_max = 8;                     // 1xx before an answer: 502
inline constexpr std::uint32_t connections_per_address_max = 1'000; // 503
inline constexpr std::uint32_t event_streams_max = 20'000;          // 503
inline constexpr std::uint32_t refusals_max = 64;                   // 503s being read at one time
inline constexpr std::uint32_t descriptors_reserved = 128;          // Ledger, logs, store, refusals
inline constexpr std::uint32_t retry_after_seconds = 5;
inline constexpr Millis accept_pause{100}; // After EMFILE and the like
inline constexpr int listen_backlog = 4096;
inline constexpr std::size_t read_buffer_bytes = 64 * 1024; // One per loop
} // namespace limits

struct Limits {
    std::size_t head_bytes_max = limits::head_bytes_max;
    std::size_t headers_max = limits::headers_max; // At most limits::headers_max.
    std::size_t target_bytes_max = limits::target_bytes_max;
    std::size_t body_bytes_max = limits::body_bytes_max;
    std::uint32_t pipelined_max = limits::pipelined_max;
    Millis head_deadline = limits::head_deadline;
    Millis body_grace = limits::body_grace;
    std::uint32_t body_bytes_per_second_min = limits::body_bytes_per_second_min;
    Millis idle_deadline = limits::idle_deadline;
    Millis answer_deadline = limits::answer_deadline;
    Millis handshake_deadline = limits::handshake_deadline;
    Millis write_stall_deadline = limits::write_stall_deadline;
    Millis unheard_deadline = limits::unheard_deadline;
    Millis linger_deadline = limits::linger_deadline;
    std::size_t backlog_bytes_max = limits::backlog_bytes_max;
    Millis half_closed_deadline = limits::half_closed_deadline;
    std::uint32_t event_streams_max = limits::event_streams_max;
    std::uint32_t refusals_max = limits::refusals_max;
    std::uint32_t retry_after_seconds = limits::retry_after_seconds;
};

} // namespace anteroom::net
