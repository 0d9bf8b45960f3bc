#include "desk/routes.h"

#include <algorithm>

namespace anteroom {
namespace {

using net::Method;

// The hot ones first: the table is read from the top.
constexpr std::array rules{
    RouteRule{Route::look, Method::get, "/v1/rooms/{room}/ticket"},
    RouteRule{Route::pulse, Method::get, "/v1/rooms/{room}/pulse"},
    RouteRule{Route::join, Method::post, "/v1/rooms/{room}/tickets"},
    RouteRule{Route::events, Method::get, "/v1/rooms/{room}/events"},
    RouteRule{Route::claim, Method::post, "/v1/rooms/{room}/ticket/claim"},
    RouteRule{Route::finish, Method::post, "/v1/rooms/{room}/ticket/finish"},
    RouteRule{Route::leave, Method::del, "/v1/rooms/{room}/ticket"},
    RouteRule{Route::room, Method::get, "/v1/rooms/{room}"},
    RouteRule{Route::verify, Method::get, "/v1/verify"},
    RouteRule{Route::redeem, Method::post, "/v1/rooms/{room}/redeem"},
    RouteRule{Route::redeem, Method::get, "/v1/rooms/{room}/redeem"},
    RouteRule{Route::edge_active, Method::get, "/v1/edge/active"},
    RouteRule{Route::wait_page, Method::get, "/wait/{room}"},
    RouteRule{Route::wait_timer, Method::get, "/wait/{room}/timer.js"},
    RouteRule{Route::wait_leave, Method::post, "/wait/{room}/leave"},
    RouteRule{Route::health, Method::get, "/healthz"},
    RouteRule{Route::ready, Method::get, "/readyz"},
    RouteRule{Route::metrics, Method::get, "/metrics", Access::insider},
    RouteRule{Route::openapi, Method::get, "/v1/openapi.json"},
    RouteRule{Route::admin_rooms, Method::get, "/v1/admin/rooms", Access::admin},
    RouteRule{Route::admin_room, Method::get, "/v1/admin/rooms/{room}", Access::admin},
    RouteRule{Route::admin_put_room, Method::put, "/v1/admin/rooms/{room}", Access::admin},
    RouteRule{Route::admin_delete_room, Method::del, "/v1/admin/rooms/{room}", Access::admin},
    RouteRule{Route::admin_visitors, Method::get, "/v1/admin/rooms/{room}/visitors", Access::admin},
    RouteRule{Route::admin_operate, Method::post, "/v1/admin/rooms/{room}/{action}", Access::admin},
    RouteRule{Route::admin_audit, Method::get, "/v1/admin/audit", Access::admin},
    RouteRule{Route::demo_target, Method::get, "/demo/target"},
    RouteRule{Route::front_page, Method::get, "/"},
    RouteRule{Route::favicon, Method::get, "/favicon.ico"},
};

} // namespace

// Text and parameters in turns: a text must stand in the path as it is, a parameter takes what is
// there up to the next slash.
bool fits(std::string_view pattern, std::string_view path, Parameters& parameters) {
    std::size_t found = 0;
    while (true) {
        const std::size_t text = std::min(pattern.find('{'), pattern.size());
        if (!path.starts_with(pattern.substr(0, text))) return false;
        pattern.remove_prefix(text);
        path.remove_prefix(text);
        if (pattern.empty() || path.empty()) break;
        const std::size_t value = std::min(path.find('/'), path.size());
        if (value == 0) return false;
        parameters[found++] = path.substr(0, value);
        pattern.remove_prefix(pattern.find('}') + 1);
        path.remove_prefix(value);
    }
    return pattern.empty() && path.empty();
}

std::span<const RouteRule> route_rules() {
    return rules;
}

RouteMatch match(net::Method method, std::string_view path) {
    RouteMatch result;
    const Method wanted = method == Method::head ? Method::get : method;
    for (const RouteRule& rule : rules) {
        if (!fits(rule.pattern, path, result.parameters)) continue;
        result.path_exists = true;
        if (rule.method != wanted) continue;
        result.rule = &rule;
        return result;
    }
    return result;
}

std::string_view name(net::Method method) {
    switch (method) {
        case Method::get: return "GET";
        case Method::head: return "HEAD";
        case Method::post: return "POST";
        case Method::put: return "PUT";
        case Method::del: return "DELETE";
        case Method::patch: return "PATCH";
        case Method::options: return "OPTIONS";
        case Method::trace: return "TRACE";
        case Method::other: return "";
    }
    return "";
}

} // namespace anteroom
