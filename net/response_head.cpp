#include "net/response_head.h"

#include "net/http_parser.h"
#include "net/scan.h"
#include "net/text.h"

namespace anteroom::net {

namespace {

// "HTTP/1.1 200 OK"; the phrase may be missing.
bool parse_status_line(std::string_view line, ResponseHead& head) {
    constexpr std::string_view pattern = "HTTP/1.1 200";
    if (line.size() < pattern.size() || !line.starts_with("HTTP/1.") || line[8] != ' ') {
        return false;
    }
    if (line[7] != '0' && line[7] != '1') return false;
    if (line[9] < '1' || line[9] > '5' || !is_digit(line[10]) || !is_digit(line[11])) return false;
    head.keep_alive = line[7] == '1';
    head.status =
        static_cast<unsigned>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
    const std::string_view rest = line.substr(pattern.size());
    return rest.empty() || (rest.front() == ' ' && is_value(rest));
}

bool note_length(std::string_view value, ResponseHead& head) {
    std::uint64_t length = 0;
    if (head.length || !parse_content_length(value, length)) return false;
    head.length = length;
    return true;
}

// Chunked is the only coding that we can decode (RFC 9112, 6.1).
bool note_encoding(std::string_view value, bool is_http10, ResponseHead& head) {
    if (head.chunked || is_http10 || !equals_lower(value, "chunked")) return false;
    head.chunked = true;
    return true;
}

bool note_header(const Header& header, bool is_http10, ResponseHead& head) {
    switch (header.name.size()) {
        case 10:
            if (!equals_lower(header.name, "connection")) break;
            for_each_element(header.value, [&](std::string_view option) {
                if (equals_lower(option, "close")) head.keep_alive = false;
            });
            break;
        case 14:
            if (equals_lower(header.name, "content-length")) return note_length(header.value, head);
            break;
        case 17:
            if (equals_lower(header.name, "transfer-encoding")) {
                return note_encoding(header.value, is_http10, head);
            }
            break;
        default: break;
    }
    return true;
}

} // namespace

std::optional<std::string_view> ResponseHead::header(std::string_view lower_name) const {
    for (const Header& header : headers()) {
        if (equals_lower(header.name, lower_name)) return header.value;
    }
    return std::nullopt;
}

bool parse_response_head(std::string_view bytes, ResponseHead& head) {
    head.header_count = 0;
    head.chunked = false;
    head.length.reset();
    const std::size_t end = bytes.find("\r\n");
    if (!parse_status_line(bytes.substr(0, end), head)) return false;
    const bool is_http10 = bytes[7] == '0';
    bytes.remove_prefix(end + 2);
    while (!bytes.starts_with("\r\n")) {
        if (head.header_count == limits::headers_max) return false;
        Header& header = head.header_storage[head.header_count];
        if (!take_header(bytes, header) || !note_header(header, is_http10, head)) return false;
        ++head.header_count;
    }
    // Two framings: a client that believes the other one would read another answer (RFC 9112, 6.3).
    return !(head.length && head.chunked);
}

} // namespace anteroom::net
