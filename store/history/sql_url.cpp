#include "store/history/sql_url.h"

#include <algorithm>
#include <array>

#include "net/database_url.h"

namespace anteroom::history {
namespace {

constexpr std::string_view form =
    "postgresql://USER:PASSWORD@HOST:PORT/DATABASE or mysql://USER:PASSWORD@HOST:PORT/DATABASE";

struct Scheme {
    std::string_view name;
    SqlKind kind;
};
constexpr std::array schemes{Scheme{"postgresql", SqlKind::postgresql},
                             Scheme{"postgres", SqlKind::postgresql},
                             Scheme{"mysql", SqlKind::mysql}, Scheme{"mariadb", SqlKind::mysql}};

Fault wrong(std::string_view what) {
    return Fault{"must be " + std::string(form) + ": " + std::string(what)};
}

bool read_options(SqlUrl& url, const net::Query& query) {
    std::size_t known = 0;
    const auto read = [&](std::string_view name, std::string& member) {
        const std::string* value = query.find(name);
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
    return known == query.size();
}

} // namespace

Result<SqlUrl> parse_sql_url(std::string_view text) {
    SqlUrl url;
    const Result<net::DatabaseUrl> parts =
        net::parse_database_url(text, net::UserEnd::last_at_before_slash);
    if (!parts) return wrong(parts.fault().reason);
    const auto* const scheme = std::ranges::find(schemes, parts->scheme, &Scheme::name);
    if (scheme == schemes.end()) return wrong("it starts with neither");
    url.kind = scheme->kind;
    if (parts->user.value_or("").empty()) return wrong("there is no user");
    url.user = *parts->user;
    url.password = parts->password.value_or("");
    if (parts->name.empty()) return wrong("there is no database");
    url.database = parts->name;
    if (parts->options && !read_options(url, *parts->options))
        return wrong("behind the ? only socket and the options of TLS may stand");
    if (parts->hosts.size() > 1) return wrong("there is more than one host");
    if (parts->hosts.empty() && url.socket.empty()) return wrong("there is no host");
    url.port = url.kind == SqlKind::postgresql ? 5432 : 3306;
    if (parts->hosts.empty()) return url;
    url.host = parts->hosts.front().name;
    url.port = parts->hosts.front().port.value_or(url.port);
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
