// Forward headers: what of a request's head reaches the origin, and of an answer's the client.
// Pure.
//
// Framing is never copied: it is written anew from what was parsed, so that the origin cannot read
// another message than we did. Hop-by-hop headers end here (RFC 9110, 7.6.1), and so do headers by
// which a visitor could claim another user's identity (X-User-Id and the like, also spelled
// X_User_Id: many origins read both as one name).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "net/output.h"
#include "net/request.h"
#include "net/response_head.h"

namespace anteroom::gate {

struct ForwardHeaders {
    std::string_view via;                  // "1.1 anteroom"; empty: no Via is added.
    std::string_view request_id;           // Replaces X-Request-ID both ways; empty: none is set.
    std::span<const net::Header> identity; // Set after the client's own were removed.
    bool upgrades = false;                 // Connection and Upgrade go along.
    bool origin_host = false;              // Host is written by the caller, behind the first line.
};

// A request line and its headers with the empty line, ready for the origin. The first line's bytes
// are returned: what a Host of the origin's own is put behind.
std::size_t write_request_head(net::Output& output, const net::Request& request,
                               const ForwardHeaders& forward);

// The header lines of an answer without its framing. upgrade: of a 101.
void write_response_headers(net::Output& output, const net::ResponseHead& head,
                            std::string_view request_id, std::string_view via, bool upgrade);

// Whether the client asks to speak WebSocket on this connection (RFC 6455, 4.1). Nothing else may
// pass: behind "Upgrade: h2c" more requests could follow that the gate has not decided on.
bool wants_upgrade(const net::Request& request);

} // namespace anteroom::gate
