// Request: one parsed HTTP/1.1 request as views into the connection's bytes.
//
// Valid only until Handler::handle returns; what lives longer must be copied. The parser has
// checked the framing, the Host and every character, so the fields can be taken as they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "net/ip_address.h"
#include "net/limits.h"

namespace anteroom::net {

class TrustedProxies;

enum class Method : std::uint8_t { get, head, post, put, del, patch, options, trace, other };

struct Header {
    std::string_view name;
    std::string_view value; // Trimmed.
};

struct Request {
    Method method = Method::other;
    std::string_view method_text;
    std::string_view target; // As it came, absolute form included.
    std::string_view path;   // Starts with '/', not decoded; "*" for OPTIONS *.
    std::string_view query;  // After '?', not decoded.
    std::string_view host;   // From the absolute form if there is one (RFC 9112, 3.2.2).
    std::string_view body;
    std::uint8_t minor_version = 1;
    bool keep_alive = true;
    bool secure = false; // Came over TLS.
    IpAddress peer;      // The other end of the socket.
    bool peer_is_trusted = false;
    const TrustedProxies* proxies = nullptr;

    // Framing, for the reader.
    std::uint64_t content_length = 0;
    bool chunked = false;
    bool expects_continue = false;
    bool body_streams = false; // The body comes later, through a Relay.

    std::span<const Header> headers() const { return {header_storage.data(), header_count}; }

    // The first header of that name, whatever its case; name in lower case.
    std::optional<std::string_view> header(std::string_view lower_name) const;

    // The same if it came once, for security decisions: of two, the origin may take the other one.
    std::optional<std::string_view> single_header(std::string_view lower_name) const;

    // The client behind trusted proxies; the peer itself when it is not one of them.
    IpAddress client_address() const;

    std::array<Header, limits::headers_max> header_storage;
    std::size_t header_count = 0;
};

} // namespace anteroom::net
