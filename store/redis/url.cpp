#include "store/redis/url.h"

#include <array>
#include <charconv>
#include <optional>

#include "net/ip_address.h"
#include "net/text.h"
#include "net/url.h"

namespace anteroom::redis {
namespace {

constexpr std::string_view form =
    "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE] or "
    "redis+cluster://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT], rediss:// with TLS";
constexpr std::size_t hosts_max = 64;
constexpr int database_max = 1'000'000;

struct Scheme {
    std::string_view start;
    bool tls;
    bool cluster;
};
constexpr std::array schemes{Scheme{"redis://", false, false}, Scheme{"rediss://", true, false},
                             Scheme{"redis+cluster://", false, true},
                             Scheme{"rediss+cluster://", true, true}};

Fault wrong(std::string_view what) {
    return Fault{"must be " + std::string(form) + ": " + std::string(what)};
}

bool read_port(std::string_view text, std::uint16_t& port) {
    if (!net::is_port(text)) return false;
    std::from_chars(text.data(), text.data() + text.size(), port);
    return port != 0;
}

std::optional<Address> read_address(std::string_view text) {
    Address address;
    std::string_view rest;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == text.npos) return std::nullopt;
        address.host = text.substr(1, end - 1);
        const auto ip = net::parse_ip(address.host);
        if (!ip || address.host.find(':') == address.host.npos) return std::nullopt;
        rest = text.substr(end + 1);
    } else {
        const std::size_t colon = text.find(':');
        address.host = text.substr(0, colon);
        if (address.host.empty() || !net::all(address.host, net::in_host)) return std::nullopt;
        if (colon != text.npos) rest = text.substr(colon);
    }
    if (rest.empty()) return address;
    if (rest.front() != ':' || !read_port(rest.substr(1), address.port)) return std::nullopt;
    return address;
}

// "user:password", ":password", or "user" whose password stands elsewhere.
bool read_user(Url& url, std::string_view text) {
    const std::size_t colon = text.find(':');
    const auto user = net::percent_decode(text.substr(0, colon));
    if (!user) return false;
    url.user = *user;
    if (colon == text.npos) return !user->empty();
    const auto password = net::percent_decode(text.substr(colon + 1));
    if (!password || password->empty()) return false;
    url.password = *password;
    return true;
}

bool read_hosts(Url& url, std::string_view text) {
    while (true) {
        const std::size_t comma = text.find(',');
        const auto address = read_address(text.substr(0, comma));
        if (!address || url.hosts.size() == hosts_max) return false;
        url.hosts.push_back(*address);
        if (comma == text.npos) return true;
        text.remove_prefix(comma + 1);
    }
}

bool read_database(Url& url, std::string_view text) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, url.database);
    return read.ec == std::errc() && read.ptr == end && net::is_digit(text.front()) &&
           url.database <= database_max;
}

bool is_word_character(char c) {
    return net::is(c, net::in_token);
}

} // namespace

Result<Url> parse_url(std::string_view text) {
    Url url;
    std::string_view rest;
    for (const Scheme& scheme : schemes) {
        if (!text.starts_with(scheme.start)) continue;
        url.tls = scheme.tls;
        url.cluster = scheme.cluster;
        rest = text.substr(scheme.start.size());
        break;
    }
    if (rest.empty()) return wrong("it starts with none of these, or nothing follows");
    // The last @ ends the user: a password with an @ or a / that was not encoded still works.
    const std::size_t at = rest.rfind('@');
    if (at != rest.npos) {
        if (!read_user(url, rest.substr(0, at)))
            return wrong(
                "the user or the password cannot be read; encode special characters as %XX");
        rest.remove_prefix(at + 1);
    }
    const std::size_t slash = rest.find('/');
    if (!read_hosts(url, rest.substr(0, slash))) return wrong("a host or a port is wrong");
    if (url.hosts.size() > 1 && !url.cluster)
        return wrong("several hosts are for redis+cluster:// only");
    if (slash == rest.npos || slash + 1 == rest.size()) return url;
    if (url.cluster) return wrong("a Cluster has no databases");
    if (!read_database(url, rest.substr(slash + 1))) return wrong("the database is not a number");
    return url;
}

std::string to_string(const Address& address) {
    const bool is_v6 = address.host.find(':') != address.host.npos;
    return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

std::string without_secrets(const Url& url) {
    std::string text = url.tls ? "rediss" : "redis";
    text += url.cluster ? "+cluster://" : "://";
    for (std::size_t i = 0; i < url.hosts.size(); ++i) {
        if (i > 0) text += ",";
        text += to_string(url.hosts[i]);
    }
    return url.database == 0 ? text : text + "/" + std::to_string(url.database);
}

std::string without_secrets(std::string text, const Url& url) {
    constexpr std::string_view mask = "********";
    const auto remove = [&](const std::string& secret, bool only_words) {
        if (secret.empty()) return;
        std::size_t at = text.find(secret);
        while (at != text.npos) {
            const std::size_t end = at + secret.size();
            const bool is_word = (at == 0 || !is_word_character(text[at - 1])) &&
                                 (end == text.size() || !is_word_character(text[end]));
            if (is_word || !only_words) text.replace(at, secret.size(), mask);
            at = text.find(secret, at + (is_word || !only_words ? mask.size() : 1));
        }
    };
    remove(url.password, false);
    remove(url.user, true);
    return text;
}

} // namespace anteroom::redis
