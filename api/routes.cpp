// The native routes: one table. A new route is a line here, a handler and its description.
#include <array>
#include <boost/json.hpp>

#include "api/native.h"
#include "base/check.h"
#include "desk/assets.h"

namespace anteroom::api {
namespace {

using net::Method;

constexpr std::array routes{
    NativeRoute{Method::get, "/v1/rooms/{room}/ticket", Role::everybody, &Native::look, "look"},
    NativeRoute{Method::get, "/v1/rooms/{room}/pulse", Role::everybody, &Native::pulse, "pulse"},
    NativeRoute{Method::post, "/v1/rooms/{room}/tickets", Role::everybody, &Native::join, "join"},
    NativeRoute{Method::get, "/v1/rooms/{room}/events", Role::everybody, &Native::events, "events"},
    NativeRoute{Method::post, "/v1/rooms/{room}/ticket/claim", Role::everybody, &Native::claim,
                "claim"},
    NativeRoute{Method::post, "/v1/rooms/{room}/ticket/finish", Role::everybody, &Native::finish,
                "finish"},
    NativeRoute{Method::del, "/v1/rooms/{room}/ticket", Role::everybody, &Native::leave, "leave"},
    NativeRoute{Method::get, "/v1/rooms/{room}", Role::everybody, &Native::room, "room"},
    NativeRoute{Method::get, "/v1/verify", Role::everybody, &Native::verify, "verify"},
    NativeRoute{Method::post, "/v1/rooms/{room}/redeem", Role::everybody, &Native::redeem,
                "redeem"},
    NativeRoute{Method::get, "/v1/rooms/{room}/redeem", Role::everybody, &Native::redeem,
                "redeemAndGo"},
    NativeRoute{Method::get, "/v1/edge/active", Role::everybody, &Native::edge_active,
                "edgeActive"},
    NativeRoute{Method::get, "/wait/{room}", Role::everybody, &Native::wait_page, "waitPage"},
    NativeRoute{Method::get, "/wait/{room}/timer.js", Role::everybody, &Native::wait_timer,
                "waitTimer"},
    NativeRoute{Method::post, "/wait/{room}/leave", Role::everybody, &Native::wait_leave,
                "waitLeave"},
    NativeRoute{Method::get, "/healthz", Role::everybody, &Native::health, "health"},
    NativeRoute{Method::get, "/readyz", Role::everybody, &Native::ready, "ready"},
    NativeRoute{Method::get, "/metrics", Role::insider, &Native::metrics, "metrics"},
    NativeRoute{Method::get, "/v1/openapi.json", Role::everybody, &Native::openapi, "openapi"},
    NativeRoute{Method::get, "/v1/admin/rooms", Role::admin, &Native::admin_rooms, "listRooms"},
    NativeRoute{Method::get, "/v1/admin/rooms/{room}", Role::admin, &Native::admin_room,
                "readRoom"},
    NativeRoute{Method::put, "/v1/admin/rooms/{room}", Role::admin, &Native::admin_put_room,
                "putRoom"},
    NativeRoute{Method::del, "/v1/admin/rooms/{room}", Role::admin, &Native::admin_delete_room,
                "deleteRoom"},
    NativeRoute{Method::get, "/v1/admin/rooms/{room}/visitors", Role::admin,
                &Native::admin_visitors, "visitors"},
    NativeRoute{Method::post, "/v1/admin/rooms/{room}/{action}", Role::admin,
                &Native::admin_operate, "operate"},
    NativeRoute{Method::get, "/v1/admin/audit", Role::admin, &Native::admin_audit, "audit"},
    NativeRoute{Method::get, "/demo/target", Role::everybody, &Native::demo_target, "demoTarget"},
    NativeRoute{Method::get, "/", Role::everybody, &Native::front_page, "frontPage", true},
    NativeRoute{Method::get, "/favicon.ico", Role::everybody, &Native::favicon, "favicon", true},
};

boost::json::object parse(std::string_view text) {
    return boost::json::parse({text.data(), text.size()}).as_object();
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string make_document() {
    boost::json::object document = parse(assets::openapi.plain);
    const boost::json::object descriptions = parse(assets::operations.plain);
    boost::json::object paths;
    for (const NativeRoute& route : routes) {
        const auto* found =
            descriptions.if_contains({route.operation.data(), route.operation.size()});
        CHECK(found); // Every route is described.
        boost::json::object operation = found->as_object();
        operation["operationId"] = std::string(route.operation);
        boost::json::value& path = paths[std::string(route.pattern)];
        if (!path.is_object()) path = boost::json::object();
        path.as_object()[lower(name(route.method))] = std::move(operation);
    }
    document["paths"] = std::move(paths);
    return boost::json::serialize(document);
}

} // namespace

std::span<const NativeRoute> native_routes() {
    return routes;
}

const std::string& openapi_document() {
    static const std::string document = make_document();
    return document;
}

} // namespace anteroom::api
