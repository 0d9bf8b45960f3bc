// Base64 as JWTs (RFC 7515, section 2) and configured secrets (RFC 4648, section 4) write it.
//
// Base64url is read strictly: no padding, no white space, and the unused bits of the last character
// must be zero. Otherwise one signature would have several spellings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "token/bytes.h"

namespace anteroom::token {

constexpr std::size_t base64url_length(std::size_t bytes) {
    return bytes / 3 * 4 + (bytes % 3 == 0 ? 0 : bytes % 3 + 1);
}

constexpr std::size_t base64_bytes_max(std::size_t length) {
    return length / 4 * 3 + length % 4;
}

// REQUIRES: out has space for base64url_length(bytes.size()) characters.
void write_base64url(ByteView bytes, char* out);
void append_base64url(std::string& out, ByteView bytes);
std::string base64url(ByteView bytes);

// How many bytes were written to out; nothing when the text is not canonical or does not fit.
std::optional<std::size_t> read_base64url(std::string_view text, std::span<std::uint8_t> out);

// The standard alphabet, with or without its padding.
std::optional<std::string> decode_base64(std::string_view text);

} // namespace anteroom::token
