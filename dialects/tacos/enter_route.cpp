// Who is ready goes in. Where many are, each waits for a moment of the bucket; nobody for so long
// that it would cost the turn.
#include <algorithm>

#include "dialects/tacos/body.h"
#include "dialects/tacos/tacos.h"
#include "net/loop.h"
#include "net/output.h"

namespace anteroom::tacos {
namespace {

using net::compose;
using net::Status;

constexpr Millis hold_max = seconds(5);

// At most half of the time in which the turn lasts.
Instant deadline_of(const Standing& standing, Instant now) {
    const Millis half{std::max<std::int64_t>(0, (standing.until - now).count / 2)};
    return now + std::min(hold_max, half);
}

// When the claim came about: the grant runs from then on.
Instant claimed_at(const Room& view, const Standing& standing) {
    return standing.until - std::min(view.settings().lease, view.settings().lease_max);
}

} // namespace

void Tacos::enter(const Ask& ask, PendingCall call) {
    const std::optional<Body> body = read_body(ask.request.body);
    if (!body) return refuse(call, errors::invalid_request);
    if (body->waiting_token.empty()) return refuse(call, errors::missing_body_token);
    const std::optional<Found> found = find(ask, body->waiting_token, TokenUse::waiting);
    if (!found) return refuse(call, errors::token_not_found);
    if (!found->room || found->room->age(ask.now) > limits::age_max)
        return refuse(call, errors::validation_failed);
    service().see(*found->room, found->place.number);
    // Where the room is written this is how it stands. Without a command: nobody who is called
    // meanwhile goes past the bucket.
    const VisitorState state = found->room->view().standing(found->place.number).state;
    if (state == VisitorState::waiting && found->room->age(ask.now) == Millis{0})
        return refuse(call, errors::not_ready);
    let_in({.call = std::move(call),
            .room = found->room->shared_from_this(),
            .place = found->place,
            .alarm = {}});
}

// At once or after being kept. Only who is ready uses the bucket; who is in already, or has lost
// the turn meanwhile, hears so from the room.
void Tacos::let_in(Entering one) {
    using Bucket = LeakyBucket;
    const Instant now = service().clock().now();
    const bool is_first_time = one.was == Bucket::Was::nothing;
    // The copy may have been made anew meanwhile.
    HostedRoom* shown = is_first_time ? nullptr : service().rooms().at(one.room->index());
    if (shown && shown->id() == one.room->id()) one.room = shown->shared_from_this();
    const Standing standing = one.room->view().standing(one.place.number);
    if (standing.state != VisitorState::called) {
        if (one.was == Bucket::Was::held)
            shared_.bucket.give_up(one.room->index(), one.place.number);
        return claim(std::move(one), std::nullopt);
    }
    const bool may_keep = !is_first_time || entering_.size() < Entering::calls_max;
    if (is_first_time) one.deadline = may_keep ? deadline_of(standing, now) : now;
    const Bucket::Told told =
        shared_.bucket.take({.room = one.room->index(),
                             .number = one.place.number,
                             .rate_milli = one.room->view().settings().rate_milli,
                             .now = now,
                             .deadline = one.deadline,
                             .was = one.was});
    if (told.turn == Bucket::Turn::come) return claim(std::move(one), told.at);
    if (told.turn == Bucket::Turn::crowd || !may_keep)
        return refuse(one.call, errors::duplicate_request);
    one.was = told.turn == Bucket::Turn::follow ? Bucket::Was::following : Bucket::Was::held;
    keep_until(told.at, std::move(one));
}

void Tacos::keep_until(Instant moment, Entering one) {
    const Millis span = std::max(moment - service().clock().now(), Millis{1});
    const std::uint64_t id = next_entering_++;
    Entering& kept = entering_.emplace(id, std::move(one)).first->second;
    kept.alarm = desk_.loop().after(span, [this, id] {
        auto node = entering_.extract(id);
        if (node) let_in(std::move(node.mapped()));
    });
}

// `taken`: the moment of the bucket; nothing: it was not asked.
void Tacos::claim(Entering one, std::optional<Instant> taken) {
    const std::shared_ptr<HostedRoom> room = std::move(one.room);
    const PlaceToken place = one.place;
    const bool was_in = room->view().standing(place.number).state == VisitorState::active;
    service().submit(*room, Claim{place.number}, &desk_.loop(),
                     [this, room, place, taken, was_in, asked = service().clock().now(),
                      call = std::move(one.call)](const Outcome& outcome) mutable {
                         const auto* standing = std::get_if<Standing>(&outcome);
                         if (taken)
                             shared_.bucket.settle(
                                 room->index(), place.number, *taken,
                                 standing ? claimed_at(room->view(), *standing) : instant_min);
                         if (!standing)
                             return refuse_enter(call, *room, place, std::get<Refused>(outcome));
                         if (!was_in)
                             shared_.figures.note_wait(room->index(), place.number,
                                                       (asked - standing->joined).count / 1'000);
                         answer_enter(call, *room, place, *standing, asked);
                     });
}

void Tacos::refuse_enter(PendingCall& call, const HostedRoom& room, const PlaceToken& place,
                         const Refused& refused) {
    if (refused.reason == Reason::unavailable) return refuse(call, errors::grant_failed);
    const VisitorState state = room.view().standing(place.number).state;
    // Not known here yet: the room has only just heard of the place.
    const bool is_over = state == VisitorState::leaving ||
                         (!is_live(state) && state != VisitorState::unknown) ||
                         refused.reason == Reason::unknown_number;
    refuse(call, is_over ? errors::token_not_found : errors::not_ready);
}

// The same grant for as long as it lives. What was redeemed is spent.
void Tacos::answer_enter(PendingCall& call, const HostedRoom& room, const PlaceToken& place,
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

} // namespace anteroom::tacos
