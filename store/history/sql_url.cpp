#include "store/history/sql_url.h"

#include <array>
#include <charconv>

#include "net/text.h"
#include "net/url.h"

namespace anteroom::history {
namespace {

constexpr std::string_view form =
    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE or mysql://USER:PASSWORD@HOST:PORT/DATABASE";

struct Scheme {
    std::string_view start;
    SqlKind kind;
};
constexpr std::array schemes{
    Scheme{"postgresql://", SqlKind::postgresql}, Scheme{"postgres://", SqlKind::postgresql},
    Scheme{"mysql://", SqlKind::mysql}, Scheme{"mariadb://", SqlKind::mysql}};

Fault wrong(std::string_view what) {
    return Fault{"must be " + std::string(form) + ": " + std::string(what)};
}

// What stands before the separator; the text goes on behind it. All of it when there is none.
std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(at == text.npos ? text.size() : at + 1);
    return part;
}

bool read_host(SqlUrl& url, std::string_view text) {
    if (text.starts_with('[')) { // An IPv6 address.
        const std::size_t end = text.find(']');
        if (end == text.npos) return false;
        url.host = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        if (!text.empty() && text.front() != ':') return false;
        text.remove_prefix(text.empty() ? 0 : 1);
    } else {
        url.host = take_until(text, ':');
    }
    if (text.empty()) {
        url.port = url.kind == SqlKind::postgresql ? 5432 : 3306;
        return true;
    }
    if (!net::is_port(text)) return false;
    std::from_chars(text.data(), text.data() + text.size(), url.port);
    return url.port != 0;
}

bool read_user(SqlUrl& url, std::string_view text) {
    const std::optional<std::string> user = net::percent_decode(take_until(text, ':'));
    const std::optional<std::string> password = net::percent_decode(text);
    if (!user || user->empty() || !password) return false;
    url.user = *user;
    url.password = *password;
    return true;
}

bool read_options(SqlUrl& url, std::string_view text) {
    if (text.empty()) return true;
    const std::optional<net::Query> query = net::Query::parse(text);
    if (!query) return false;
    std::size_t known = 0;
    const auto read = [&](std::string_view name, std::string& member) {
        const std::string* value = query->find(name);
        if (!value) return;
        member = *value;
        ++known;
    };
    read("socket", url.socket);
    if (url.kind == SqlKind::postgresql) {
        read("sslmode", url.sslmode);
        read("sslrootcert", url.sslrootcert);
    } else {
        read("sslca", url.sslca);
    }
    return known == query->size();
}

} // namespace

Result<SqlUrl> parse_sql_url(std::string_view text) {
    SqlUrl url;
    std::string_view rest;
    for (const Scheme& scheme : schemes) {
        if (!text.starts_with(scheme.start)) continue;
        url.kind = scheme.kind;
        rest = text.substr(scheme.start.size());
        break;
    }
    if (rest.empty()) return wrong("it starts with neither");
    std::string_view address = take_until(rest, '/');
    const std::string_view database = take_until(rest, '?');
    // The last @ ends the user: a password with an @ that was not encoded still works.
    const std::size_t at = address.rfind('@');
    if (at == address.npos) return wrong("there is no user");
    if (!read_user(url, address.substr(0, at)))
        return wrong("the user or the password cannot be read; encode special characters as %XX");
    const std::optional<std::string> name = net::percent_decode(database);
    if (!name || name->empty()) return wrong("there is no database");
    url.database = *name;
    if (!read_options(url, rest))
        return wrong("behind the ? only socket and the options of TLS may stand");
    if (!read_host(url, address.substr(at + 1))) return wrong("the host or the port is wrong");
    if (url.host.empty() && url.socket.empty()) return wrong("there is no host");
    if (!url.host.empty() && !net::all(url.host, net::in_host) &&
        url.host.find(':') == url.host.npos)
        return wrong("the host or the port is wrong");
    return url;
}

std::string without_password(const SqlUrl& url) {
    std::string text = url.kind == SqlKind::postgresql ? "postgresql://" : "mysql://";
    text += url.user + "@";
    if (url.socket.empty()) {
        const bool is_v6 = url.host.find(':') != url.host.npos;
        text += is_v6 ? "[" + url.host + "]" : url.host;
        text += ":" + std::to_string(url.port);
    } else {
        text += url.socket;
    }
    return text + "/" + url.database;
}

std::string with_masked_password(std::string_view text) {
    const std::size_t start = text.find("://");
    if (start == text.npos) return std::string(text);
    const std::size_t user = start + 3;
    const std::size_t end = std::min(text.find('/', user), text.size());
    const std::size_t at = text.substr(0, end).rfind('@');
    const std::size_t colon = text.find(':', user);
    if (at == text.npos || colon == text.npos || colon > at) return std::string(text);
    return std::string(text.substr(0, colon + 1)) + "********" + std::string(text.substr(at));
}

} // namespace anteroom::history
