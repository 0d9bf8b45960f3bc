// Heads of any bytes through the gate. What the origin gets is a head that our own strict parser
// reads as the same request; nothing of it is hop by hop, says who is asking, or speaks for another
// proxy. The same for the head of an answer.
//
// Input: a byte of choices, the head of a request, the head of an answer.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "gate/forward_headers.h"
#include "net/http_parser.h"

namespace anteroom::gate {
namespace {

constexpr std::size_t head_bytes_max = 64 * 1024; // Ours are longer than those that came,
constexpr std::size_t added_max = 12;             // and have more headers.

// As an origin might read a name that it makes a variable of.
std::string variable_of(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool is_upper = c >= 'A' && c <= 'Z';
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        out += is_upper ? static_cast<char>(c - 'A' + 'a') : is_plain ? c : '_';
    }
    return out;
}

bool is_hop(const std::string& name) {
    return name == "connection" || name == "keep_alive" || name == "te" || name == "trailer" ||
           name == "upgrade" || name == "http2_settings" || name == "proxy" ||
           name.starts_with("proxy_");
}

bool is_identity(const std::string& name) {
    return name == "x_user" || name.starts_with("x_user_") || name.starts_with("x_anteroom_") ||
           name == "x_cloudfront_verified";
}

std::size_t count_of(std::span<const net::Header> headers, std::string_view variable) {
    std::size_t count = 0;
    for (const net::Header& header : headers) count += variable_of(header.name) == variable;
    return count;
}

std::string written(const net::Request& request, const ForwardHeaders& forward) {
    net::Output output;
    write_request_head(output, request, forward);
    return {output.data(), output.size()};
}

void read_again(const std::string& head, net::Request& request) {
    const net::HeadEnd end = net::find_head_end(head, 0, head_bytes_max);
    CHECK(!end.refusal && end.head_bytes == head.size()); // One head, and nothing behind it.
    const net::Limits limits{.head_bytes_max = head_bytes_max, .target_bytes_max = head_bytes_max};
    CHECK(!net::parse_request_head(head, limits, request));
}

void check_headers(const net::Request& came, const net::Request& sent,
                   const ForwardHeaders& forward) {
    std::size_t identity = 0, hops = 0;
    for (const net::Header& header : sent.headers()) {
        const std::string name = variable_of(header.name);
        hops += is_hop(name);
        if (!is_identity(name)) continue;
        CHECK(identity < forward.identity.size()); // Ours, and in our order.
        CHECK(header.name == forward.identity[identity].name);
        CHECK(header.value == forward.identity[identity].value);
        ++identity;
    }
    CHECK(identity == forward.identity.size());
    CHECK(hops == (forward.upgrades ? 2u : 0u));
    CHECK(count_of(sent.headers(), "content_length") +
              count_of(sent.headers(), "transfer_encoding") <=
          1);
    CHECK(count_of(sent.headers(), "host") == 1 && sent.host == came.host);
    for (const char* ours : {"x_forwarded_for", "x_forwarded_proto", "x_request_id"})
        CHECK(count_of(sent.headers(), ours) == 1);
    CHECK(sent.header("x-request-id") == forward.request_id);
    if (came.peer_is_trusted) return;
    CHECK(sent.header("x-forwarded-for") == std::string_view(net::to_string(came.peer)));
    CHECK(count_of(sent.headers(), "forwarded") == 0 && count_of(sent.headers(), "x_real_ip") == 0);
}

void check_request(std::string_view head, std::uint8_t choices) {
    net::Request came;
    if (net::parse_request_head(head, {}, came)) return;
    if (came.host.empty()) return; // HTTP/1.0: the proxy writes the origin's own.
    if (came.header_count + added_max > net::limits::headers_max) return; // We read no more.
    came.peer = *net::parse_ip("192.0.2.7");
    came.peer_is_trusted = (choices & 1) != 0;
    came.body_streams = came.chunked || came.content_length > 0;
    const net::Header identity[] = {{"X-User-Id", "ann"}, {"X-Anteroom-Room", "spring"}};
    ForwardHeaders forward{.via = (choices & 2) != 0 ? "1.1 anteroom" : "",
                           .request_id = "r-1",
                           .identity = identity,
                           .upgrades = wants_upgrade(came)};
    const std::string out = written(came, forward);
    net::Request sent;
    read_again(out, sent);
    CHECK(sent.method_text == came.method_text && sent.minor_version == 1);
    CHECK(sent.path == came.path && sent.query == came.query);
    CHECK(sent.chunked == came.chunked && sent.content_length == came.content_length);
    check_headers(came, sent, forward);
    // Whoever passes it on once more passes the same on.
    if (came.peer_is_trusted || forward.upgrades) return;
    sent.peer = came.peer;
    sent.body_streams = came.body_streams;
    forward.via = {};
    net::Request third;
    const std::string again = written(sent, forward);
    read_again(again, third);
    CHECK(third.header_count == sent.header_count);
}

void check_answer(std::string_view head, std::uint8_t choices) {
    net::ResponseHead came;
    if (!net::parse_response_head(head, came)) return;
    const bool upgrade = (choices & 4) != 0 && came.header("upgrade").has_value();
    net::Output output;
    net::append(output, "HTTP/1.1 200 OK\r\n");
    write_response_headers(output, came, "r-1", "1.1 anteroom", upgrade);
    net::append(output, "\r\n");
    const std::string_view text(output.data(), output.size());
    const net::HeadEnd end = net::find_head_end(text, 0, head_bytes_max);
    CHECK(!end.refusal && end.head_bytes == text.size());
    net::ResponseHead sent;
    if (came.header_count + added_max > net::limits::headers_max) return;
    CHECK(net::parse_response_head(text, sent));
    CHECK(!sent.chunked && !sent.length); // Framing is the relay's.
    std::size_t hops = 0;
    for (const net::Header& header : sent.headers()) hops += is_hop(variable_of(header.name));
    CHECK(hops == (upgrade ? 2u : 0u));
    CHECK(count_of(sent.headers(), "x_request_id") == 1);
}

} // namespace
} // namespace anteroom::gate

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom;
    if (size < 1) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const net::HeadEnd first = net::find_head_end(text, 0, gate::head_bytes_max);
    if (first.refusal || first.head_bytes == 0) return 0;
    gate::check_request(text.substr(0, first.head_bytes), data[0]);
    const std::string_view rest = text.substr(first.head_bytes);
    const net::HeadEnd second = net::find_head_end(rest, 0, gate::head_bytes_max);
    if (!second.refusal && second.head_bytes > 0)
        gate::check_answer(rest.substr(0, second.head_bytes), data[0]);
    return 0;
}
