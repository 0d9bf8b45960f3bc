#include "api/routes.h"

namespace anteroom::api {
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
    RouteRule{Route::wait_page, Method::get, "/wait/{room}"},
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
};

// Takes the segment off the front of both paths' rest.
std::string_view take_segment(std::string_view& path) {
    const std::size_t end = path.find('/');
    const std::string_view segment = path.substr(0, end);
    path = end == path.npos ? std::string_view{} : path.substr(end + 1);
    return segment;
}

bool fits(std::string_view pattern, std::string_view path, RouteMatch& match) {
    std::size_t parameters = 0;
    // Both start with '/'; a trailing slash is a path of its own, and none of ours.
    if (path.empty() || path.front() != '/' || (path.size() > 1 && path.back() == '/'))
        return false;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    while (!pattern.empty() && !path.empty()) {
        const std::string_view wanted = take_segment(pattern);
        const std::string_view given = take_segment(path);
        if (wanted.front() != '{') {
            if (wanted != given) return false;
        } else {
            if (given.empty()) return false;
            match.parameters[parameters++] = given;
        }
    }
    return pattern.empty() && path.empty();
}

} // namespace

std::span<const RouteRule> route_rules() {
    return rules;
}

RouteMatch match(net::Method method, std::string_view path) {
    RouteMatch result;
    const Method wanted = method == Method::head ? Method::get : method;
    for (const RouteRule& rule : rules) {
        if (!fits(rule.pattern, path, result)) continue;
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

} // namespace anteroom::api
