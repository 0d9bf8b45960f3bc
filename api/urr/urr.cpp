#include "api/urr/urr.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/json_answer.h"
#include "api/page.h"
#include "base/text.h"
#include "net/url.h"
#include "service/pulse_json.h"

namespace anteroom::api::urr {
namespace {

using net::Method;
using net::Status;

constexpr std::int64_t retry_seconds = 5;
constexpr std::int64_t page_seconds = 300;

// A room has one name: the UUID in small digits.
bool is_canonical_uuid(std::string_view text) {
    return is_uuid(text) && std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'F'; });
}

// One spelling: "%2D" is a hyphen, and the digits of a UUID are small.
std::string canonical(std::string_view event, bool wants_uuid) {
    std::string text = net::percent_decode(event).value_or("");
    if (wants_uuid)
        for (char& c : text)
            if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace

struct Urr::Rule {
    Route route;
    Family family;
    Method method;
    std::string_view pattern;
    Who who = Who::everybody;
    EventId event = EventId::uuid;
};

// The hot ones first. Without /vwr-api, and without /api or /api/v1.
const Urr::Rule Urr::rules[] = {
    {Route::status, Family::api, Method::get, "/queue/status/{event}", Who::user},
    {Route::outer_check, Family::outer, Method::get, "/vwr/check/{event}/{request}", Who::everybody,
     EventId::any},
    {Route::check, Family::api, Method::post, "/queue/check/{event}", Who::user},
    {Route::assign, Family::outer, Method::post, "/vwr/assign/{event}", Who::everybody,
     EventId::any},
    {Route::heartbeat, Family::api, Method::post, "/queue/heartbeat/{event}", Who::user},
    {Route::leave, Family::api, Method::post, "/queue/leave/{event}", Who::user},
    {Route::outer_status, Family::outer, Method::get, "/vwr/status/{event}", Who::everybody,
     EventId::any},
    {Route::outer_page, Family::page, Method::get, "/vwr/{event}", Who::everybody, EventId::any},
    {Route::inner_page, Family::page, Method::get, "/queue/{event}"},
    {Route::inner_timer, Family::page, Method::get, "/queue/{event}/timer.js"},
    {Route::admin_clear, Family::api, Method::post, "/queue/admin/clear/{event}", Who::admin},
    {Route::admin_threshold, Family::api, Method::put, "/queue/admin/threshold/{event}",
     Who::admin},
    {Route::admin_threshold, Family::api, Method::post, "/queue/admin/threshold/{event}",
     Who::admin},
    {Route::admin_read, Family::api, Method::get, "/queue/admin/{event}", Who::admin},
    {Route::activate, Family::api, Method::post, "/admin/vwr/activate/{event}", Who::admin},
    {Route::deactivate, Family::api, Method::post, "/admin/vwr/deactivate/{event}", Who::admin},
    {Route::admin_outer_status, Family::api, Method::get, "/admin/vwr/status/{event}", Who::admin},
    {Route::advance, Family::api, Method::post, "/admin/vwr/advance/{event}", Who::admin},
    {Route::health, Family::page, Method::get, "/health", Who::everybody, EventId::none},
};

struct Urr::Path {
    Family family;
    std::string_view rest; // As the patterns have it.
};

Urr::Urr(Desk& desk, const Options& options)
    : desk_(desk), options_(options), catalogue_(desk.loop(), options.catalogue) {}

// Which family a path belongs to, whether or not there is something.
Urr::Path Urr::path_of(std::string_view path) {
    constexpr std::string_view cdn = "/vwr-api", api = "/api", v1 = "/v1";
    if (path.starts_with(cdn) && path.substr(cdn.size()).starts_with('/'))
        return Path{Family::outer, path.substr(cdn.size())};
    // Before the page: no event is called like a verb.
    for (const std::string_view verb : {"/vwr/assign", "/vwr/check", "/vwr/status"})
        if (path == verb || (path.starts_with(verb) && path[verb.size()] == '/'))
            return Path{Family::outer, path};
    if (path.starts_with("/vwr/")) return Path{Family::page, path};
    if (path.starts_with(api)) {
        path.remove_prefix(api.size());
        if (path.starts_with("/v1/")) path.remove_prefix(v1.size());
        return Path{Family::api, path};
    }
    return Path{Family::page, path};
}

bool Urr::owns(std::string_view path) const {
    const Path found = path_of(path);
    if (found.family == Family::outer) return true;
    Parameters parameters{};
    for (const Rule& rule : rules)
        if (rule.family == found.family && fits(rule.pattern, found.rest, parameters)) return true;
    return false;
}

bool Urr::handle(Ask& ask) {
    const Path path = path_of(ask.request.path);
    const Method wanted = ask.request.method == Method::head ? Method::get : ask.request.method;
    Parameters parameters{};
    const Rule* there = nullptr;
    const Rule* rule = nullptr;
    for (const Rule& candidate : rules) {
        if (candidate.family != path.family) continue;
        if (!fits(candidate.pattern, path.rest, parameters)) continue;
        there = &candidate;
        if (candidate.method != wanted) continue;
        rule = there;
        break;
    }
    const bool all_ours = path.family == Family::outer;
    if (!there && !all_ours) return false; // Others have paths beside ours.
    if (wanted == Method::options) return preflight(ask, path.family), true;
    if (!there) return refuse(ask, Status::not_found, "Not found"), true;
    if (!rule) return refuse(ask, Status::method_not_allowed, "Method not allowed"), true;

    std::string respelled;
    ask.room_id = parameters[0];
    const bool wants_uuid = rule->event == EventId::uuid;
    bool (*const is_good)(std::string_view) = wants_uuid ? is_canonical_uuid : is_room_id;
    if (rule->event != EventId::none && !is_good(ask.room_id)) {
        respelled = canonical(ask.room_id, wants_uuid);
        ask.room_id = respelled;
        // A page of another system may look like ours.
        if (!is_good(ask.room_id) && rule->family == Family::page) return false;
        if (!is_good(ask.room_id))
            return refuse(ask, Status::bad_request, "Invalid event id"), true;
    }
    ask.action = parameters[1];
    dispatch(ask, *rule);
    return true;
}

// Nobody has this path, but it is in our part of them.
bool Urr::miss(Ask& ask) {
    constexpr std::string_view shared_prefix = "/api/v1/queue/"; // With system T, which says so.
    bool is_ours = ask.request.path.starts_with(shared_prefix) && !desk_.shared().tacos;
    for (const std::string_view prefix :
         {"/vwr/", "/api/queue/", "/api/admin/vwr/", "/api/v1/admin/vwr/"})
        is_ours = is_ours || ask.request.path.starts_with(prefix);
    if (is_ours) refuse(ask, Status::not_found, "Not found");
    return is_ours;
}

void Urr::dispatch(Ask& ask, const Rule& rule) {
    Caller caller;
    if (rule.who != Who::everybody) {
        caller = desk_.identify(ask);
        const bool known = !caller.user.empty() || (caller.is_admin && rule.who == Who::admin);
        if (!known) return refuse(ask, Status::unauthorized, "Authentication required");
        if (rule.who == Who::admin && !caller.is_admin)
            return refuse(ask, Status::forbidden, "Admin role required");
    }
    switch (rule.route) {
        case Route::assign: return assign(ask);
        case Route::outer_check: return outer_check(ask);
        case Route::outer_status: return outer_status(ask);
        case Route::check: return check(ask, caller);
        case Route::status: return status(ask, caller.user);
        case Route::heartbeat: return heartbeat(ask, caller.user);
        case Route::leave: return leave(ask, caller.user);
        case Route::admin_read: return admin_read(ask);
        case Route::admin_clear: return admin_clear(ask, caller);
        case Route::admin_threshold: return admin_threshold(ask, caller);
        case Route::activate: return switch_outer(ask, caller, true);
        case Route::deactivate: return switch_outer(ask, caller, false);
        case Route::admin_outer_status: return admin_outer_status(ask);
        case Route::advance: return advance(ask, caller);
        case Route::outer_page: return api::answer_page(desk_, ask, assets::vwr_page, page_seconds);
        case Route::inner_page:
            return api::answer_page(desk_, ask, assets::queue_page, page_seconds);
        case Route::inner_timer: return api::answer_timer(desk_, ask);
        case Route::health: return health(ask);
    }
}

net::Answer Urr::begin(Ask& ask, Status status) {
    return begin_json(desk_, ask, status);
}

net::Answer Urr::begin(Later& later, Status status) {
    return begin_json(desk_, later, status);
}

void Urr::write_error(net::Answer& answer, std::string_view error) {
    net::append(answer.body(), R"({"error":)");
    append_json_string(answer.body(), error);
    net::append(answer.body(), "}");
}

void Urr::refuse(Ask& ask, Status status, std::string_view error, std::int64_t retry_after) {
    net::Answer answer = begin(ask, status);
    if (retry_after > 0) answer.header("Retry-After", static_cast<std::uint64_t>(retry_after));
    if (status == Status::unauthorized) answer.header("WWW-Authenticate", "Bearer");
    if (status != Status::too_many_requests) return write_error(answer, error);
    net::append(answer.body(), R"({"error":)");
    append_json_string(answer.body(), error);
    fmt::format_to(fmt::appender(answer.body()), R"(,"retryAfter":{}}})", retry_after);
}

void Urr::refuse(Later& later, Status status, std::string_view error) {
    net::Answer answer = begin(later, status);
    if (status == Status::unavailable)
        answer.header("Retry-After", static_cast<std::uint64_t>(retry_seconds));
    write_error(answer, error);
}

// Tier 1 comes first: where to go is said in the same words as the gate says it.
void Urr::refuse_outer(Later& later, std::string_view error, std::string_view event) {
    net::Answer answer = begin(later, Status::forbidden);
    net::append(answer.body(), R"({"error":)");
    append_json_string(answer.body(), error);
    fmt::format_to(fmt::appender(answer.body()), R"(,"redirectTo":"/vwr/{}"}})", event);
}

void Urr::refuse(Later& later, Reason reason, std::string_view event) {
    switch (reason) {
        case Reason::outer_required:
            return refuse_outer(later, "Waiting room pass required", event);
        case Reason::outer_unknown:
        case Reason::outer_not_released:
            return refuse_outer(later, "Waiting room pass is not valid any more", event);
        case Reason::outer_taken:
            return refuse_outer(later, "Waiting room pass belongs to another user", event);
        case Reason::outer_inactive:
            return refuse(later, Status::not_found, "VWR is not active for this event");
        case Reason::room_full: return refuse(later, Status::unavailable, "Queue is full");
        case Reason::room_draining:
        case Reason::room_closed: return refuse(later, Status::unavailable, "Queue is closed");
        default:
            return refuse(later, Status::unavailable,
                          "Queue service temporarily unavailable. Please retry.");
    }
}

void Urr::unavailable(Ask& ask) {
    refuse(ask, Status::unavailable, "Queue service temporarily unavailable. Please retry.",
           retry_seconds);
}

std::shared_ptr<HostedRoom> Urr::make_room(Ask& ask, By by) {
    Service& service = desk_.service();
    if (!service.is_writable()) return unavailable(ask), nullptr;
    std::shared_ptr<HostedRoom> room =
        by == By::admin ? service.make_room(ask.room_id, service.options().defaults).room
                        : service.find_or_make(ask.room_id);
    if (room && !takes(room->profile(), "urr")) room = nullptr;
    if (!room) refuse(ask, Status::not_found, "Event not found");
    return room;
}

void Urr::preflight(Ask& ask, Family family) {
    net::Answer answer = desk_.begin(ask, Status::no_content);
    if (!desk_.allowed_origin(ask.request).empty()) {
        const bool outer = family == Family::outer;
        answer.header("Access-Control-Allow-Methods",
                      outer ? "GET, POST, OPTIONS" : "GET, POST, PUT, DELETE, PATCH, OPTIONS");
        answer.header("Access-Control-Allow-Headers",
                      outer ? "Content-Type" : "Authorization, Content-Type, x-queue-entry-token");
        answer.header("Access-Control-Max-Age", "3600");
    }
    answer.send();
}

void Urr::health(Ask& ask) {
    const bool well = desk_.service().is_writable();
    net::Answer answer = begin(ask, well ? Status::ok : Status::unavailable);
    net::append(
        answer.body(),
        well
            ? R"({"service":"queue-service","status":"ok","dependencies":{"redis":"ok"}})"
            : R"({"service":"queue-service","status":"degraded","dependencies":{"redis":"error"}})");
}

} // namespace anteroom::api::urr
