// Who is ready goes in. Where many are, each waits for a moment of the bucket; nobody for so long
// that it would cost the turn.
#include <algorithm>

#include "api/tacos/body.h"
#include "api/tacos/tacos.h"
#include "net/output.h"

namespace anteroom::api::tacos {
namespace {

using net::compose;
using net::Status;

constexpr Millis hold_max = seconds(5);

// At most half of the time in which the turn lasts.
Instant deadline_of(const Standing& standing, Instant now) {
    const Millis half{std::max<std::int64_t>(0, (standing.until - now).count / 2)};
    return now + std::min(hold_max, half);
}

std::pair<std::uint32_t, Number> key_of(const auto& entering) {
    return {entering.room->index(), entering.place.number};
}

// When the claim came about: the grant runs from then on.
Instant claimed_at(const Room& view, const Standing& standing) {
    return standing.until - std::min(view.settings().lease, view.settings().lease_max);
}

} // namespace

void Tacos::enter(const Ask& ask, Call call) {
    const std::optional<Body> body = read_body(ask.request.body);
    if (!body) return refuse(call, errors::invalid_request);
    if (body->waiting_token.empty()) return refuse(call, errors::missing_body_token);
    const std::optional<Found> found = find(ask, body->waiting_token, TokenUse::waiting);
    if (!found) return refuse(call, errors::token_not_found);
    if (!found->room || found->room->age(ask.now) > limits::age_max)
        return refuse(call, errors::validation_failed);
    found->room->touch(found->place.number, ask.now);
    // Where the room is written this is how it stands. Without a command: nobody who is called
    // meanwhile goes past the bucket.
    const VisitorState state = found->room->view().standing(found->place.number).state;
    if (state == VisitorState::waiting && found->room->age(ask.now) == Millis{0})
        return refuse(call, errors::not_ready);
    Entering one{.call = std::move(call),
                 .room = found->room->shared_from_this(),
                 .place = found->place,
                 .alarm = {}};
    if (const auto other = held_.find(key_of(one)); other != held_.end()) {
        if (++other->second.others > HeldVisitor::others_max)
            return refuse(one.call, errors::duplicate_request);
        return wait_for_other(std::move(one));
    }
    let_in(std::move(one));
}

// At once or after being held. Only who is ready uses the bucket; who is in already, or has lost
// the turn meanwhile, hears so from the room.
void Tacos::let_in(Entering one) {
    const Instant now = service().clock().now();
    if (one.has_waited) {
        held_.erase(key_of(one));
        // The copy may have been made anew meanwhile.
        HostedRoom* shown = service().rooms().at(one.room->index());
        if (shown && shown->id() == one.room->id()) one.room = shown->shared_from_this();
    }
    const Standing standing = one.room->view().standing(one.place.number);
    if (standing.state != VisitorState::called) {
        if (one.has_waited) shared_.bucket.give_up(one.room->index());
        return claim(std::move(one), false, instant_max);
    }
    const bool may_hold = entering_.size() < Entering::calls_max;
    if (!one.has_waited) one.deadline = may_hold ? deadline_of(standing, now) : now;
    const LeakyBucket::Turn turn =
        shared_.bucket.take({.room = one.room->index(),
                             .rate_milli = one.room->view().settings().rate_milli,
                             .now = now,
                             .deadline = one.deadline,
                             .has_waited = one.has_waited});
    if (turn.has_come) return claim(std::move(one), true, turn.at);
    hold(std::move(one), turn.at);
}

void Tacos::hold(Entering one, Instant until) {
    one.has_waited = true;
    held_.insert_or_assign(key_of(one), HeldVisitor{.until = until});
    keep_until(until, std::move(one), &Tacos::let_in);
}

// Until the other call has come in, or has not.
void Tacos::wait_for_other(Entering one) {
    const auto other = held_.find(key_of(one));
    if (other == held_.end()) return claim(std::move(one), false, instant_max);
    const Instant until = other->second.until;
    keep_until(until, std::move(one), &Tacos::wait_for_other);
}

void Tacos::keep_until(Instant moment, Entering one, void (Tacos::*then)(Entering)) {
    const Millis span = std::max(moment - service().clock().now(), Millis{1});
    const std::uint64_t id = next_entering_++;
    Entering& kept = entering_.emplace(id, std::move(one)).first->second;
    kept.alarm = desk_.loop().after(span, [this, id, then] {
        auto node = entering_.extract(id);
        if (node) (this->*then)(std::move(node.mapped()));
    });
}

void Tacos::claim(Entering one, bool is_ready, Instant taken) {
    const std::shared_ptr<HostedRoom> room = std::move(one.room);
    service().submit(
        *room, Claim{one.place.number}, &desk_.loop(),
        [this, room, place = one.place, is_ready, taken, asked = service().clock().now(),
         call = std::move(one.call)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome)) {
                if (refused->reason == Reason::unavailable)
                    return refuse(call, errors::grant_failed);
                const VisitorState state = room->view().standing(place.number).state;
                // Not known here yet: the room has only just heard of the place.
                const bool is_over = state == VisitorState::leaving ||
                                     (!is_live(state) && state != VisitorState::unknown) ||
                                     refused->reason == Reason::unknown_number;
                return refuse(call, is_over ? errors::token_not_found : errors::not_ready);
            }
            const Standing& standing = std::get<Standing>(outcome);
            if (is_ready) {
                shared_.bucket.amend(room->index(), taken, claimed_at(room->view(), standing));
                shared_.figures.note_wait(room->index(), place.number,
                                          (asked - standing.joined).count / 1'000);
            }
            answer_enter(call, *room, place, standing, asked);
        });
}

// The same grant for as long as it lives. What was redeemed is spent.
void Tacos::answer_enter(Call& call, const HostedRoom& room, const PlaceToken& place,
                         const Standing& standing, Instant asked) {
    if (standing.redeemed) return refuse(call, errors::token_not_found);
    const std::string token = token_of(room, place.number, TokenUse::reservation, place.has_user);
    if (token.empty()) return refuse(call, errors::grant_failed);
    const std::int64_t life = room.view().settings().lease_max.count / 1'000;
    const std::int64_t left = ((standing.until - asked).count + 999) / 1'000;
    net::Output body;
    compose(body, R"({"admission":"granted","reservation_token":")", token, R"(","ttl_sec":)",
            std::clamp<std::int64_t>(left, 1, std::max<std::int64_t>(1, life)), "}");
    answer(call, Status::ok, {body.data(), body.size()});
}

// Whether what was granted to this call before is good still.
bool Tacos::is_granted(const Ask& ask) {
    const std::optional<Body> body = read_body(ask.request.body);
    const std::optional<Found> found =
        body ? find(ask, body->waiting_token, TokenUse::waiting) : std::nullopt;
    if (!found || !found->room) return false;
    const Standing standing = found->room->view().standing(found->place.number);
    return standing.state == VisitorState::active && !standing.redeemed;
}

} // namespace anteroom::api::tacos
