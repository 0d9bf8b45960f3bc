// CleanPath: a request's path as the rules see it, or the reason why it is refused.
//
// One reading for all rules: percent-decoded once, without the version ("/api/v1/x" is "/api/x")
// and without a slash at the end. Whatever two programs could read in two ways is refused instead:
// encoded delimiters, dot segments, double slashes, path parameters, what is encoded twice, what is
// no UTF-8. A value of a few kilobytes for the stack; reading allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anteroom::gate {

inline constexpr std::size_t path_bytes_max = 2'048;
inline constexpr std::size_t segment_bytes_max = 255;
inline constexpr std::size_t segments_max = 64;

enum class PathFault : std::uint8_t {
    none,
    not_absolute,
    overlong,
    bad_character,
    bad_escape,
    control_character,
    encoded_delimiter,
    path_parameter,
    encoded_twice,
    not_utf8,
    empty_segment,
    dot_segment,
};

// A clause for people: "the path has …".
std::string_view words(PathFault fault);

// Whether a segment is this ASCII text in other letters. Beside A for a these are the few letters
// of other alphabets that become ASCII when a program changes their case: ſ, K (Kelvin), İ and ı.
bool same_letters(std::string_view segment, std::string_view ascii);

class CleanPath {
  public:
    // The target as it came, with or without its query. After a fault there are no segments.
    [[nodiscard]] PathFault read(std::string_view target);

    std::size_t size() const { return count_; }
    std::string_view operator[](std::size_t at) const {
        return std::string_view(text_.data(), length_).substr(spans_[at].begin, spans_[at].length);
    }
    // Below /api, however that is spelled.
    bool is_api() const;

  private:
    struct Span {
        std::uint16_t begin = 0;
        std::uint16_t length = 0;
    };

    PathFault decode(std::string_view path);
    PathFault split();
    void drop_version();

    std::array<char, path_bytes_max> text_;
    std::size_t length_ = 0;
    std::array<Span, segments_max> spans_;
    std::size_t count_ = 0;
};

} // namespace anteroom::gate
