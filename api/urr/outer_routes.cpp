// Tier 1: a number, where it stands, and the pass when its turn has come.
#include <boost/json.hpp>

#include "api/urr/urr.h"
#include "engine/poll.h"
#include "net/output.h"
#include "net/url.h"

namespace anteroom::api::urr {
namespace {

using net::compose;
using net::Status;

constexpr std::size_t user_id_max = 256;

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

// A browser of any origin that is allowed may read tier 1; who names none gets the first.
Later Urr::defer_outer(Ask& ask) {
    Later later = desk_.defer(ask);
    const std::vector<std::string>& origins = desk_.shared().cors_origins;
    if (!ask.request.header("origin") && !origins.empty()) later.origin = origins[0];
    return later;
}

net::Answer Urr::begin_outer(Ask& ask, Status status) {
    net::Answer answer = begin(ask, status);
    const std::vector<std::string>& origins = desk_.shared().cors_origins;
    if (origins.empty()) return answer;
    if (!ask.request.header("origin")) answer.header("Access-Control-Allow-Origin", origins[0]);
    answer.headers(
        "Access-Control-Allow-Methods: GET, POST, OPTIONS\r\n"
        "Access-Control-Allow-Headers: Content-Type\r\n");
    return answer;
}

// Users and made-up names live apart: nobody becomes a user by naming one.
token::VisitorId Urr::guest_id(Known known, std::string_view name) const {
    const std::string_view realm = known == Known::user ? "~urr-user:" : "~urr-guest:";
    return {desk_.office().visitors.key_of(std::string(realm) + std::string(name))};
}

// Who takes a number: whom our cookie names, else the user, else who the page says it is, else
// somebody new. Whatever it was, from then on the cookie says it: another made-up name in the same
// browser gives no second number.
std::optional<Visitor> Urr::name_guest(const Ask& ask, const Caller& caller,
                                       std::string_view given) {
    if (const std::optional<token::VisitorId> known = desk_.cookie_visitor(ask))
        return desk_.anonymous(ask, *known);
    if (!caller.user.empty()) return desk_.anonymous(ask, guest_id(Known::user, caller.user));
    if (given.empty()) return desk_.name_visitor(ask, {});
    return desk_.anonymous(ask, guest_id(Known::guest, given));
}

std::string Urr::uid_of(const Ask& ask, const VisitorKey& key) {
    const auto is_holder = [&](Known known, std::string_view name) {
        return desk_.anonymous(ask, guest_id(known, name)).key == key;
    };
    const std::optional<net::Query> query = net::Query::parse(ask.request.query);
    const std::string* given = query ? query->find("userId") : nullptr;
    if (given && given->size() <= user_id_max && is_holder(Known::guest, *given)) return *given;
    const Caller caller = desk_.identify(ask);
    if (!caller.user.empty() && is_holder(Known::user, caller.user)) return caller.user;
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

void Urr::assign(Ask& ask) {
    const AssignBody body = read_body(ask.request.body);
    if (!body.good) return refuse(ask, Status::bad_request, "Invalid request body");
    HostedRoom* found = desk_.service().rooms().find(ask.room_id);
    if (!found || !found->view().outer().active())
        return refuse(ask, Status::not_found, "VWR is not active for this event");
    const Caller caller = desk_.identify(ask);
    const std::optional<Visitor> visitor = name_guest(ask, caller, body.user_id);
    if (!visitor) return unavailable(ask);
    const bool is_known = found->view().outer().find(visitor->key) != 0;
    if (!is_known && !caller.is_backend)
        if (const std::int64_t wait = desk_.join_wait(ask); wait > 0)
            return refuse(ask, Status::too_many_requests, "Rate limit exceeded", wait);
    if (!desk_.service().is_writable()) return unavailable(ask);
    const std::shared_ptr<HostedRoom> room = found->shared_from_this();
    desk_.service().submit(
        *room, TakeNumber{visitor->key}, &desk_.loop(),
        [this, room, cookie = visitor->cookie,
         later = defer_outer(ask)](const Outcome& outcome) mutable {
            const auto* standing = std::get_if<OuterStanding>(&outcome);
            if (!standing) return refuse(later, std::get<Refused>(outcome).reason, room->id());
            const OuterPlace place{.generation = standing->generation, .number = standing->number};
            const std::uint64_t ahead =
                place.number > standing->serving ? place.number - standing->serving : 0;
            net::Answer answer = begin(later, Status::ok);
            if (!cookie.empty()) answer.header("Set-Cookie", cookie);
            compose(answer.body(), R"({"requestId":")", desk_.request_id_of(*room, place),
                    R"(","position":)", place.number, R"(,"estimatedWait":)",
                    wait_seconds(room->view().settings(), ahead), R"(,"servingCounter":)",
                    standing->serving, "}");
        });
}

// The pass leaves when the release is on the disk.
void Urr::release(Ask& ask, const std::shared_ptr<HostedRoom>& room, const OuterPlace& place) {
    const VisitorKey* key = room->view().outer().visitor_of(place.number);
    const std::string uid = key ? uid_of(ask, *key) : std::string();
    auto answer = [this, room, place, uid, secure = ask.request.secure,
                   later = defer_outer(ask)](const Outcome&) mutable {
        const Instant now = desk_.service().clock().now();
        const std::optional<OuterStanding> standing = room->view().outer().standing(place);
        const std::optional<OuterGrant> granted =
            standing && standing->released ? grant(*room, place, uid, now, Renewals::bounded)
                                           : std::nullopt;
        if (!granted)
            return refuse(later, Status::not_found, "Position not found. Request a new position.");
        net::Answer out = begin(later, Status::ok);
        out.header("Set-Cookie", set_cookie(outer_cookie, granted->pass, secure,
                                            granted->expires_in_seconds, SameSite::strict));
        if (!room->view().outer().active())
            return compose(out.body(), R"({"admitted":true,"token":")", granted->pass,
                           R"(","position":)", place.number, R"(,"servingCounter":)",
                           standing->serving, "}");
        compose(out.body(), R"({"admitted":true,"position":)", place.number,
                R"(,"servingCounter":)", standing->serving, R"(,"totalInQueue":)", standing->issued,
                R"(,"ahead":0,"token":")", granted->pass, R"("})");
    };
    if (!room->outer_is_settled())
        desk_.service().submit(*room, Tick{}, &desk_.loop(), std::move(answer));
    else
        answer(Done{});
}

