#include "dialects/urr/urr.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "desk/json_answer.h"
#include "desk/page.h"

namespace anteroom::urr {
namespace {

using net::Status;

constexpr std::int64_t retry_seconds = 5;
constexpr std::int64_t page_seconds = 300;
constexpr std::string_view try_again = "Queue service temporarily unavailable. Please retry.";

} // namespace

Urr::Urr(Desk& desk, const Options& options)
    : desk_(desk), options_(options), catalogue_(desk.loop(), options.catalogue) {}

void Urr::refuse_method(Call& call, std::string_view allowed) {
    net::Answer answer = begin_json(call, Status::method_not_allowed);
    answer.header("Allow", allowed);
    net::append(answer.body(), R"({"error":"Method not allowed"})");
}

void Urr::refuse_path(Call& call) {
    refuse(call, Status::not_found, "Not found");
}

void Urr::refuse(Call& call, Status status, std::string_view error, std::int64_t retry_after) {
    net::Answer answer = begin_json(call, status);
    if (retry_after > 0) answer.header("Retry-After", static_cast<std::uint64_t>(retry_after));
    if (status == Status::unauthorized) answer.header("WWW-Authenticate", "Bearer");
    net::append(answer.body(), R"({"error":)");
    append_json_string(answer.body(), error);
    if (status == Status::too_many_requests)
        fmt::format_to(fmt::appender(answer.body()), R"(,"retryAfter":{})", retry_after);
    net::append(answer.body(), "}");
}

// Tier 1 comes first: where to go is said in the same words as the gate says it.
void Urr::refuse_outer(Call& call, std::string_view error, std::string_view event) {
    net::Answer answer = begin_json(call, Status::forbidden);
    net::append(answer.body(), R"({"error":)");
    append_json_string(answer.body(), error);
    fmt::format_to(fmt::appender(answer.body()), R"(,"redirectTo":"/vwr/{}"}})", event);
}

void Urr::refuse(Call& call, Reason reason, std::string_view event) {
    switch (reason) {
        case Reason::outer_required: return refuse_outer(call, "Waiting room pass required", event);
        case Reason::outer_unknown:
        case Reason::outer_not_released:
            return refuse_outer(call, "Waiting room pass is not valid any more", event);
        case Reason::outer_taken:
            return refuse_outer(call, "Waiting room pass belongs to another user", event);
        case Reason::outer_inactive:
            return refuse(call, Status::not_found, "VWR is not active for this event");
        case Reason::room_full:
            return refuse(call, Status::unavailable, "Queue is full", retry_seconds);
        case Reason::room_draining:
        case Reason::room_closed:
            return refuse(call, Status::unavailable, "Queue is closed", retry_seconds);
        default: return unavailable(call);
    }
}

void Urr::unavailable(Call& call) {
    refuse(call, Status::unavailable, try_again, retry_seconds);
}

std::optional<HostedRoom*> Urr::find_room(Call& call) {
    const RoomSight found = desk_.visits().room_of(call.parameter(0));
    if (std::holds_alternative<NotHeard>(found)) return unavailable(call), std::nullopt;
    HostedRoom* const* room = std::get_if<HostedRoom*>(&found);
    return room ? *room : nullptr;
}

std::shared_ptr<HostedRoom> Urr::make_room(Call& call, By by) {
    Service& service = desk_.service();
    if (!service.is_writable()) return unavailable(call), nullptr;
    std::shared_ptr<HostedRoom> room =
        by == By::admin ? service.make_room(call.parameter(0), service.options().defaults).room
                        : service.find_or_make(call.parameter(0));
    if (room && !takes(room->profile(), "urr")) room = nullptr;
    if (!room) refuse(call, Status::not_found, "Event not found");
    return room;
}

void Urr::outer_page(Call& call) {
    answer_page(call, assets::vwr_page, page_seconds);
}

void Urr::inner_page(Call& call) {
    answer_page(call, assets::queue_page, page_seconds);
}

void Urr::inner_timer(Call& call) {
    answer_timer(call);
}

void Urr::health(Call& call) {
    const bool well = desk_.service().is_writable();
    net::Answer answer = begin_json(call, well ? Status::ok : Status::unavailable);
    net::append(
        answer.body(),
        well
            ? R"({"service":"queue-service","status":"ok","dependencies":{"redis":"ok"}})"
            : R"({"service":"queue-service","status":"degraded","dependencies":{"redis":"error"}})");
}

} // namespace anteroom::urr
