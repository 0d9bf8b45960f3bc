// Bytes in and out: fixed-size little-endian words and numbers of variable length (seven bits per
// byte, the low ones first), for formats that we write ourselves.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace anteroom {

static_assert(std::endian::native == std::endian::little, "words are copied as they are");

class ByteWriter {
  public:
    explicit ByteWriter(std::string& out) : out_(out) {}

    void byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
    void word(std::uint64_t value) { put(&value, sizeof value); }
    void word(std::int64_t value) { put(&value, sizeof value); }
    void bytes(std::string_view text) { out_.append(text); }
    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
        byte(static_cast<std::uint8_t>(value));
    }
    void text(std::string_view text) {
        number(text.size());
        bytes(text);
    }

  private:
    void put(const void* value, std::size_t size) {
        out_.append(static_cast<const char*>(value), size);
    }
    std::string& out_;
};

// Reads untrusted bytes: after the end every read is 0 or empty, and ok() is false.
class ByteReader {
  public:
    explicit ByteReader(std::string_view in) : in_(in) {}

    bool ok() const { return ok_; }
    bool at_end() const { return in_.empty(); }
    std::size_t left() const { return in_.size(); }

    std::uint8_t byte() {
        std::uint8_t value = 0;
        take(&value, sizeof value);
        return value;
    }
    std::uint64_t word() {
        std::uint64_t value = 0;
        take(&value, sizeof value);
        return value;
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t next = byte();
            // One way to write a number: no bits above the 64th, no zero at the end.
            if ((shift == 63 && next > 1) || (shift > 0 && next == 0)) break;
            value |= std::uint64_t{next & 0x7fu} << shift;
            if (next < 0x80) return value;
        }
        fail();
        return 0;
    }
    std::string_view text() { return bytes(number()); }
    std::int64_t signed_word() { return static_cast<std::int64_t>(word()); }
    std::string_view bytes(std::size_t count) {
        if (count > in_.size()) {
            fail();
            return {};
        }
        const std::string_view result = in_.substr(0, count);
        in_.remove_prefix(count);
        return result;
    }

  private:
    void take(void* value, std::size_t size) {
        if (size > in_.size()) return fail();
        std::memcpy(value, in_.data(), size);
        in_.remove_prefix(size);
    }
    void fail() {
        ok_ = false;
        in_ = {};
    }

    std::string_view in_;
    bool ok_ = true;
};

} // namespace anteroom
