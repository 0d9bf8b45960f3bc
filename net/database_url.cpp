#include "net/database_url.h"

#include "base/text.h"
#include "net/ip_address.h"
#include "net/text.h"

namespace anteroom::net {
namespace {

using Host = DatabaseUrl::Host;

std::optional<Host> read_database_host(std::string_view text) {
    Host host;
    std::string_view rest;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == text.npos) return std::nullopt;
        host.name = text.substr(1, end - 1);
        if (!parse_ip(host.name) || host.name.find(':') == host.name.npos) return std::nullopt;
        rest = text.substr(end + 1);
    } else {
        const std::size_t colon = text.find(':');
        host.name = text.substr(0, colon);
        if (host.name.empty() || !all(host.name, in_host)) return std::nullopt;
        if (colon != text.npos) rest = text.substr(colon);
    }
    if (rest.empty()) return host;
    host.port = parse_whole_number<std::uint16_t>(rest.substr(1));
    if (rest.front() != ':' || host.port.value_or(0) == 0) return std::nullopt;
    return host;
}

bool read_user(DatabaseUrl& url, std::string_view text) {
    const std::size_t colon = text.find(':');
    url.user = percent_decode(text.substr(0, colon));
    if (colon == text.npos) return url.user.has_value();
    url.password = percent_decode(text.substr(colon + 1));
    return url.user && url.password;
}

bool read_hosts(DatabaseUrl& url, std::string_view text) {
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::optional<Host> host = read_database_host(text.substr(0, comma));
        if (!host || comma + 1 == text.size()) return false;
        url.hosts.push_back(*host);
        text.remove_prefix(comma == text.npos ? text.size() : comma + 1);
    }
    return true;
}

} // namespace

Result<DatabaseUrl> parse_database_url(std::string_view text, UserEnd user_end) {
    DatabaseUrl url;
    const std::size_t scheme_end = text.find("://");
    if (scheme_end == text.npos) return Fault{"it starts with no scheme"};
    url.scheme = text.substr(0, scheme_end);
    text.remove_prefix(scheme_end + 3);

    const bool may_have_slashes = user_end == UserEnd::last_at;
    const std::size_t at = text.substr(0, may_have_slashes ? text.npos : text.find('/')).rfind('@');
    if (at != text.npos) {
        if (!read_user(url, text.substr(0, at)))
            return Fault{
                "the user or the password cannot be read; encode special characters as %XX"};
        text.remove_prefix(at + 1);
    }
    const std::size_t mark = text.find('?');
    if (mark != text.npos) {
        url.options = Query::parse(text.substr(mark + 1));
        if (!url.options) return Fault{"what stands behind the ? cannot be read"};
        text = text.substr(0, mark);
    }
    const std::size_t slash = text.find('/');
    if (slash != text.npos) {
        const std::optional<std::string> name = percent_decode(text.substr(slash + 1));
        if (!name) return Fault{"the database cannot be read; encode special characters as %XX"};
        url.name = *name;
        text = text.substr(0, slash);
    }
    if (!read_hosts(url, text)) return Fault{"the host or the port is wrong"};
    return url;
}

} // namespace anteroom::net
