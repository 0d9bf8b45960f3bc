#include "desk/caller.h"

#include <algorithm>

#include "net/header_values.h"
#include "net/scan.h"
#include "net/text.h"
#include "net/trusted_proxies.h"
#include "token/hmac.h"

namespace anteroom {
namespace {

// Headers that carry identity count once or not at all.
std::string_view single(const net::Request& request, std::string_view name) {
    return request.single_header(name).value_or("");
}

} // namespace

std::string_view bearer(const net::Request& request) {
    constexpr std::string_view scheme = "bearer ";
    const std::string_view value = single(request, "authorization");
    if (value.size() <= scheme.size() || !net::equals_lower(value.substr(0, scheme.size()), scheme))
        return {};
    return net::trim(value.substr(scheme.size()));
}

std::string_view cookie(const net::Request& request, std::string_view name) {
    const std::optional<std::string_view> header = request.header("cookie");
    if (!header) return {};
    return net::find_cookie(*header, name).value_or("");
}

bool has_role(std::string_view roles, std::string_view role) {
    constexpr std::string_view between = ", \t\"[]";
    while (!roles.empty()) {
        const std::size_t end = std::min(roles.find_first_of(between), roles.size());
        if (roles.substr(0, end) == role) return true;
        roles.remove_prefix(std::min(end + 1, roles.size()));
    }
    return false;
}

namespace {

// A page of another site can make a browser send a cookie, but it cannot hide where it comes from.
bool is_from_other_site(const net::Request& request) {
    const std::optional<std::string_view> origin = request.header("origin");
    if (!origin) return false;
    const std::size_t scheme = origin->find("://");
    if (scheme == origin->npos) return true; // "null"
    return !net::equals_ignoring_case(origin->substr(scheme + 3),
                                      request.header("host").value_or(""));
}

void become(Caller& caller, const token::AccessUser& user, bool with_roles) {
    caller.user = user.user_id;
    caller.has_token = caller.token_expired = false;
    if (!with_roles) return;
    caller.roles = user.roles;
    caller.is_admin = net::equals_lower(user.role, "admin");
}

} // namespace

bool is_backend(const net::Request& request) {
    return request.peer_is_trusted && request.proxies &&
           request.proxies->trusts(request.client_address());
}

Caller identify(const net::Request& request, Office& office, std::string_view admin_token,
                token::UnixSeconds now, token::AccessVerifier* own) {
    Caller caller;
    const bool trusted = request.peer_is_trusted && request.proxies;
    caller.is_backend = is_backend(request);

    const std::string_view shown = bearer(request);
    caller.has_token = !shown.empty();
    if (!admin_token.empty() &&
        token::equal_in_constant_time(token::bytes_of(shown), token::bytes_of(admin_token))) {
        caller.is_admin = true;
        caller.has_token = false;
        return caller;
    }
    std::string_view access = shown;
    if (access.empty()) access = cookie(request, "access_token");
    for (token::AccessVerifier* login : {office.access ? &*office.access : nullptr, own}) {
        if (!login || access.empty()) continue;
        const token::AccessVerdict verdict = login->verify(access, now);
        if (const auto* user = std::get_if<token::AccessUser>(&verdict)) {
            // By a cookie alone one operates nothing from another site.
            become(caller, *user, !shown.empty() || !is_from_other_site(request));
            return caller;
        }
        if (std::get<token::Refusal>(verdict) == token::Refusal::expired)
            caller.token_expired = true;
    }
    if (trusted) {
        caller.user = single(request, "x-user-id");
        caller.roles = single(request, "x-user-effective-roles");
        if (caller.roles.empty()) caller.roles = single(request, "x-user-roles");
        caller.is_admin =
            !caller.user.empty() && net::equals_lower(single(request, "x-user-role"), "admin");
    }
    return caller;
}

} // namespace anteroom