void Urr::outer_check(Ask& ask) {
    HostedRoom* room = desk_.service().rooms().find(ask.room_id);
    const std::optional<OuterPlace> place =
        room ? desk_.read_request_id(*room, ask.action, ask.unix_now()) : std::nullopt;
    const std::optional<OuterStanding> standing =
        place ? room->view().outer().standing(*place) : std::nullopt;
    if (!standing)
        return refuse(ask, Status::not_found, "Position not found. Request a new position.");
    if (standing->released) return release(ask, room->shared_from_this(), *place);
    const std::uint64_t ahead = place->number - standing->serving;
    net::Answer answer = begin_outer(ask, Status::ok);
    compose(answer.body(), R"({"admitted":false,"position":)", place->number,
            R"(,"servingCounter":)", standing->serving, R"(,"totalInQueue":)", standing->issued,
            R"(,"ahead":)", ahead, R"(,"estimatedWait":)",
            wait_seconds(room->view().settings(), ahead), R"(,"nextPoll":)",
            poll_after_seconds(PollPolicy::urr_outer, ahead), "}");
}

void Urr::outer_status(Ask& ask) {
    const HostedRoom* room = desk_.service().rooms().find(ask.room_id);
    const OuterLine::Counters now = room ? room->view().outer().counters() : OuterLine::Counters{};
    if (now.generation == 0) return refuse(ask, Status::not_found, "VWR not found for this event");
    net::Answer answer = begin_outer(ask, Status::ok);
    compose(answer.body(), R"({"eventId":")", room->id(), R"(","isActive":)",
            std::string_view(now.active ? "true" : "false"), R"(,"totalInQueue":)", now.issued,
            R"(,"serving":)", now.serving, R"(,"waitingCount":)", now.issued - now.serving, "}");
}

} // namespace anteroom::api::urr
