// Tier 2: a place for a known user, where it is, and the entry pass when the turn has come.
#include <charconv>

#include "base/json_text.h"
#include "desk/json_answer.h"
#include "desk/submitted.h"
#include "dialects/urr/poll.h"
#include "dialects/urr/urr.h"
#include "net/output.h"
#include "net/url.h"

namespace anteroom::urr {
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
    return inner_poll_seconds(is_in_line(standing.state) ? standing.ahead + 1 : 0);
}

constexpr std::string_view nowhere = R"({"status":"not_in_queue","queued":false})";
constexpr std::string_view gone = R"({"message":"Left queue"})";

std::string_view name_of(const Standing& standing) {
    if (is_in_line(standing.state)) return R"({"status":"queued","queued":true})";
    if (is_inside(standing.state)) return R"({"status":"active","queued":false})";
    return nowhere;
}

void write_nowhere(net::Answer& answer, const HostedRoom* room) {
    compose(answer.body(), R"({"status":"not_in_queue","queued":false,"currentUsers":)",
            room ? room->view().inside() : 0, R"(,"nextPoll":3,"message":"Not in queue"})");
}

} // namespace

Urr::Guest Urr::guest_of(Call& call) const {
    const net::Request& request = call.request();
    const std::string& user = call.caller().user;
    std::string_view outer = cookie(request, outer_cookie);
    if (outer.empty()) outer = request.single_header("x-vwr-token").value_or("");
    return {.user = KeptText(user),
            .key = desk_.office().key_of(user),
            .secure = request.secure,
            .outer_pass = KeptText(outer)};
}

// The number in the outer line that a verified outer pass proves.
std::optional<OuterPlace> Urr::outer_place(Call& call, const HostedRoom& room, const Guest& guest) {
    if (options_.trusts_vwr_position && call.caller().is_backend) {
        const std::optional<net::Query> query = net::Query::parse(call.request().query);
        const std::string* text = query ? query->find("vwrPosition") : nullptr;
        Number number = 0;
        if (text) std::from_chars(text->data(), text->data() + text->size(), number);
        if (number != 0)
            return OuterPlace{.generation = room.view().outer().generation(), .number = number};
    }
    const std::string_view shown = guest.outer_pass.view();
    if (shown.empty()) return std::nullopt;
    const token::PassVerdict verdict = desk_.office().verifier.verify(
        shown, call.unix_now(), {.room = room.id(), .tier = token::Tier::outer});
    const auto* pass = std::get_if<token::VerifiedPass>(&verdict);
    if (!pass) return std::nullopt;
    return desk_.read_request_id(room, pass->request_id, call.unix_now());
}

void Urr::check(Call& call) {
    std::shared_ptr<HostedRoom> room = make_room(call, By::user);
    if (!room) return;
    Guest guest = guest_of(call);
    const std::optional<OuterPlace> outer = outer_place(call, *room, guest);
    guest.keep();
    call.defer();
    net::spawn(desk_.loop(), join(std::move(call), std::move(room), std::move(guest), outer));
}

net::Task<void> Urr::join(Call call, std::shared_ptr<HostedRoom> room, Guest guest,
                          std::optional<OuterPlace> outer) {
    const std::uint8_t lane = lane_number(room->profile(), "").value_or(0);
    const Command with_outer = Join{.visitor = guest.key, .lane = lane, .outer = outer};
    Outcome outcome = co_await submitted(desk_, *room, with_outer, guest.user.view());
    // While tier 1 is off, a number that the room refuses is no reason to refuse the user.
    const bool is_refused = std::holds_alternative<Refused>(outcome);
    if (is_refused && outer && !room->view().outer().active()) {
        const Command alone = Join{.visitor = guest.key, .lane = lane};
        outcome = co_await submitted(desk_, *room, alone, guest.user.view());
    }
    const auto* standing = std::get_if<Standing>(&outcome);
    if (!standing) {
        refuse(call, std::get<Refused>(outcome).reason, room->id());
        co_return;
    }
    const std::string_view event = room->id();
    const std::string info = co_await catalogue_.info(event);
    net::Answer answer = begin_json(call, Status::ok);
    write_check(answer, *room, guest, *standing, info);
}

