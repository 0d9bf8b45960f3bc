// JsonObject: one JSON object (RFC 8259), read strictly and without allocating.
//
// For the headers and claims of tokens. Texts are decoded in place, so the object is a view of the
// buffer it was parsed from and destroys what stood there. Stricter than the RFC where attackers
// like it loose: no duplicate members (after unescaping), valid UTF-8 only, no lone surrogates,
// limited depth. Nested arrays and objects are checked for form and left as they stand, so that
// their text can be parsed in turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anteroom::token {

inline constexpr std::size_t json_members_max = 32;
inline constexpr std::size_t json_depth_max = 8;

enum class JsonKind : std::uint8_t {
    null,
    boolean,
    integer, // Digits only, and it fits into 64 bits.
    number,  // Every other number; its value is not kept.
    string,
    array,
    object,
};

struct JsonValue {
    JsonKind kind = JsonKind::null;
    std::string_view text;    // Of a string, decoded; of an integer, array or object, as it stands.
    std::int64_t integer = 0; // Of an integer; 1 for true.
};

struct JsonMember {
    std::string_view name;
    JsonValue value;
};

enum class JsonFault : std::uint8_t {
    none,
    malformed,
    duplicate_member,
    too_many_members,
    too_deep
};

class JsonObject {
  public:
    // The whole text must be one object. On a fault the object is empty.
    [[nodiscard]] JsonFault parse(std::span<char> text);

    const JsonValue* find(std::string_view name) const;
    std::span<const JsonMember> members() const { return std::span(members_).first(count_); }

  private:
    std::array<JsonMember, json_members_max> members_;
    std::size_t count_ = 0;
};

// The whole text must be one array of at most elements_max values, which replace those in `out`.
// Decodes in place, like JsonObject. On a fault `out` is empty; too many elements are too many
// members.
[[nodiscard]] JsonFault parse_json_array(std::span<char> text, std::size_t elements_max,
                                         std::vector<JsonValue>& out);

// Short escapes where JSON has them (\n, not \u000a): signatures are made over these very bytes.
// REQUIRES: is_utf8(text).
void append_json_string(std::string& out, std::string_view text);

} // namespace anteroom::token
