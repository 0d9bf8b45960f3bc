// Which paths are system U's, and what is checked before a handler runs.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialects/urr/urr.h"
#include "net/url.h"

namespace anteroom::urr {
namespace {

using net::Method;
using net::Status;

constexpr std::array<std::string_view, 5> own_prefixes{"/vwr/", "/api/queue/", "/api/admin/vwr/",
                                                       "/api/v1/admin/vwr/", "/api/v1/queue/"};

// No event is called like a verb.
constexpr std::array<std::string_view, 3> outer_verbs{"/vwr/assign", "/vwr/check", "/vwr/status"};
constexpr std::string_view outer_alias = "/vwr-api";

// All that can meet a path without a route. Without OPTIONS: it is a preflight there, too.
constexpr std::array unknown_methods{Method::get,   Method::post,  Method::put,  Method::del,
                                     Method::patch, Method::trace, Method::other};

bool is_at_or_below(std::string_view path, std::string_view parent) {
    return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

// As canonical() writes it: the digits are small.
bool is_small_uuid(std::string_view text) {
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'F'; };
    return is_uuid(text) && std::ranges::none_of(text, is_capital);
}

// One spelling: "%2D" is a hyphen, and the digits of a UUID are small.
std::string canonical(std::string_view event, bool wants_uuid) {
    std::string text = net::percent_decode(event).value_or("");
    if (wants_uuid)
        for (char& c : text)
            if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// A page of another system may look like system U's.
bool is_page_of_room(const Parameters& parameters) {
    return is_room_id(parameters[0]) || is_room_id(canonical(parameters[0], false));
}

bool is_page_of_uuid(const Parameters& parameters) {
    return is_small_uuid(parameters[0]) || is_small_uuid(canonical(parameters[0], true));
}

} // namespace

struct Urr::Rule {
    Method method;
    std::string_view pattern; // Below a prefix.
    void (Urr::*handler)(Call&);
    Who who = Who::everybody;
    EventId event = EventId::uuid;
    RouteEnd::Fits fits = nullptr;
};

// Tier 1 is called by people without a login. All that lies below its verbs and its alias is system
// U's, also in front of an origin.
void Urr::add_routes(Router& router) {
    static constexpr Rule outer[] = {
        {Method::get, "/vwr/check/{event}/{request}", &Urr::outer_check, Who::everybody,
         EventId::any},
        {Method::post, "/vwr/assign/{event}", &Urr::assign, Who::everybody, EventId::any},
        {Method::get, "/vwr/status/{event}", &Urr::outer_status, Who::everybody, EventId::any},
    };
    for (const Rule& rule : outer)
        for (const std::string_view prefix : {std::string_view(), outer_alias})
            add(router, prefix, rule);
    add_api_routes(router);
    add_page_routes(router);
    const auto add_unknown = [&](std::string_view pattern) {
        for (const Method method : unknown_methods)
            router.add(*this, method, pattern, [this](Call& call) { refuse_path(call); });
    };
    add_unknown(std::string(outer_alias) + "/{rest*}");
    for (const std::string_view verb : outer_verbs) {
        add_unknown(verb);
        add_unknown(std::string(verb) + "/{rest*}");
    }
}

void Urr::add_api_routes(Router& router) {
    static constexpr Rule api[] = {
        {Method::get, "/queue/status/{event}", &Urr::status, Who::user},
        {Method::post, "/queue/check/{event}", &Urr::check, Who::user},
        {Method::post, "/queue/heartbeat/{event}", &Urr::heartbeat, Who::user},
        {Method::post, "/queue/leave/{event}", &Urr::leave, Who::user},
        {Method::get, "/queue/admin/{event}", &Urr::admin_read, Who::admin},
        {Method::post, "/queue/admin/clear/{event}", &Urr::admin_clear, Who::admin},
        {Method::put, "/queue/admin/threshold/{event}", &Urr::admin_threshold, Who::admin},
        {Method::post, "/queue/admin/threshold/{event}", &Urr::admin_threshold, Who::admin},
        {Method::post, "/admin/vwr/activate/{event}", &Urr::activate, Who::admin},
        {Method::post, "/admin/vwr/deactivate/{event}", &Urr::deactivate, Who::admin},
        {Method::get, "/admin/vwr/status/{event}", &Urr::admin_outer_status, Who::admin},
        {Method::post, "/admin/vwr/advance/{event}", &Urr::advance, Who::admin},
    };
    for (const Rule& rule : api)
        for (const std::string_view prefix : {"/api", "/api/v1"}) add(router, prefix, rule);
}

void Urr::add_page_routes(Router& router) {
    static constexpr Rule pages[] = {
        {Method::get, "/vwr/{event}", &Urr::outer_page, Who::everybody, EventId::any,
         is_page_of_room},
        {Method::get, "/queue/{event}", &Urr::inner_page, Who::everybody, EventId::uuid,
         is_page_of_uuid},
        {Method::get, "/queue/{event}/timer.js", &Urr::inner_timer, Who::everybody, EventId::uuid,
         is_page_of_uuid},
        {Method::get, "/health", &Urr::health, Who::everybody, EventId::none},
    };
    for (const Rule& rule : pages) add(router, {}, rule);
}

void Urr::add(Router& router, std::string_view prefix, const Rule& rule) {
    router.add(
        *this, rule.method, std::string(prefix) + std::string(rule.pattern),
        [this, &rule](Call& call) { serve(call, rule); }, rule.fits);
}

CrossOrigin Urr::cross_origin(std::string_view path) const {
    bool is_outer = path.size() > outer_alias.size() && is_at_or_below(path, outer_alias);
    for (const std::string_view verb : outer_verbs) is_outer |= is_at_or_below(path, verb);
    if (is_outer) return {.methods = "GET, POST, OPTIONS", .headers = "Content-Type"};
    return {.methods = "GET, POST, PUT, DELETE, PATCH, OPTIONS",
            .headers = "Authorization, Content-Type, x-queue-entry-token"};
}

std::span<const std::string_view> Urr::prefixes() const {
    return own_prefixes;
}

void Urr::serve(Call& call, const Rule& rule) {
    std::string respelled; // Lives as long as the call's parameters do: until the handler returns.
    const bool wants_uuid = rule.event == EventId::uuid;
    bool (*const is_good)(std::string_view) = wants_uuid ? is_small_uuid : is_room_id;
    if (rule.event != EventId::none && !is_good(call.parameter(0))) {
        respelled = canonical(call.parameter(0), wants_uuid);
        if (!is_good(respelled)) return refuse(call, Status::bad_request, "Invalid event id");
        call.set_parameter(0, respelled);
    }
    if (is_let_in(call, rule.who)) (this->*rule.handler)(call);
}

bool Urr::is_let_in(Call& call, Who who) {
    if (who == Who::everybody) return true;
    const Caller& caller = call.caller();
    const bool is_admin = who == Who::admin && caller.is_admin;
    if (caller.user.empty() && !is_admin)
        return refuse(call, Status::unauthorized, "Authentication required"), false;
    if (who == Who::admin && !is_admin)
        return refuse(call, Status::forbidden, "Admin role required"), false;
    return true;
}

} // namespace anteroom::urr
