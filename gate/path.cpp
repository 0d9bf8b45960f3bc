#include "gate/path.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "net/text.h"
#include "net/url.h"

namespace anteroom::gate {
namespace {

bool is_control(unsigned char byte) {
    return byte < 0x20 || byte == 0x7f;
}

// 0–255, or -1 when there is no escape of two digits at the front.
int escaped_byte(std::string_view text) {
    if (text.size() < 3 || text[0] != '%') return -1;
    const unsigned high = hex_value(text[1]);
    const unsigned low = hex_value(text[2]);
    return high > 15 || low > 15 ? -1 : static_cast<int>(high * 16 + low);
}

// Of a character that stands in the path as itself.
PathFault plain_fault(char c) {
    if (is_control(static_cast<unsigned char>(c))) return PathFault::control_character;
    if (c == ';') return PathFault::path_parameter;
    const bool visible = c > 0x20 && c < 0x7f;
    const bool odd = c == '"' || c == '<' || c == '>' || c == '#' || c == '\\';
    return visible && !odd ? PathFault::none : PathFault::bad_character;
}

PathFault escaped_fault(int byte) {
    if (is_control(static_cast<unsigned char>(byte))) return PathFault::control_character;
    if (byte == '/' || byte == '\\') return PathFault::encoded_delimiter;
    return byte == ';' ? PathFault::path_parameter : PathFault::none;
}

bool holds_escape(std::string_view text) {
    for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1))
        if (escaped_byte(text.substr(at)) >= 0) return true;
    return false;
}

struct OddLetter {
    std::string_view utf8;
    char ascii;
};
constexpr OddLetter odd_letters[] = {
    {"\xc5\xbf", 's'}, {"\xe2\x84\xaa", 'k'}, {"\xc4\xb0", 'i'}, {"\xc4\xb1", 'i'}};

// Takes one letter off the front, in lower case. REQUIRES: text is not empty.
char take_letter(std::string_view& text) {
    for (const OddLetter& odd : odd_letters) {
        if (!text.starts_with(odd.utf8)) continue;
        text.remove_prefix(odd.utf8.size());
        return odd.ascii;
    }
    const char letter = net::to_lower(text.front());
    text.remove_prefix(1);
    return letter;
}

} // namespace

bool same_letters(std::string_view segment, std::string_view ascii) {
    for (const char wanted : ascii)
        if (segment.empty() || take_letter(segment) != net::to_lower(wanted)) return false;
    return segment.empty();
}

std::string_view words(PathFault fault) {
    switch (fault) {
        case PathFault::none: return "no fault";
        case PathFault::not_absolute: return "no slash at its beginning";
        case PathFault::overlong: return "more bytes or segments than anybody needs";
        case PathFault::bad_character: return "a character that must be encoded";
        case PathFault::bad_escape: return "a broken escape";
        case PathFault::control_character: return "a control character";
        case PathFault::encoded_delimiter: return "an encoded slash or backslash";
        case PathFault::path_parameter: return "a path parameter";
        case PathFault::encoded_twice: return "something that is encoded twice";
        case PathFault::not_utf8: return "bytes that are no UTF-8";
        case PathFault::empty_segment: return "a double slash";
        case PathFault::dot_segment: return "a dot segment";
    }
    CHECK(false);
}

PathFault CleanPath::read(std::string_view target) {
    count_ = 0;
    PathFault fault = decode(target.substr(0, target.find('?')));
    if (fault == PathFault::none) fault = split();
    if (fault != PathFault::none) {
        count_ = 0;
        return fault;
    }
    drop_version();
    return PathFault::none;
}

PathFault CleanPath::decode(std::string_view path) {
    length_ = 0;
    if (path.size() > path_bytes_max) return PathFault::overlong;
    if (!path.starts_with('/')) return PathFault::not_absolute;
    while (!path.empty()) {
        int byte = static_cast<unsigned char>(path.front());
        PathFault fault = PathFault::none;
        if (byte == '%') {
            byte = escaped_byte(path);
            if (byte < 0) return PathFault::bad_escape;
            fault = escaped_fault(byte);
            path.remove_prefix(3);
        } else {
            fault = plain_fault(path.front());
            path.remove_prefix(1);
        }
        if (fault != PathFault::none) return fault;
        text_[length_++] = static_cast<char>(byte);
    }
    const std::string_view text(text_.data(), length_);
    if (holds_escape(text)) return PathFault::encoded_twice;
    return is_utf8(text) ? PathFault::none : PathFault::not_utf8;
}

PathFault CleanPath::split() {
    const std::string_view text(text_.data(), length_);
    if (text.find("//") != text.npos) return PathFault::empty_segment;
    for (std::size_t begin = 1; begin < text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        const std::string_view segment = text.substr(begin, end - begin);
        if (segment == "." || segment == "..") return PathFault::dot_segment;
        if (segment.size() > segment_bytes_max || count_ == segments_max)
            return PathFault::overlong;
        spans_[count_++] = {static_cast<std::uint16_t>(begin),
                            static_cast<std::uint16_t>(segment.size())};
        begin = end + 1;
    }
    return PathFault::none;
}

// Repeatedly: an origin behind us may also remove one.
void CleanPath::drop_version() {
    if (!is_api()) return;
    std::size_t versions = 0;
    while (1 + versions < count_ && same_letters((*this)[1 + versions], "v1")) ++versions;
    std::copy(spans_.begin() + 1 + static_cast<std::ptrdiff_t>(versions),
              spans_.begin() + static_cast<std::ptrdiff_t>(count_), spans_.begin() + 1);
    count_ -= versions;
}

bool CleanPath::is_api() const {
    return count_ > 0 && same_letters((*this)[0], "api");
}

} // namespace anteroom::gate
