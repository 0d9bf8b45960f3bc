#include "dialects/portal/portal.h"

#include <array>

#include "dialects/portal/queue_id.h"
#include "net/url.h"

namespace anteroom::portal {
namespace {

using net::Method;

constexpr std::array<std::string_view, 5> own_prefixes{
    "/queue/", "/admin/queue/", "/api/v1/shopping/", "/api/shopping/", "/api/v1/seller/"};

// A list of roles that lacks these is a refusal; a caller without a list is a user of the house.
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

// No queue has the type "token": such a path is an entry token's, or has no route.
bool has_type(const Parameters& parameters) {
    return parameters[0] != "token";
}

} // namespace

Portal::Portal(Desk& desk, Hub& hub, const Options& options)
    : desk_(desk), hub_(hub), options_(options) {}

void Portal::add_routes(Router& router) {
    for (const std::string prefix : {"", "/api/v1/shopping", "/api/shopping"}) {
        add_user_routes(router, prefix + "/queue");
        // The document's form names the queue in the body or the query.
        add_operator_routes(router, prefix + "/admin/queue", Form::admin);
        add_operator_routes(router, prefix + "/admin/queue/{type}/{id}", Form::admin);
    }
    add_operator_routes(router, "/api/v1/seller/queue/{type}/{id}", Form::seller);
}

void Portal::add_user_routes(Router& router, const std::string& base) {
    const auto by_event = [&](Method method, std::string_view verb, EventHandler handler) {
        const auto answer = [this, handler](Call& call) {
            if (!is_user(call.caller())) return refuse_caller(call);
            const std::optional<Event> event =
                read_event(call, call.parameter(0), call.parameter(1));
            if (event) (this->*handler)(call, *event);
        };
        router.add(*this, method, base + "/{type}/{id}/" + std::string(verb), answer, has_type);
    };
    by_event(Method::get, "status", &Portal::status);
    by_event(Method::post, "enter", &Portal::enter);
    by_event(Method::post, "leave", &Portal::leave);
    by_event(Method::del, "leave", &Portal::leave);
    by_event(Method::get, "validate", &Portal::validate);
    by_event(Method::post, "complete", &Portal::complete);

    const auto by_token = [&](Method method, std::string_view verb, TokenHandler handler) {
        const auto answer = [this, handler](Call& call) {
            if (!is_user(call.caller())) return refuse_caller(call);
            (this->*handler)(call);
        };
        router.add(*this, method, base + "/token/{token}" + std::string(verb), answer);
    };
    for (const char* verb : {"", "/status"}) {
        by_token(Method::get, verb, &Portal::token_status);
        by_token(Method::del, verb, &Portal::token_leave);
    }
    by_token(Method::get, "/validate", &Portal::token_validate);

    // A browser's EventSource cannot send Authorization, so a login is not required: an entry token
    // cannot be guessed, and the token of a known user must be that user's own.
    router.add(
        *this, Method::get, base + "/{type}/{id}/subscribe/{token}",
        [this](Call& call) { subscribe(call); }, has_type);
}

void Portal::add_operator_routes(Router& router, const std::string& base, Form form) {
    const auto add = [&](Method method, std::string_view verb, OperatorHandler handler) {
        const auto answer = [this, form, handler](Call& call) {
            if (!is_operator(call.caller())) return refuse_caller(call);
            std::optional<Instruction> wanted = read_instruction(call, form);
            if (wanted) (this->*handler)(call, *wanted);
        };
        router.add(*this, method, base + "/" + std::string(verb), answer);
    };
    add(Method::get, "status", &Portal::admin_status);
    add(Method::post, "activate", &Portal::activate);
    add(Method::post, "deactivate", &Portal::deactivate);
    add(Method::post, "process", &Portal::process);
}

CrossOrigin Portal::cross_origin(std::string_view) const {
    return {.methods = "GET, POST, DELETE, OPTIONS",
            .headers = "Authorization, Content-Type, Last-Event-ID"};
}

std::span<const std::string_view> Portal::prefixes() const {
    return own_prefixes;
}

std::optional<Portal::Instruction> Portal::read_instruction(Call& call, Form form) {
    const net::Request& request = call.request();
    const bool has_body = request.method == Method::post;
    Order order = read_order(has_body ? request.body : std::string_view{}, request.query);
    if (!order.is_readable) {
        refuse(call, errors::invalid_input);
        return std::nullopt;
    }
    std::optional<Event> event = call.parameter(0).empty()
                                     ? name_event(call, order)
                                     : read_event(call, call.parameter(0), call.parameter(1));
    if (!event) return std::nullopt;
    return Instruction{.form = form, .event = *std::move(event), .order = std::move(order)};
}

// Where the path has no queue.
std::optional<Portal::Event> Portal::name_event(Call& call, const Order& order) {
    std::vector<FieldFault> faults;
    if (!order.type) faults.push_back({.field = "eventType", .message = "must not be blank"});
    if (!order.id) faults.push_back({.field = "eventId", .message = "must not be null"});
    if (faults.empty()) return read_event(call, *order.type, *order.id);
    refuse_fields(call, faults);
    return std::nullopt;
}

std::optional<Portal::Event> Portal::read_event(Call& call, std::string_view type,
                                                std::string_view id) {
    // A room's id has nothing in it that decoding would change, so texts from the body are decoded
    // like those from the path.
    const std::string decoded_id = net::percent_decode(id).value_or("");
    const std::optional<std::int64_t> number = read_event_id(decoded_id);
    if (!number) {
        refuse(call, errors::invalid_event_id);
        return std::nullopt;
    }
    Event event{.type = net::percent_decode(type).value_or(""), .id = *number, .room_id = {}};
    event.room_id = room_id_of(event.type, event.id);
    return event;
}

std::optional<HostedRoom*> Portal::find_room(Call& call, std::string_view id) {
    const RoomSight found = desk_.visits().room_of(id);
    if (std::holds_alternative<NotHeard>(found)) {
        refuse(call, errors::unavailable);
        return std::nullopt;
    }
    HostedRoom* const* room = std::get_if<HostedRoom*>(&found);
    return room ? *room : nullptr;
}

std::optional<HostedRoom*> Portal::find_queue(Call& call, const Event& event, Millis age_max) {
    if (!event.room_id) return nullptr;
    const std::optional<HostedRoom*> found = find_room(call, *event.room_id);
    if (!found || !*found) return found;
    HostedRoom* room = *found;
    // A room that is no queue in an old copy may have become one.
    if (is_stale(call, *room, is_queue(*room) ? age_max : limits::age_untold)) return std::nullopt;
    return is_queue(*room) ? room : nullptr;
}

// Whether only users with an entry may buy: in an active queue; in one that drains, until its last
// visitors are gone; and in one that an operator closed. A queue that was deactivated is draining
// and empty.
bool Portal::is_guarded(const HostedRoom& room) {
    const Room& view = room.view();
    return view.state() != RoomState::draining || view.waiting() > 0 || view.inside() > 0;
}

bool Portal::is_stale(Call& call, const HostedRoom& room, Millis age_max) {
    if (room.age(call.now()) <= age_max) return false;
    refuse(call, errors::unavailable);
    return true;
}

VisitPlace Portal::place_of_caller(Call& call, HostedRoom& room) const {
    return {.room = &room, .holder = desk_.office().key_of(call.caller().user)};
}

} // namespace anteroom::portal
