#include "store/redis/url.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "net/database_url.h"
#include "net/text.h"

namespace anteroom::redis {
namespace {

constexpr std::string_view form =
    "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE] or "
    "redis+cluster://[USER:PASSWORD@]HOST[:PORT],HOST[:PORT], rediss:// with TLS";
constexpr std::size_t hosts_max = 64;
constexpr unsigned database_max = 1'000'000;

struct Scheme {
    std::string_view name;
    bool tls;
    bool cluster;
};
constexpr std::array schemes{Scheme{"redis", false, false}, Scheme{"rediss", true, false},
                             Scheme{"redis+cluster", false, true},
                             Scheme{"rediss+cluster", true, true}};

Fault wrong(std::string_view what) {
    return Fault{"must be " + std::string(form) + ": " + std::string(what)};
}

// "user:password", ":password", or "user" whose password stands elsewhere.
bool read_login(Url& url, const net::DatabaseUrl& parts) {
    if (!parts.user) return true;
    url.user = *parts.user;
    url.password = parts.password.value_or("");
    return parts.password ? !url.password.empty() : !url.user.empty();
}

bool is_word_character(char c) {
    return net::is(c, net::in_token);
}

} // namespace

Result<Url> parse_url(std::string_view text) {
    Url url;
    const Result<net::DatabaseUrl> parts = net::parse_database_url(text, net::UserEnd::last_at);
    if (!parts) return wrong(parts.fault().reason);
    const auto* const scheme = std::ranges::find(schemes, parts->scheme, &Scheme::name);
    if (scheme == schemes.end()) return wrong("it starts with none of these");
    url.tls = scheme->tls;
    url.cluster = scheme->cluster;
    if (!read_login(url, *parts)) return wrong("the user or the password is empty");
    if (parts->hosts.empty()) return wrong("there is no host");
    if (parts->hosts.size() > hosts_max) return wrong("there are too many hosts");
    if (parts->hosts.size() > 1 && !url.cluster)
        return wrong("several hosts are for redis+cluster:// only");
    for (const net::DatabaseUrl::Host& host : parts->hosts)
        url.hosts.push_back({.host = host.name, .port = host.port.value_or(Address{}.port)});
    if (parts->options) return wrong("there are no options");
    if (parts->name.empty()) return url;
    if (url.cluster) return wrong("a Cluster has no databases");
    const auto database = parse_whole_number<unsigned>(parts->name);
    if (!database || *database > database_max) return wrong("the database is not a number");
    url.database = static_cast<int>(*database);
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
