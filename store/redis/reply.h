// Reply: what a Redis server answered, as a value of our own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anteroom::redis {

struct Reply {
    enum class Kind : std::uint8_t { nil, integer, text, list, error };

    static Reply of(std::int64_t number) { return {.kind = Kind::integer, .integer = number}; }
    static Reply of(std::string words) { return {.kind = Kind::text, .text = std::move(words)}; }
    static Reply fault(std::string words) {
        return {.kind = Kind::error, .text = std::move(words)};
    }

    bool is_nil() const { return kind == Kind::nil; }
    bool is_integer() const { return kind == Kind::integer; }
    bool is_text() const { return kind == Kind::text; }
    bool is_list() const { return kind == Kind::list; }
    bool is_error() const { return kind == Kind::error; }
    // Of an error, its first word: "MOVED". Empty for everything else.
    std::string_view error_code() const;

    Kind kind = Kind::nil;
    std::int64_t integer = 0;
    std::string text; // Also of an error, with its code.
    std::vector<Reply> list;

    friend bool operator==(const Reply&, const Reply&) = default;
};

// For tests and messages: (nil), 42, "text", [1, "two"], !ERR no.
std::string to_string(const Reply& reply);

} // namespace anteroom::redis
