// Secret: the bytes of a key. Never printed, wiped from memory when freed.
#pragma once

#include <openssl/crypto.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "token/bytes.h"

namespace anteroom::token {

inline constexpr std::size_t secret_bytes_min = 32;
inline constexpr std::size_t secret_bytes_max = 512;

// Identifies a key without revealing it: 32 bits of a keyed hash.
using Fingerprint = std::array<std::uint8_t, 4>;

template <class T>
struct WipingAllocator {
    using value_type = T;
    WipingAllocator() = default;
    template <class U>
    WipingAllocator(const WipingAllocator<U>&) {} // NOLINT(*-explicit-*)

    T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
    void deallocate(T* memory, std::size_t count) {
        OPENSSL_cleanse(memory, count * sizeof(T));
        std::allocator<T>().deallocate(memory, count);
    }
    friend bool operator==(WipingAllocator, WipingAllocator) { return true; }
};

// A text that holds secrets: a file's, or a part of it.
using SecretText = std::basic_string<char, std::char_traits<char>, WipingAllocator<char>>;

class Secret {
  public:
    // Refuses what is too short, too long, or has fewer than 8 different bytes.
    static Result<Secret> from_bytes(ByteView bytes);
    static Result<Secret> from_text(std::string_view text) { return from_bytes(bytes_of(text)); }
    // What operators paste: standard Base64 when that gives enough bytes, else the text itself.
    static Result<Secret> from_base64_or_text(std::string_view text);
    // 32 bytes from the system's generator.
    static Result<Secret> random();

    ByteView bytes() const { return bytes_; }
    Fingerprint fingerprint() const;
    std::string masked() const;

    friend bool operator==(const Secret& left, const Secret& right);

  private:
    explicit Secret(ByteView bytes) : bytes_(bytes.begin(), bytes.end()) {}

    std::vector<std::uint8_t, WipingAllocator<std::uint8_t>> bytes_;
};

} // namespace anteroom::token
