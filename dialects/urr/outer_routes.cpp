// Tier 1: a number, where it stands, and the pass when its turn has come.
#include <boost/json.hpp>

#include "desk/json_answer.h"
#include "dialects/urr/poll.h"
#include "dialects/urr/urr.h"
#include "net/output.h"
#include "net/url.h"

namespace anteroom::urr {
namespace {

using net::compose;
using net::Status;

constexpr std::size_t user_id_max = 256;
constexpr std::string_view unknown_position = "Position not found. Request a new position.";

struct AssignBody {
    std::string user_id; // Empty: none was given.
    bool good = true;
};

AssignBody read_body(std::string_view text) {
    if (text.empty()) return {};
    boost::json::error_code error;
    const boost::json::value body = boost::json::parse(text, error);
    if (error || !body.is_object()) return {.user_id = {}, .good = false};
    const boost::json::value* id = body.as_object().if_contains("userId");
    if (!id || id->is_null()) return {};
    if (!id->is_string() || id->as_string().size() > user_id_max)
        return {.user_id = {}, .good = false};
    std::string user(id->as_string());
    if (user == "anonymous") user.clear(); // The original's word for nobody.
    return {.user_id = std::move(user)};
}

// As long as the line is released at the pace that is set.
std::int64_t wait_seconds(const Settings& settings, std::uint64_t ahead) {
    const auto batch = static_cast<std::uint64_t>(settings.outer_batch) * 1'000;
    const auto interval = static_cast<std::uint64_t>(settings.outer_interval.count);
    return static_cast<std::int64_t>((ahead * interval + batch - 1) / batch);
}

} // namespace

// A browser of any origin that is allowed may read tier 1; a request without an Origin gets the
// first. Before the call is deferred.
void Urr::answer_outer_to_all(Call& call) {
    const std::vector<std::string>& origins = desk_.shared().cors_origins;
    if (!call.request().header("origin") && !origins.empty()) call.set_origin(origins[0]);
}

// REQUIRES: the call is not deferred.
net::Answer Urr::begin_outer(Call& call, Status status) {
    net::Answer answer = begin_json(call, status);
    const std::vector<std::string>& origins = desk_.shared().cors_origins;
    if (origins.empty()) return answer;
    if (!call.request().header("origin")) answer.header("Access-Control-Allow-Origin", origins[0]);
    answer.headers(
        "Access-Control-Allow-Methods: GET, POST, OPTIONS\r\n"
        "Access-Control-Allow-Headers: Content-Type\r\n");
    return answer;
}

// Users and made-up names have realms of their own: a page that names a user does not become it.
token::VisitorId Urr::guest_id(Known known, std::string_view name) const {
    const std::string_view realm = known == Known::user ? "~urr-user:" : "~urr-guest:";
    return {desk_.office().visitors.key_of(std::string(realm) + std::string(name))};
}

// The visitor who takes a number: the one that the cookie names, else the user, else the one that
// the page names, else a new one. From then on the cookie names that visitor: another made-up name
// in the same browser gives no second number.
std::optional<Visitor> Urr::name_guest(Call& call, std::string_view given) {
    if (const std::optional<token::VisitorId> known = desk_.cookie_visitor(call))
        return desk_.anonymous(call, *known);
    const std::string& user = call.caller().user;
    if (!user.empty()) return desk_.anonymous(call, guest_id(Known::user, user));
    if (given.empty()) return desk_.name_visitor(call, {});
    return desk_.anonymous(call, guest_id(Known::guest, given));
}

std::string Urr::uid_of(Call& call, const VisitorKey& key) {
    const auto is_holder = [&](Known known, std::string_view name) {
        return desk_.anonymous(call, guest_id(known, name)).key == key;
    };
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    const std::string* given = query ? query->find("userId") : nullptr;
    if (given && given->size() <= user_id_max && is_holder(Known::guest, *given)) return *given;
    const std::string& user = call.caller().user;
    if (!user.empty() && is_holder(Known::user, user)) return user;
    return key_text(key);
}

std::optional<Urr::OuterGrant> Urr::grant(const HostedRoom& room, const OuterPlace& place,
                                          std::string_view uid, Instant now, Renewals renewals) {
    const Instant first = room.view().outer().first_pass(place.number, now);
    const std::optional<Instant> issued = issue_time(first, now, renewals);
    if (!issued) return std::nullopt;
    const std::string request_id = desk_.request_id_of(room, place);
    Result<std::string> pass = desk_.office().passes.issue(
        token::OuterPass{.room = room.id(),
                         .visitor = uid,
                         .position = static_cast<std::uint32_t>(place.number),
                         .request_id = request_id},
        token::UnixSeconds{unix_seconds(*issued)}, outer_pass_life);
    if (!pass) return std::nullopt;
    const std::int64_t left =
        unix_seconds(*issued) + outer_pass_life.count / 1'000 - unix_seconds(now);
    return OuterGrant{.pass = *std::move(pass), .expires_in_seconds = left};
}

void Urr::assign(Call& call) {
    const AssignBody body = read_body(call.request().body);
    if (!body.good) return refuse(call, Status::bad_request, "Invalid request body");
    const std::optional<HostedRoom*> found = find_room(call);
    if (!found) return;
    HostedRoom* const room = *found;
    // Of an old copy the writer says whether tier 1 is still off.
    const bool is_off =
        !room || (!room->view().outer().active() && room->age(call.now()) <= limits::age_untold);
    if (is_off) return refuse(call, Status::not_found, "VWR is not active for this event");
    const std::optional<Visitor> visitor = name_guest(call, body.user_id);
    if (!visitor) return unavailable(call);
    const bool is_known = room->view().outer().find(visitor->key) != 0;
    if (!is_known && !call.caller().is_backend)
        if (const std::int64_t wait = desk_.join_wait(call); wait > 0)
            return refuse(call, Status::too_many_requests, "Rate limit exceeded", wait);
    if (!desk_.service().is_writable()) return unavailable(call);
    answer_outer_to_all(call);
    desk_.submit(call, *room, TakeNumber{visitor->key},
                 [this, room, cookie = visitor->cookie](Call& asked, const Outcome& outcome) {
                     const auto* standing = std::get_if<OuterStanding>(&outcome);
                     if (!standing)
                         return refuse(asked, std::get<Refused>(outcome).reason, room->id());
                     const OuterPlace place{.generation = standing->generation,
                                            .number = standing->number};
                     const std::uint64_t ahead =
                         place.number > standing->serving ? place.number - standing->serving : 0;
                     net::Answer answer = begin_json(asked, Status::ok);
                     if (!cookie.empty()) answer.header("Set-Cookie", cookie);
                     compose(answer.body(), R"({"requestId":")", desk_.request_id_of(*room, place),
                             R"(","position":)", place.number, R"(,"estimatedWait":)",
                             wait_seconds(room->view().settings(), ahead), R"(,"servingCounter":)",
                             standing->serving, "}");
                 });
}