// A user inside gets the entry pass. A user who came with an outer number keeps a fresh outer pass,
// so that a long wait in tier 2 does not send the user back to tier 1.
Urr::Grants Urr::begin_grants(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                              const Standing& standing, Instant now) {
    Grants grants;
    grants.entry =
        desk_.issue_pass(room, standing, guest.user.view(), now, options_.entry_pass_life);
    // After the pass was exchanged for a session, the cookie is not set again.
    if (grants.entry && !standing.redeemed)
        answer.header("Set-Cookie", set_cookie(entry_cookie, grants.entry->text, guest.secure,
                                               grants.entry->expires_in_seconds, SameSite::strict));
    const bool carries = is_live(standing.state) && standing.line % 2 == 0;
    const OuterLine& outer = room.view().outer();
    const std::optional<OuterPlace> place = carries ? outer.place_of(standing.order) : std::nullopt;
    const VisitorKey* key = place ? outer.visitor_of(place->number) : nullptr;
    if (!key) return grants;
    grants.outer = grant(room, *place, key_text(*key), now, Renewals::while_inside);
    if (grants.outer && grants.outer->pass == guest.outer_pass.view()) grants.outer.reset();
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
    // `currentUsers` does not count the user who came in with this very call.
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

// A sight as GET …/status says it, now or later.
class Urr::StatusAnswer {
  public:
    StatusAnswer(Urr& urr, const HostedRoom& room, Guest guest)
        : urr_(urr), room_(room), guest_(std::move(guest)) {}

    void keep() { guest_.keep(); }
    void operator()(Call& call, const Sight& sight) const {
        if (std::holds_alternative<NotHeard>(sight)) return unavailable(call);
        net::Answer answer = begin_json(call, Status::ok);
        const auto* stands = std::get_if<Stands>(&sight);
        if (!stands) return write_nowhere(answer, &room_);
        urr_.write_status(answer, room_, guest_, stands->standing);
    }

  private:
    Urr& urr_;
    const HostedRoom& room_;
    Guest guest_;
};

void Urr::status(Call& call) {
    const std::optional<HostedRoom*> room = find_room(call);
    if (!room) return;
    if (!*room) {
        net::Answer answer = begin_json(call, Status::ok);
        return write_nowhere(answer, nullptr);
    }
    Guest guest = guest_of(call);
    const VisitPlace place{.room = *room, .holder = guest.key};
    desk_.stand(call, place, StatusAnswer(*this, **room, std::move(guest)));
}

void Urr::heartbeat(Call& call) {
    const std::optional<HostedRoom*> room = find_room(call);
    if (!room) return;
    if (!*room) return compose(begin_json(call, Status::ok).body(), nowhere);
    const VisitPlace place{.room = *room, .holder = desk_.office().key_of(call.caller().user)};
    desk_.stand(call, place, [](Call& asked, const Sight& sight) {
        if (std::holds_alternative<NotHeard>(sight)) return unavailable(asked);
        const auto* stands = std::get_if<Stands>(&sight);
        compose(begin_json(asked, Status::ok).body(), stands ? name_of(stands->standing) : nowhere);
    });
}

void Urr::leave(Call& call) {
    const std::optional<HostedRoom*> room = find_room(call);
    if (!room) return;
    if (!*room) return compose(begin_json(call, Status::ok).body(), gone);
    const VisitPlace place{.room = *room, .holder = desk_.office().key_of(call.caller().user)};
    const Sight sight = desk_.visits().glance(place, call.now());
    if (std::holds_alternative<NotHeard>(sight)) return unavailable(call);
    const auto* stands = std::get_if<Stands>(&sight);
    if (!stands) return compose(begin_json(call, Status::ok).body(), gone);
    desk_.submit(call, **room, Leave{stands->standing.number},
                 [](Call& asked, const Outcome& outcome) {
                     const auto* refused = std::get_if<Refused>(&outcome);
                     if (refused && refused->reason == Reason::unavailable)
                         return unavailable(asked);
                     compose(begin_json(asked, Status::ok).body(), gone);
                 });
}

} // namespace anteroom::urr
