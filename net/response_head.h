// ResponseHead: the head of a server's answer as views into the bytes it came in.
//
// As strict as the request side: a head with two framings, or a malformed one, is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "net/limits.h"
#include "net/request.h"

namespace anteroom::net {

struct ResponseHead {
    unsigned status = 0; // 100 to 599.
    bool keep_alive = true;
    bool chunked = false;
    std::optional<std::uint64_t> length;

    std::span<const Header> headers() const { return {header_storage.data(), header_count}; }

    // The first header of that name, whatever its case; name in lower case.
    std::optional<std::string_view> header(std::string_view lower_name) const;

    std::array<Header, limits::headers_max> header_storage;
    std::size_t header_count = 0;
};

// False: malformed. REQUIRES: find_head_end accepted exactly these bytes.
bool parse_response_head(std::string_view bytes, ResponseHead& head);

} // namespace anteroom::net
