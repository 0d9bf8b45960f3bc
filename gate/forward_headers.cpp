#include "gate/forward_headers.h"

#include <array>

#include "net/scan.h"
#include "net/text.h"

namespace anteroom::gate {

namespace {

using net::Header;
using net::Output;
using net::Request;

enum class Kind : std::uint8_t {
    plain,
    hop,       // Ends here.
    framing,   // Written anew.
    written,   // Set by us: X-Forwarded-*, X-Request-ID, Host.
    forwarded, // Passes only from a trusted proxy: Forwarded, X-Real-IP.
    identity,
};

// In lower case, every other character than letters and digits as a hyphen: origins that turn
// headers into variables see no difference between them.
class Spelling {
  public:
    explicit Spelling(std::string_view name)
        : length_(std::min(name.size(), text_.size())), whole_(name.size() <= text_.size()) {
        for (std::size_t i = 0; i < length_; ++i) {
            const char c = net::to_lower(name[i]);
            const bool plain = (c >= 'a' && c <= 'z') || net::is_digit(c);
            text_[i] = plain ? c : '-';
        }
    }
    std::string_view view() const { return {text_.data(), length_}; }
    bool is(std::string_view name) const { return whole_ && view() == name; }
    bool starts_with(std::string_view prefix) const { return view().starts_with(prefix); }

  private:
    std::array<char, 24> text_; // Longer than any name that matters.
    std::size_t length_;
    bool whole_;
};

bool is_identity(const Spelling& name) {
    return name.starts_with("x-user-") || name.starts_with("x-anteroom-") || name.is("x-user") ||
           name.is("x-cloudfront-verified");
}

Kind kind_of_x(const Spelling& name) {
    if (is_identity(name)) return Kind::identity;
    if (name.is("x-forwarded-for") || name.is("x-forwarded-proto") || name.is("x-forwarded-host") ||
        name.is("x-request-id")) {
        return Kind::written;
    }
    return name.is("x-real-ip") ? Kind::forwarded : Kind::plain;
}

Kind kind_of(const Spelling& name) {
    switch (name.view().front()) {
        case 'c':
            if (name.is("connection")) return Kind::hop;
            if (name.is("content-length")) return Kind::framing;
            break;
        case 'e':
            if (name.is("expect")) return Kind::framing;
            break;
        case 'f':
            if (name.is("forwarded")) return Kind::forwarded;
            break;
        case 'h':
            if (name.is("host")) return Kind::written;
            if (name.is("http2-settings")) return Kind::hop;
            break;
        case 'k':
            if (name.is("keep-alive")) return Kind::hop;
            break;
        case 'p':
            if (name.starts_with("proxy-") || name.is("proxy")) return Kind::hop;
            break;
        case 't':
            if (name.is("te") || name.is("trailer")) return Kind::hop;
            if (name.is("transfer-encoding")) return Kind::framing;
            break;
        case 'u':
            if (name.is("upgrade")) return Kind::hop;
            break;
        case 'x': return kind_of_x(name);
        default: break;
    }
    return Kind::plain;
}

// The names that Connection lists, of all its lines: they end here, too.
class Listed {
  public:
    explicit Listed(std::span<const Header> headers) {
        for (const Header& header : headers) {
            if (!net::equals_lower(header.name, "connection")) continue;
            net::for_each_element(header.value, [&](std::string_view option) {
                const bool common = net::equals_ignoring_case(option, "close") ||
                                    net::equals_ignoring_case(option, "keep-alive");
                if (common) return;
                if (count_ < names_.size()) names_[count_] = option;
                ++count_;
            });
        }
    }
    // More names than fit are an attack: then no header of the client passes.
    bool overflows() const { return count_ > names_.size(); }
    bool has(std::string_view name) const {
        if (overflows()) return true;
        for (std::size_t i = 0; i < count_; ++i) {
            if (net::equals_ignoring_case(names_[i], name)) return true;
        }
        return false;
    }

