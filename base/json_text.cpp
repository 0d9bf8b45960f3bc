#include "base/json_text.h"

namespace anteroom {
namespace {

// The length of the UTF-8 sequence at the front of text, or 0 when it is none (RFC 3629, 4).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;  // Overlong.
    if (first == 0xed && byte(1) >= 0xa0) return 0; // A surrogate.
    if (first == 0xf0 && byte(1) < 0x90) return 0;  // Overlong.
    if (first == 0xf4 && byte(1) >= 0x90) return 0; // Above U+10FFFF.
    return length;
}

template <class Out>
void append_quoted(Out& out, std::string_view text) {
    const auto append = [&](std::string_view part) {
        out.append(part.data(), part.data() + part.size());
    };
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const char c = text.front();
        if (length == 0) {
            append("\xef\xbf\xbd");
        } else if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
            append(text.substr(0, length));
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out.push_back('"');
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
    append_quoted(out, text);
}

void append_json_string(fmt::memory_buffer& out, std::string_view text) {
    append_quoted(out, text);
}

} // namespace anteroom
