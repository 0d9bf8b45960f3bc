// Everything that reads one piece of text from a client: queries, escapes, cookies, forwarded
// addresses, dates, languages, tags, URLs.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "net/header_values.h"
#include "net/trusted_proxies.h"
#include "net/url.h"

namespace {

using namespace anteroom::net;

std::string percent_encode(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        encoded += {'%', digits[byte >> 4], digits[byte & 15]};
    }
    return encoded;
}

void fuzz_query(std::string_view text) {
    if (const auto decoded = percent_decode(text)) {
        CHECK(anteroom::is_utf8(*decoded));
        CHECK(decoded->size() <= text.size());
        CHECK(percent_decode(percent_encode(*decoded)) == *decoded);
    }
    if (const auto query = Query::parse(text)) CHECK(query->size() <= query_parameters_max);
    if (const auto url = parse_url(text)) {
        CHECK(!url->host.empty());
        CHECK(url->port != 0);
        CHECK(url->target.starts_with('/'));
    }
}

void fuzz_addresses(std::string_view text) {
    static const TrustedProxies proxies = [] {
        const std::vector<std::string> networks = {"10.0.0.0/8", "fd00::/8"};
        return *TrustedProxies::parse(networks);
    }();
    const IpAddress proxy = *parse_ip("10.0.0.1");
    const IpAddress stranger = *parse_ip("203.0.113.9");
    const std::array<std::string_view, 2> lines = {text.substr(0, text.size() / 2),
                                                   text.substr(text.size() / 2)};
    CHECK(proxies.client(stranger, lines) == stranger);
    // Whatever the client writes, the entry that our proxy appends decides.
    const std::string appended = std::string(text) + ", 203.0.113.9";
    const std::array<std::string_view, 1> honest = {appended};
    CHECK(proxies.client(proxy, honest) == stranger);
    proxies.client(proxy, lines);
    if (const auto address = parse_ip(text)) CHECK(parse_ip(to_string(*address)) == address);
    parse_network(text);
}

void fuzz_values(std::string_view text) {
    constexpr std::array<std::string_view, 2> languages = {"en", "de"};
    const std::string_view chosen = negotiate_language(text, languages);
    CHECK(chosen == "en" || chosen == "de");
    etag_matches(text, "\"a\"");
    if (const auto cookie = find_cookie(text, "a")) {
        CHECK(cookie->find(';') == std::string_view::npos);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    fuzz_query(text);
    fuzz_addresses(text);
    fuzz_values(text);
    return 0;
}
