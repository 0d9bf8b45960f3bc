// Caller: who is asking? The default is nobody.
//
// An admin shows the admin token, or is a user whose verified role is admin. A user is known by a
// verified access token, or by X-User-Id from a trusted proxy. A backend is a client whose own
// address is trusted: it may speak for visitors. Everybody else is anonymous, with or without a
// signed id of ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "desk/office.h"
#include "net/request.h"

namespace anteroom {

struct Caller {
    std::string user; // Empty: not a known user.
    bool is_admin = false;
    bool is_backend = false;
    bool has_token = false;     // An Authorization header was there but made nobody of the caller.
    bool token_expired = false; // Because its time is over.
    std::string roles;          // As the login or a trusted proxy lists them; see has_role.
};

// Whether the list names this role: names are what stands between commas, quotes, brackets, blanks.
bool has_role(std::string_view roles, std::string_view role);

// Whether the client itself, not only who passes the request on, is one of those we trust.
bool is_backend(const net::Request& request);

// `own`: of the login of a system whose routes are asked, for tokens that are not the house's.
Caller identify(const net::Request& request, Office& office, std::string_view admin_token,
                token::UnixSeconds now, token::AccessVerifier* own = nullptr);

// The token behind "Authorization: Bearer ", or empty.
std::string_view bearer(const net::Request& request);
// A cookie's value, or empty.
std::string_view cookie(const net::Request& request, std::string_view name);

} // namespace anteroom
