#include "dialects/portal/portal.h"

#include <array>

#include "base/json_text.h"
#include "desk/routes.h"
#include "net/url.h"

namespace anteroom::portal {
namespace {

using net::Method;
using net::Status;

bool allows(Route route, Method method) {
    switch (route) {
        case Route::status:
        case Route::validate:
        case Route::subscribe:
        case Route::token_validate:
        case Route::admin_status: return method == Method::get;
        case Route::token_status: return method == Method::get || method == Method::del;
        case Route::leave: return method == Method::post || method == Method::del;
        default: return method == Method::post;
    }
}

// A list of roles that lacks these is a refusal; who comes without a list is a user of the house.
bool is_user(const Caller& caller) {
    if (caller.user.empty()) return false;
    return caller.roles.empty() || has_role(caller.roles, "ROLE_USER") ||
           has_role(caller.roles, "ROLE_ADMIN");
}

bool is_operator(const Caller& caller) {
    if (caller.is_admin) return true;
    constexpr std::array roles{"ROLE_ADMIN", "ROLE_SHOPPING_SELLER", "ROLE_SHOPPING_ADMIN",
                               "ROLE_SUPER_ADMIN"};
    for (const char* role : roles)
        if (!caller.user.empty() && has_role(caller.roles, role)) return true;
    return false;
}

} // namespace

Portal::Portal(Desk& desk, Hub& hub, const Options& options)
    : desk_(desk), hub_(hub), options_(options) {}

bool Portal::handle(Ask& ask) {
    const std::optional<Path> path = read_path(ask.request.path);
    if (!path) return false;
    const Method method = ask.request.method == Method::head ? Method::get : ask.request.method;
    if (method == Method::options) return preflight(ask), true;
    if (!allows(path->route, method)) return refuse_method(ask, path->route), true;
    if (path->form != Form::user) return dispatch_operator(ask, *path), true;
    Path wanted = *path;
    if (wanted.route == Route::token_status && method == Method::del)
        wanted.route = Route::token_leave;
    dispatch_user(ask, wanted);
    return true;
}

// The gate does not know tokens of P's own login.
std::string Portal::user_of(const Ask& ask) {
    return owns(ask.request.path) ? identify(ask).user : std::string();
}

// Nobody has this path, but it is in our part of them.
bool Portal::miss(Ask& ask) {
    constexpr std::array prefixes{"/queue/", "/admin/queue/", "/api/v1/shopping/", "/api/shopping/",
                                  "/api/v1/seller/"};
    for (const std::string_view prefix : prefixes)
        if (ask.request.path.starts_with(prefix)) return refuse(ask, errors::not_found), true;
    return false;
}

bool Portal::over_limit(Ask& ask, std::int64_t wait_seconds) {
    if (!owns(ask.request.path)) return false;
    net::Answer answer = begin(ask, errors::too_many.status);
    answer.header("Retry-After", static_cast<std::uint64_t>(wait_seconds));
    write_error(answer, errors::too_many, {}, {});
    return true;
}

void Portal::dispatch_user(Ask& ask, const Path& path) {
    const Caller caller = identify(ask);
    // A browser's EventSource cannot send Authorization. Nobody can guess an entry token, and
    // where a user is known it must be the user's own.
    if (path.route == Route::subscribe) return subscribe(ask, path.token, caller.user);
    if (!is_user(caller)) return refuse_caller(ask, caller);
    switch (path.route) {
        case Route::token_status: return token_status(ask, path.token, caller.user);
        case Route::token_leave: return token_leave(ask, path.token, caller.user);
        case Route::token_validate: return token_validate(ask, path.token, caller.user);
        default: break;
    }
    const std::optional<Event> event = read_event(ask, path.type, path.id);
    if (!event) return;
    switch (path.route) {
        case Route::enter: return enter(ask, *event, caller.user);
        case Route::status: return status(ask, *event, caller.user);
        case Route::leave: return leave(ask, *event, caller.user);
        case Route::validate: return validate(ask, *event, caller.user);
        default: return complete(ask, *event, caller.user);
    }
}

void Portal::dispatch_operator(Ask& ask, const Path& path) {
    const Caller caller = identify(ask);
    if (!is_operator(caller)) return refuse_caller(ask, caller);
    const bool has_body = ask.request.method == Method::post;
    Order order = read_order(has_body ? ask.request.body : std::string_view{}, ask.request.query);
    if (!order.is_readable) return refuse(ask, errors::invalid_input);
    const std::optional<Event> event =
        path.type.empty() ? name_event(ask, order) : read_event(ask, path.type, path.id);
    if (!event) return;
    if (event->room_id) ask.room_id = *event->room_id;
    switch (path.route) {
        case Route::activate: return activate(ask, caller, path.form, *event, order);
        case Route::deactivate: return deactivate(ask, caller, path.form, *event);
        case Route::process: return process(ask, caller, path.form, *event);
        default: return admin_status(ask, path.form, *event);
    }
}

std::optional<Portal::Event> Portal::name_event(Ask& ask, const Order& order) {
    std::vector<FieldFault> faults;
    if (!order.type) faults.push_back({.field = "eventType", .message = "must not be blank"});
    if (!order.id) faults.push_back({.field = "eventId", .message = "must not be null"});
    if (faults.empty()) return read_event(ask, *order.type, *order.id);
    refuse_fields(ask, faults);
    return std::nullopt;
}

std::optional<Portal::Event> Portal::read_event(Ask& ask, std::string_view type,
                                                std::string_view id) {
    // A room's id has nothing in it that decoding would change, wherever the texts come from.
    const std::string decoded_id = net::percent_decode(id).value_or("");
    const std::optional<std::int64_t> number = read_event_id(decoded_id);
    if (!number) {
        refuse(ask, errors::invalid_event_id);
        return std::nullopt;
    }
    Event event{.type = net::percent_decode(type).value_or(""), .id = *number, .room_id = {}};
    event.room_id = room_id_of(event.type, event.id);
    return event;
}

// Whether there is such a room; nothing: it may be on its way here, and the call is answered.
std::optional<HostedRoom*> Portal::find_room(Ask& ask, std::string_view id) {
    Service& service = desk_.service();
    if (HostedRoom* room = service.rooms().find(id)) return room;
    if (!service.may_have(id)) return service.rooms().find(id); // It may have come in between.
    refuse(ask, errors::unavailable);
    return std::nullopt;
}

std::optional<HostedRoom*> Portal::find_queue(Ask& ask, const Event& event, Millis age_max) {
    if (!event.room_id) return nullptr;
    const std::optional<HostedRoom*> found = find_room(ask, *event.room_id);
    if (!found || !*found) return found;
    HostedRoom* room = *found;
    if (is_stale(ask, *room, is_queue(*room) ? age_max : limits::age_untold)) return std::nullopt;
    return is_queue(*room) ? room : nullptr;
}

// Whether only those may buy who have entered: in an active queue; in one that lets its last
// people in, until they are gone; and in one that an operator closed. A queue that was deactivated
// is drained, and nobody is there.
bool Portal::is_guarded(const HostedRoom& room) {
    const Room& view = room.view();
    return view.state() != RoomState::draining || view.waiting() > 0 || view.inside() > 0;
}

// As everywhere, and by a token of system P's own login.
Caller Portal::identify(const Ask& ask) {
    return desk_.identify(ask, "portal");
}

bool Portal::is_stale(Ask& ask, const HostedRoom& room, Millis age_max) {
    if (room.age(ask.now) <= age_max) return false;
    refuse(ask, errors::unavailable);
    return true;
}

void Portal::refuse_fields(Ask& ask, const std::vector<FieldFault>& faults) {
    std::string more = R"(,"path":)";
    append_json_string(more, ask.request.path);
    refuse(ask, errors::invalid_input, more + "," + details_json(faults));
}

void Portal::refuse_method(Ask& ask, Route route) {
    std::string allowed;
    for (const Method method : {Method::get, Method::post, Method::del})
        if (allows(route, method))
            allowed += (allowed.empty() ? "" : ", ") + std::string(anteroom::name(method));
    net::Answer answer = begin(ask, errors::wrong_method.status);
    answer.header("Allow", allowed);
    write_error(answer, errors::wrong_method, {}, {});
}

void Portal::preflight(Ask& ask) {
    net::Answer answer = desk_.begin(ask, Status::no_content);
    if (!desk_.allowed_origin(ask.request).empty()) {
        answer.header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");
        answer.header("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID");
        answer.header("Access-Control-Max-Age", "3600");
    }
    answer.send();
}

} // namespace anteroom::portal