  private:
    std::array<std::string_view, 16> names_;
    std::size_t count_ = 0;
};

void put(Output& output, const Header& header) {
    net::compose(output, header.name, ": ", header.value, "\r\n");
}

std::size_t write_request_line(Output& output, const Request& request) {
    net::compose(output, request.method_text, " ");
    if (request.target.starts_with('/') || request.target == "*") {
        net::append(output, request.target);
    } else { // Absolute form is for proxies; an origin gets the path (RFC 9112, 3.2.1).
        net::append(output, request.path);
        if (!request.query.empty()) net::compose(output, "?", request.query);
    }
    net::append(output, " HTTP/1.1\r\n");
    return output.size();
}

// X-Forwarded-For of a trusted proxy is continued; that of any other peer is replaced.
void write_forwarded_for(Output& output, const Request& request) {
    net::append(output, "X-Forwarded-For: ");
    if (request.peer_is_trusted) {
        for (const Header& header : request.headers()) {
            if (!net::equals_lower(header.name, "x-forwarded-for")) continue;
            if (!header.value.empty()) net::compose(output, header.value, ", ");
        }
    }
    net::compose(output, net::to_string(request.peer), "\r\n");
}

void write_forwarded(Output& output, const Request& request) {
    write_forwarded_for(output, request);
    std::string_view proto = request.secure ? "https" : "http";
    std::string_view host = request.host;
    if (request.peer_is_trusted) {
        proto = request.single_header("x-forwarded-proto").value_or(proto);
        host = request.single_header("x-forwarded-host").value_or(host);
    }
    net::compose(output, "X-Forwarded-Proto: ", proto, "\r\n");
    if (!host.empty()) net::compose(output, "X-Forwarded-Host: ", host, "\r\n");
}

void write_request_framing(Output& output, const Request& request) {
    using net::Method;
    if (request.body_streams && request.chunked) {
        net::append(output, "Transfer-Encoding: chunked\r\n");
    } else {
        const std::uint64_t length =
            request.body_streams ? request.content_length : request.body.size();
        const bool expected = request.method == Method::post || request.method == Method::put ||
                              request.method == Method::patch;
        if (length > 0 || expected) net::compose(output, "Content-Length: ", length, "\r\n");
    }
    if (request.body_streams && request.expects_continue) {
        net::append(output, "Expect: 100-continue\r\n");
    }
}

} // namespace

bool wants_upgrade(const Request& request) {
    if (request.minor_version == 0 || request.body_streams || !request.body.empty()) return false;
    const auto protocol = request.single_header("upgrade");
    if (!protocol || !net::equals_lower(*protocol, "websocket")) return false;
    for (const Header& header : request.headers()) {
        if (!net::equals_lower(header.name, "connection")) continue;
        bool listed = false;
        net::for_each_element(header.value, [&](std::string_view option) {
            listed = listed || net::equals_ignoring_case(option, "upgrade");
        });
        if (listed) return true;
    }
    return false;
}

std::size_t write_request_head(Output& output, const Request& request,
                               const ForwardHeaders& forward) {
    const std::size_t begin = output.size();
    const std::size_t line_bytes = write_request_line(output, request) - begin;
    if (!forward.origin_host) net::compose(output, "Host: ", request.host, "\r\n");
    const Listed listed(request.headers());
    for (const Header& header : request.headers()) {
        const Kind kind = kind_of(Spelling(header.name));
        const bool passes =
            kind == Kind::plain || (kind == Kind::forwarded && request.peer_is_trusted);
        if (passes && !listed.has(header.name)) put(output, header);
    }
    write_forwarded(output, request);
    if (!forward.request_id.empty()) {
        net::compose(output, "X-Request-ID: ", forward.request_id, "\r\n");
    }
    if (!forward.via.empty()) net::compose(output, "Via: ", forward.via, "\r\n");
    for (const Header& header : forward.identity) put(output, header);
    write_request_framing(output, request);
    if (forward.upgrades) {
        net::compose(output, "Connection: Upgrade\r\nUpgrade: ",
                     request.single_header("upgrade").value_or(""), "\r\n");
    }
    net::append(output, "\r\n");
    return line_bytes;
}

void write_response_headers(Output& output, const net::ResponseHead& head,
                            std::string_view request_id, std::string_view via, bool upgrade) {
    const Listed listed(head.headers());
    for (const Header& header : head.headers()) {
        const Spelling name(header.name);
        const Kind kind = kind_of(name);
        if (kind == Kind::hop || kind == Kind::framing || listed.has(header.name)) continue;
        if (!request_id.empty() && name.is("x-request-id")) continue;
        put(output, header);
    }
    if (upgrade) {
        net::compose(output,
                     "Connection: Upgrade\r\nUpgrade: ", head.header("upgrade").value_or(""),
                     "\r\n");
    }
    if (!request_id.empty()) net::compose(output, "X-Request-ID: ", request_id, "\r\n");
    if (!via.empty()) net::compose(output, "Via: ", via, "\r\n");
}

} // namespace anteroom::gate
