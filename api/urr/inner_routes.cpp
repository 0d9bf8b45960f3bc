// Tier 2: a place for a known user, where it is, and the entry pass when the turn has come.
#include <charconv>

#include "api/urr/urr.h"
#include "engine/poll.h"
#include "net/output.h"
#include "net/url.h"
#include "service/pulse_json.h"

namespace anteroom::api::urr {
namespace {

using net::compose;
using net::Status;

constexpr std::uint64_t rate_before_measured = 50; // Calls a second, and…
constexpr std::int64_t wait_before_measured_min = 5;

std::int64_t wait_seconds(const Room& room, const Standing& standing) {
    if (const std::optional<Wait> wait = room.wait(standing))
        return std::max<std::int64_t>(1, wait->p50_seconds);
    return std::max(static_cast<std::int64_t>((standing.ahead + 1) / rate_before_measured),
                    wait_before_measured_min);
}

std::int64_t next_poll(const Standing& standing) {
    return poll_after_seconds(PollPolicy::urr_inner,
                              is_in_line(standing.state) ? standing.ahead + 1 : 0);
}

std::string_view name_of(const Standing& standing) {
    if (is_in_line(standing.state)) return R"({"status":"queued","queued":true})";
    if (is_inside(standing.state)) return R"({"status":"active","queued":false})";
    return R"({"status":"not_in_queue","queued":false})";
}

constexpr std::string_view nowhere = R"({"status":"not_in_queue","queued":false})";

constexpr std::string_view gone = R"({"message":"Left queue"})";

} // namespace

Urr::Guest Urr::guest_of(const Ask& ask, std::string_view user) const {
    std::string_view outer = cookie(ask.request, outer_cookie);
    if (outer.empty()) outer = ask.request.single_header("x-vwr-token").value_or("");
    return {.user = user,
            .key = desk_.office().key_of(user),
            .secure = ask.request.secure,
            .outer_pass = outer};
}

// The number in the outer line that a verified outer pass proves.
std::optional<OuterPlace> Urr::outer_place(const Ask& ask, const HostedRoom& room,
                                           const Guest& guest, bool is_backend) {
    if (options_.trusts_vwr_position && is_backend) {
        const std::optional<net::Query> query = net::Query::parse(ask.request.query);
        const std::string* text = query ? query->find("vwrPosition") : nullptr;
        Number number = 0;
        if (text) std::from_chars(text->data(), text->data() + text->size(), number);
        if (number != 0)
            return OuterPlace{.generation = room.view().outer().generation(), .number = number};
    }
    if (guest.outer_pass.empty()) return std::nullopt;
    const token::PassVerdict verdict = desk_.office().verifier.verify(
        guest.outer_pass, ask.unix_now(), {.room = room.id(), .tier = token::Tier::outer});
    const auto* pass = std::get_if<token::VerifiedPass>(&verdict);
    if (!pass) return std::nullopt;
    return desk_.read_request_id(room, pass->request_id, ask.unix_now());
}

void Urr::check(Ask& ask, const Caller& caller) {
    const std::shared_ptr<HostedRoom> room = make_room(ask, By::user);
    if (!room) return;
    const Guest guest = guest_of(ask, caller.user);
    const std::optional<OuterPlace> outer = outer_place(ask, *room, guest, caller.is_backend);
    join(room, KeptGuest(guest), outer, desk_.defer(ask));
}

void Urr::join(const std::shared_ptr<HostedRoom>& room, const KeptGuest& guest,
               std::optional<OuterPlace> outer, Later later) {
    const Join command{
        .visitor = guest.key, .lane = lane_number(room->profile(), "").value_or(0), .outer = outer};
    desk_.service().submit(
        *room, command, &desk_.loop(),
        [this, room, guest, outer, later = std::move(later)](const Outcome& outcome) mutable {
            if (const auto* standing = std::get_if<Standing>(&outcome))
                return answer_check(room, guest, *standing, std::move(later));
            // While tier 1 is off, what is left of it is no reason to refuse anybody.
            if (outer && !room->view().outer().active())
                return join(room, guest, std::nullopt, std::move(later));
            refuse(later, std::get<Refused>(outcome).reason, room->id());
        },
        guest.user);
}

void Urr::answer_check(const std::shared_ptr<HostedRoom>& room, const KeptGuest& guest,
                       const Standing& standing, Later later) {
    catalogue_.ask(room->id(), [this, room, guest, standing,
                                later = std::move(later)](std::string_view info) mutable {
        net::Answer answer = begin(later, Status::ok);
        write_check(answer, *room, guest.view(), standing, info);
    });
}

// Who is inside gets the entry pass; who carried an outer number keeps a fresh outer pass, so that
// a long wait here does not send anybody back there.
Urr::Grants Urr::begin_grants(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                              const Standing& standing, Instant now) {
    Grants grants;
    grants.entry = desk_.issue_pass(room, standing, guest.user, now, options_.entry_pass_life);
    // Who has exchanged the pass keeps the session.
    if (grants.entry && !standing.redeemed)
        answer.header("Set-Cookie", set_cookie(entry_cookie, grants.entry->text, guest.secure,
                                               grants.entry->expires_in_seconds, SameSite::strict));
    const bool carries = is_live(standing.state) && standing.line % 2 == 0;
    const OuterLine& outer = room.view().outer();
    const std::optional<OuterPlace> place = carries ? outer.place_of(standing.order) : std::nullopt;
    const VisitorKey* key = place ? outer.visitor_of(place->number) : nullptr;
    if (!key) return grants;
    grants.outer = grant(room, *place, key_text(*key), now, Renewals::while_inside);
    if (grants.outer && grants.outer->pass == guest.outer_pass) grants.outer.reset();
    if (grants.outer)
        answer.header("Set-Cookie", set_cookie(outer_cookie, grants.outer->pass, guest.secure,
                                               grants.outer->expires_in_seconds, SameSite::strict));
    return grants;
}

void Urr::write_check(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                      const Standing& standing, std::string_view event_info) {
    const Room& view = room.view();
    const Instant now = desk_.service().clock().now();
    const bool queued = is_in_line(standing.state);
    const Grants grants = begin_grants(answer, room, guest, standing, now);
    net::Output& out = answer.body();
    // Who came in this moment does not count among those who were there.
    const std::uint64_t inside = view.inside();
    const std::uint64_t others = !queued && standing.is_new && inside > 0 ? inside - 1 : inside;
    if (queued)
        compose(out, R"({"queued":true,"status":"queued","position":)", standing.ahead + 1,
                R"(,"peopleAhead":)", standing.ahead, R"(,"peopleBehind":)", standing.behind,
                R"(,"estimatedWait":)", wait_seconds(view, standing), ",");
    else
        compose(out, R"({"queued":false,"status":"active",)");
    compose(out, R"("nextPoll":)", room.tell_to_ask_in(next_poll(standing), standing, now),
            R"(,"threshold":)", view.settings().capacity, R"(,"currentUsers":)", others,
            R"(,"eventInfo":)", event_info);
    write_grants(out, room, grants);
    compose(out, "}");
}

void Urr::write_grants(net::Output& out, const HostedRoom& room, const Grants& grants) {
    if (grants.outer) compose(out, R"(,"vwrToken":")", grants.outer->pass, R"(")");
    if (!grants.entry) return;
    compose(out, R"(,"entryToken":")", grants.entry->text, R"(")");
    if (room.profile().target.empty()) return;
    compose(out, R"(,"redirectTo":)");
    append_json_string(out, room.profile().target);
}

void Urr::write_status(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                       const Standing& standing) {
    const Room& view = room.view();
    const Instant now = desk_.service().clock().now();
    const Grants grants = begin_grants(answer, room, guest, standing, now);
    net::Output& out = answer.body();
    if (is_in_line(standing.state)) {
        compose(out, R"({"status":"queued","queued":true,"currentUsers":)", view.inside(),
                R"(,"position":)", standing.ahead + 1, R"(,"peopleAhead":)", standing.ahead,
                R"(,"peopleBehind":)", standing.behind, R"(,"estimatedWait":)",
                wait_seconds(view, standing), R"(,"nextPoll":)",
                room.tell_to_ask_in(next_poll(standing), standing, now), R"(,"queueSize":)",
                view.waiting());
    } else if (is_inside(standing.state)) {
        compose(out, R"({"status":"active","queued":false,"currentUsers":)", view.inside(),
                R"(,"nextPoll":)", next_poll(standing), R"(,"message":"Entry allowed")");
    } else {
        return write_nowhere(answer, &room);
    }
    write_grants(out, room, grants);
    compose(out, "}");
}

void Urr::write_nowhere(net::Answer& answer, const HostedRoom* room) {
    compose(answer.body(), R"({"status":"not_in_queue","queued":false,"currentUsers":)",
            room ? room->view().inside() : 0, R"(,"nextPoll":3,"message":"Not in queue"})");
}

void Urr::status(Ask& ask, std::string_view user) {
    HostedRoom* found = desk_.service().rooms().find(ask.room_id);
    const Guest guest = guest_of(ask, user);
    const Number number = found ? found->view().find(guest.key) : 0;
    // Who is not in an old copy may have come since.
    const Millis age_max = number == 0 ? limits::age_untold : limits::age_max;
    if (found && found->age(ask.now) > age_max) return unavailable(ask);
    if (number == 0) {
        net::Answer answer = begin(ask, Status::ok);
        return write_nowhere(answer, found);
    }
    found->counters().note_poll();
    if (found->touch(number, ask.now)) {
        const Standing standing = found->view().standing(number);
        if (found->may_tell(standing)) {
            net::Answer answer = begin(ask, Status::ok);
            return write_status(answer, *found, guest, standing);
        }
    }
    // Called, back from leaving, or over, a moment ago: said when it is on the disk.
    const std::shared_ptr<HostedRoom> room = found->shared_from_this();
    desk_.service().submit(*room, Touch{number}, &desk_.loop(),
                           [this, room, guest = KeptGuest(guest), number,
                            later = desk_.defer(ask)](const Outcome& outcome) mutable {
                               const auto* refused = std::get_if<Refused>(&outcome);
                               const Standing before = room->view().standing(number);
                               // Nothing can be written now; what was written before is still true.
                               const bool is_known =
                                   before.state != VisitorState::unknown && room->may_tell(before);
                               if (refused && refused->reason == Reason::unavailable && !is_known)
                                   return refuse(later, refused->reason, room->id());
                               net::Answer answer = begin(later, Status::ok);
                               write_status(answer, *room, guest.view(),
                                            refused ? before : std::get<Standing>(outcome));
                           });
}

void Urr::heartbeat(Ask& ask, std::string_view user) {
    HostedRoom* found = desk_.service().rooms().find(ask.room_id);
    const Number number = found ? found->view().find(desk_.office().key_of(user)) : 0;
    if (found && found->age(ask.now) > limits::age_untold) return unavailable(ask);
    if (number == 0) return compose(begin(ask, Status::ok).body(), nowhere);
    if (found->touch(number, ask.now)) {
        const Standing standing = found->view().standing(number);
        if (found->may_tell(standing))
            return compose(begin(ask, Status::ok).body(), name_of(standing));
    }
    const std::shared_ptr<HostedRoom> room = found->shared_from_this();
    desk_.service().submit(*room, Touch{number}, &desk_.loop(),
                           [this, room, later = desk_.defer(ask)](const Outcome& outcome) mutable {
                               const auto* refused = std::get_if<Refused>(&outcome);
                               if (refused && refused->reason == Reason::unavailable)
                                   return refuse(later, refused->reason, room->id());
                               compose(begin(later, Status::ok).body(),
                                       refused ? nowhere : name_of(std::get<Standing>(outcome)));
                           });
}

void Urr::leave(Ask& ask, std::string_view user) {
    HostedRoom* found = desk_.service().rooms().find(ask.room_id);
    const Number number = found ? found->view().find(desk_.office().key_of(user)) : 0;
    if (found && found->age(ask.now) > limits::age_untold) return unavailable(ask);
    if (number == 0) return compose(begin(ask, Status::ok).body(), gone);
    const std::shared_ptr<HostedRoom> room = found->shared_from_this();
    desk_.service().submit(*room, Leave{number}, &desk_.loop(),
                           [this, room, later = desk_.defer(ask)](const Outcome& outcome) mutable {
                               const auto* refused = std::get_if<Refused>(&outcome);
                               if (refused && refused->reason == Reason::unavailable)
                                   return refuse(later, refused->reason, room->id());
                               compose(begin(later, Status::ok).body(), gone);
                           });
}

} // namespace anteroom::api::urr
