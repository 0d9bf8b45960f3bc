// Which request goes where: one table, read by the server, by the OpenAPI test and by people.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "net/request.h"

namespace anteroom {

enum class Route : std::uint8_t {
    look,
    pulse,
    join,
    claim,
    finish,
    leave,
    room,
    events,
    verify,
    redeem,
    edge_active,
    admin_rooms,
    admin_room,
    admin_put_room,
    admin_delete_room,
    admin_operate,
    admin_visitors,
    admin_audit,
    health,
    ready,
    metrics,
    openapi,
    wait_page,
    wait_timer,
    wait_leave,
    demo_target,
    front_page,
    favicon,
};

enum class Access : std::uint8_t {
    everybody,
    admin,
    insider, // A trusted address, or an admin.
};

struct RouteRule {
    Route route;
    net::Method method;
    std::string_view pattern; // "{name}" stands for one segment.
    Access access = Access::everybody;
};

std::span<const RouteRule> route_rules();

using Parameters = std::array<std::string_view, 2>; // In the order of the pattern, not decoded.
// Whether the path is one of the pattern's; its "{name}" parts go to `parameters`.
bool fits(std::string_view pattern, std::string_view path, Parameters& parameters);

struct RouteMatch {
    const RouteRule* rule = nullptr; // Null: no such path, or not with this method.
    bool path_exists = false;        // With another method there is something.
    Parameters parameters{};
};

// HEAD is answered like GET.
RouteMatch match(net::Method method, std::string_view path);

// The methods that a path has, for Allow.
std::string_view name(net::Method method);

} // namespace anteroom
