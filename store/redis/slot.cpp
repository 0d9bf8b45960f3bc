#include "store/redis/slot.h"

#include <array>

namespace anteroom::redis {
namespace {

// CRC-16/XMODEM: polynomial 0x1021, as the Redis Cluster specification says.
constexpr std::array<std::uint16_t, 256> make_table() {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned crc = byte << 8u;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000u) ? crc << 1u ^ 0x1021u : crc << 1u;
        table[byte] = static_cast<std::uint16_t>(crc & 0xffffu);
    }
    return table;
}

constexpr std::array<std::uint16_t, 256> table = make_table();

std::string_view hashed_part(std::string_view key) {
    const std::size_t open = key.find('{');
    if (open == key.npos) return key;
    const std::size_t close = key.find('}', open + 1);
    if (close == key.npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

} // namespace

std::uint16_t slot_of(std::string_view key) {
    unsigned crc = 0;
    for (const char c : hashed_part(key)) {
        const unsigned index = (crc >> 8u ^ static_cast<unsigned char>(c)) & 0xffu;
        crc = (crc << 8u ^ table[index]) & 0xffffu;
    }
    return static_cast<std::uint16_t>(crc % slots);
}

} // namespace anteroom::redis
