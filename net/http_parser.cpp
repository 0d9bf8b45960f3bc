#include "net/http_parser.h"

#include "net/scan.h"
#include "net/text.h"

namespace anteroom::net {

namespace {

constexpr Refusal bad(std::string_view reason) {
    return {Status::bad_request, reason};
}

// Takes the request line up to the CRLF that find_head_end has seen; a bare CR inside is left for
// the character checks.
std::string_view take_line(std::string_view& rest) {
    const std::size_t feed = find_byte(rest, '\n');
    const std::string_view line = rest.substr(0, feed - 1);
    rest.remove_prefix(feed + 1);
    return line;
}

Method method_of(std::string_view text) {
    switch (text.size()) {
        case 3:
            if (text == "GET") return Method::get;
            if (text == "PUT") return Method::put;
            break;
        case 4:
            if (text == "POST") return Method::post;
            if (text == "HEAD") return Method::head;
            break;
        case 5:
            if (text == "PATCH") return Method::patch;
            if (text == "TRACE") return Method::trace;
            break;
        case 6:
            if (text == "DELETE") return Method::del;
            break;
        case 7:
            if (text == "OPTIONS") return Method::options;
            break;
        default: break;
    }
    return Method::other;
}

Refusal parse_version(std::string_view version, Request& request) {
    if (version == "HTTP/1.1") {
        request.minor_version = 1;
        request.keep_alive = true;
        return {};
    }
    if (version == "HTTP/1.0") {
        request.minor_version = 0;
        request.keep_alive = false;
        return {};
    }
    const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") &&
                             is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
    if (well_formed) return {Status::version_not_supported, "only HTTP/1.1 is spoken here"};
    return bad("malformed HTTP version");
}

void split_query(std::string_view path_and_query, Request& request) {
    const std::size_t mark = path_and_query.find('?');
    request.path = path_and_query.substr(0, mark);
    request.query =
        mark == std::string_view::npos ? std::string_view{} : path_and_query.substr(mark + 1);
}

// origin-form, absolute-form, or "*" for OPTIONS (RFC 9112, 3.2); authority-form is for proxies.
Refusal parse_target(std::string_view target, Request& request) {
    request.target = target;
    request.host = {};
    if (target.starts_with('/') && all(target, in_path)) { // Nearly all of them.
        request.path = target;
        request.query = {};
        return {};
    }
    if (!all(target, in_target)) return bad("forbidden character in the request target");
    if (target.starts_with('/')) {
        split_query(target, request);
    } else if (target == "*") {
        if (request.method != Method::options) return bad("asterisk is for OPTIONS only");
        split_query(target, request);
    } else {
        const std::size_t scheme_end = target.find("://");
        if (scheme_end == std::string_view::npos) return bad("malformed request target");
        const std::string_view scheme = target.substr(0, scheme_end);
        if (!equals_lower(scheme, "http") && !equals_lower(scheme, "https")) {
            return bad("unknown scheme in the request target");
        }
        const std::string_view rest = target.substr(scheme_end + 3);
        const std::size_t slash = rest.find_first_of("/?");
        request.host = rest.substr(0, slash);
        if (!is_host(request.host)) return bad("invalid authority in the request target");
        if (slash == std::string_view::npos) {
            split_query("/", request);
        } else if (rest[slash] == '?') {
            split_query("/", request);
            request.query = rest.substr(slash + 1);
        } else {
            split_query(rest.substr(slash), request);
        }
    }
    // Some servers read a backslash as a slash: two readings of one path.
    if (request.path.find('\\') != std::string_view::npos) return bad("backslash in the path");
    return {};
}

Refusal parse_request_line(std::string_view line, const Limits& limits, Request& request) {
    constexpr std::size_t method_bytes_max = 32;
    const std::size_t method_end = find_byte(line, ' ');
    if (method_end == std::string_view::npos) return bad("malformed request line");
    request.method_text = line.substr(0, method_end);
    if (request.method_text.empty() || request.method_text.size() > method_bytes_max ||
        !all(request.method_text, in_token)) {
        return bad("invalid method");
    }
    request.method = method_of(request.method_text);
    if (request.method_text == "CONNECT") return bad("no tunnels here");

    line.remove_prefix(method_end + 1);
    const std::size_t target_end = find_byte(line, ' ');
    if (target_end == std::string_view::npos) return bad("malformed request line");
    const std::string_view target = line.substr(0, target_end);
    if (target.size() > limits.target_bytes_max) {
        return {Status::uri_too_long, "request target too long"};
    }
    if (target.empty()) return bad("empty request target");
    if (const Refusal no = parse_version(line.substr(target_end + 1), request)) return no;
    return parse_target(target, request);
}

// What the framing headers said, one flag each, so that a second one is noticed.
struct Seen {
    bool host = false;
    bool length = false;
    bool encoding = false;
    bool close = false;
    bool keep_alive = false;
};

Refusal note_connection(std::string_view value, Seen& seen) {
    bool well_formed = true;
    for_each_element(value, [&](std::string_view option) {
        well_formed = well_formed && all(option, in_token);
        if (equals_lower(option, "close")) seen.close = true;
        if (equals_lower(option, "keep-alive")) seen.keep_alive = true;
    });
    return well_formed ? Refusal{} : bad("malformed Connection");
}

Refusal note_host(std::string_view value, Request& request, Seen& seen) {
    if (seen.host) return bad("more than one Host");
    seen.host = true;
    if (!is_host(value)) return bad("invalid Host");
    if (request.host.empty()) request.host = value;
    return {};
}

Refusal note_length(std::string_view value, Request& request, Seen& seen) {
    if (seen.length) return bad("more than one Content-Length");
    seen.length = true;
    if (!parse_content_length(value, request.content_length)) return bad("invalid Content-Length");
    return {};
}

Refusal note_encoding(std::string_view value, Request& request, Seen& seen) {
    if (seen.encoding) return bad("more than one Transfer-Encoding");
    seen.encoding = true;
    if (!equals_lower(value, "chunked")) return bad("Transfer-Encoding other than chunked");
    request.chunked = true;
    return {};
}

Refusal note_expect(std::string_view value, Request& request) {
    if (request.minor_version == 0) return {}; // RFC 9110, 10.1.1: ignored.
    if (!equals_lower(value, "100-continue")) {
        return {Status::expectation_failed, "unknown expectation"};
    }
    request.expects_continue = true;
    return {};
}

// Picks the headers that decide about framing by length first: most headers are none of them.
Refusal note_header(const Header& header, Request& request, Seen& seen) {
    switch (header.name.size()) {
        case 4:
            if (equals_lower(header.name, "host")) return note_host(header.value, request, seen);
            break;
        case 6:
            if (equals_lower(header.name, "expect")) return note_expect(header.value, request);
            break;
        case 10:
            if (equals_lower(header.name, "connection")) return note_connection(header.value, seen);
            break;
        case 14:
            if (equals_lower(header.name, "content-length")) {
                return note_length(header.value, request, seen);
            }
            break;
        case 17:
            if (equals_lower(header.name, "transfer-encoding")) {
                return note_encoding(header.value, request, seen);
            }
            break;
        default: break;
    }
    return {};
}

Refusal settle_framing(const Seen& seen, Request& request) {
    if (seen.encoding && seen.length) return bad("Transfer-Encoding with Content-Length");
    if (seen.encoding && request.minor_version == 0) return bad("Transfer-Encoding in HTTP/1.0");
    if (!seen.host && request.minor_version == 1) return bad("Host is missing");
    if (seen.keep_alive) request.keep_alive = true;
    if (seen.close) request.keep_alive = false;
    return {};
}

} // namespace

bool is_host(std::string_view host) {
    if (host.starts_with('[')) {
        const std::size_t close = host.find(']');
        if (close == std::string_view::npos) return false;
        const auto address = parse_ip(host.substr(1, close - 1));
        if (!address || host.find(':') > close) return false;
        host.remove_prefix(close + 1);
        return host.empty() || (host.front() == ':' && is_port(host.substr(1)));
    }
    const std::size_t colon = find_byte(host, ':');
    if (colon != std::string_view::npos) {
        if (!is_port(host.substr(colon + 1))) return false;
        host = host.substr(0, colon);
    }
    return !host.empty() && all(host, in_host);
}

bool take_header(std::string_view& head, Header& header) {
    const char* const begin = head.data();
    const char* colon = begin;
    while (is(*colon, in_token)) ++colon; // The CR at the end is none.
    // Anything but a token in front of the colon: whitespace, a fold, a control byte, no colon.
    if (colon == begin || *colon != ':') return false;
    const auto name_bytes = static_cast<std::size_t>(colon - begin);
    header.name = {begin, name_bytes};
    head.remove_prefix(name_bytes + 1);
    const std::size_t end = value_length(head);
    // Where the value ends, the line must: otherwise it is a control byte, or a bare CR.
    if (head[end] != '\r' || head[end + 1] != '\n') return false;
    header.value = trim({head.data(), end});
    head.remove_prefix(end + 2);
    return true;
}

bool parse_content_length(std::string_view text, std::uint64_t& length) {
    constexpr std::size_t digits_max = 15;
    if (text.empty() || text.size() > digits_max) return false;
    if (text.front() == '0' && text.size() > 1) return false;
    length = 0;
    for (const char c : text) {
        if (!is_digit(c)) return false;
        length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return true;
}

HeadEnd find_head_end(std::string_view bytes, std::size_t scanned, std::size_t head_bytes_max) {
    if (bytes.empty()) return {};
    const char first = bytes.front();
    if (first != '\r' && !is(first, in_token)) return {0, bad("this is no HTTP")};

    const std::string_view window = bytes.substr(0, head_bytes_max);
    for (std::size_t at = find_byte(window, '\n', scanned); at != std::string_view::npos;
         at = find_byte(window, '\n', at + 1)) {
        if (at == 0 || window[at - 1] != '\r') return {0, bad("line feed without carriage return")};
        const bool empty_line = at >= 2 && window[at - 2] == '\n';
        if (empty_line) return {at + 1, {}};
    }
    if (bytes.size() < head_bytes_max) return {};
    // One empty line may precede the request line, so look for its end behind that.
    if (window.find('\n', 2) == std::string_view::npos) {
        return {0, {Status::uri_too_long, "request line too long"}};
    }
    return {0, {Status::header_fields_too_large, "request head too large"}};
}

Refusal parse_request_head(std::string_view head, const Limits& limits, Request& request) {
    if (head.starts_with("\r\n")) head.remove_prefix(2); // RFC 9112, 2.2: one is forgiven.
    request.header_count = 0;
    request.content_length = 0;
    request.chunked = false;
    request.expects_continue = false;
    request.body_streams = false;
    request.body = {};
    if (const Refusal no = parse_request_line(take_line(head), limits, request)) return no;

    Seen seen;
    while (!head.starts_with("\r\n")) {
        if (request.header_count == limits.headers_max) {
            return {Status::header_fields_too_large, "too many headers"};
        }
        Header& header = request.header_storage[request.header_count];
        if (!take_header(head, header)) return bad("malformed header");
        if (const Refusal no = note_header(header, request, seen)) return no;
        ++request.header_count;
    }
    return settle_framing(seen, request);
}

} // namespace anteroom::net
