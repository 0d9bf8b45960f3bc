// The strict request-head parser: every doubt is refused, because what two parsers read differently
// is how requests are smuggled (RFC 9112, 11.2).
//
// Two pure steps. find_head_end looks only for line ends, and its verdict on a prefix never changes
// with more bytes, so the answer cannot depend on how the network cut the bytes up.
// parse_request_head then reads the complete head.
#pragma once

#include <cstddef>
#include <string_view>

#include "net/limits.h"
#include "net/request.h"
#include "net/status.h"

namespace anteroom::net {

struct Refusal {
    Status status = Status::ok; // ok: not refused.
    std::string_view reason;    // One clause for people; a literal.

    explicit operator bool() const { return status != Status::ok; }
};

struct HeadEnd {
    std::size_t head_bytes = 0; // Including the empty line; 0: more bytes are needed.
    Refusal refusal;
};

// scanned: how many of the bytes an earlier call has already seen.
HeadEnd find_head_end(std::string_view bytes, std::size_t scanned, std::size_t head_bytes_max);

// Fills request with views into head. REQUIRES: find_head_end accepted exactly these bytes.
Refusal parse_request_head(std::string_view head, const Limits& limits, Request& request);

// Parts that the client's response parser shares.

// Takes one "name: value" line and its CRLF off the front of head; also says no to whitespace
// before the colon and to obs-fold. REQUIRES: head ends as find_head_end has accepted it.
bool take_header(std::string_view& head, Header& header);

// uri-host [":" port] (RFC 9110, 7.2), never empty: http URIs have a host.
bool is_host(std::string_view host);

// Digits only, no sign, no list, no leading zero, at most 15 digits.
bool parse_content_length(std::string_view text, std::uint64_t& length);

} // namespace anteroom::net
