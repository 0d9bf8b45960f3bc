// The hash slots of Redis Cluster: which one a key is in.
#pragma once

#include <cstdint>
#include <string_view>

namespace anteroom::redis {

inline constexpr std::uint16_t slots = 16'384;

// CRC16 of the key, or of what stands between its first { and the next } if that is something.
std::uint16_t slot_of(std::string_view key);

} // namespace anteroom::redis