// The pass leaves when the release is durable: a Tick comes back after all that was written before.
void Urr::release(Call& call, HostedRoom& room, const OuterPlace& place) {
    const VisitorKey* key = room.view().outer().visitor_of(place.number);
    const std::string uid = key ? uid_of(call, *key) : std::string();
    const bool secure = call.request().secure;
    answer_outer_to_all(call);
    if (room.outer_is_settled()) return answer_release(call, room, place, uid, secure);
    desk_.submit(call, room, Tick{},
                 [this, &room, place, uid, secure](Call& asked, const Outcome& outcome) {
                     const auto* refused = std::get_if<Refused>(&outcome);
                     if (refused && refused->reason == Reason::unavailable)
                         return unavailable(asked);
                     answer_release(asked, room, place, uid, secure);
                 });
}

void Urr::answer_release(Call& call, const HostedRoom& room, const OuterPlace& place,
                         std::string_view uid, bool secure) {
    const Instant now = desk_.service().clock().now();
    const OuterLine& outer = room.view().outer();
    const std::optional<OuterStanding> standing = outer.standing(place);
    std::optional<OuterGrant> granted;
    if (standing && standing->released) granted = grant(room, place, uid, now, Renewals::bounded);
    if (!granted) return refuse(call, Status::not_found, unknown_position);
    net::Answer answer = begin_json(call, Status::ok);
    answer.header("Set-Cookie", set_cookie(outer_cookie, granted->pass, secure,
                                           granted->expires_in_seconds, SameSite::strict));
    if (!outer.active())
        return compose(answer.body(), R"({"admitted":true,"token":")", granted->pass,
                       R"(","position":)", place.number, R"(,"servingCounter":)", standing->serving,
                       "}");
    compose(answer.body(), R"({"admitted":true,"position":)", place.number, R"(,"servingCounter":)",
            standing->serving, R"(,"totalInQueue":)", standing->issued, R"(,"ahead":0,"token":")",
            granted->pass, R"("})");
}

void Urr::outer_check(Call& call) {
    const std::optional<HostedRoom*> found = find_room(call);
    if (!found) return;
    HostedRoom* const room = *found;
    std::optional<OuterPlace> place;
    if (room) place = desk_.read_request_id(*room, call.parameter(1), call.unix_now());
    std::optional<OuterStanding> standing;
    if (place) standing = room->view().outer().standing(*place);
    // The number may have been given since the copy was made.
    const Millis age_max = standing ? limits::age_max : limits::age_untold;
    if (room && room->age(call.now()) > age_max) return unavailable(call);
    if (!standing) return refuse(call, Status::not_found, unknown_position);
    if (standing->released) return release(call, *room, *place);
    const std::uint64_t ahead = place->number - standing->serving;
    net::Answer answer = begin_outer(call, Status::ok);
    compose(answer.body(), R"({"admitted":false,"position":)", place->number,
            R"(,"servingCounter":)", standing->serving, R"(,"totalInQueue":)", standing->issued,
            R"(,"ahead":)", ahead, R"(,"estimatedWait":)",
            wait_seconds(room->view().settings(), ahead), R"(,"nextPoll":)",
            outer_poll_seconds(ahead), "}");
}

void Urr::outer_status(Call& call) {
    const std::optional<HostedRoom*> found = find_room(call);
    if (!found) return;
    const HostedRoom* const room = *found;
    const OuterLine::Counters now = room ? room->view().outer().counters() : OuterLine::Counters{};
    const bool is_known = now.generation != 0;
    const Millis age_max = is_known ? limits::age_max : limits::age_untold;
    if (room && room->age(call.now()) > age_max) return unavailable(call);
    if (!is_known) return refuse(call, Status::not_found, "VWR not found for this event");
    net::Answer answer = begin_outer(call, Status::ok);
    compose(answer.body(), R"({"eventId":")", room->id(), R"(","isActive":)",
            std::string_view(now.active ? "true" : "false"), R"(,"totalInQueue":)", now.issued,
            R"(,"serving":)", now.serving, R"(,"waitingCount":)", now.issued - now.serving, "}");
}

} // namespace anteroom::urr
