// A visitor who is ready goes in. Where many are ready, each call waits for its moment of the
// bucket, but never so long that the visitor would lose the turn.
#include <algorithm>

#include "desk/submitted.h"
#include "dialects/tacos/body.h"
#include "dialects/tacos/tacos.h"
#include "net/completion.h"
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

bool is_to_wait(const std::optional<LeakyBucket::Told>& told) {
    return told &&
           (told->turn == LeakyBucket::Turn::come_back || told->turn == LeakyBucket::Turn::follow);
}

// The room as it is shown now: its copy may have been made anew while the call slept.
std::shared_ptr<HostedRoom> shown_again(Service& service, std::shared_ptr<HostedRoom> room) {
    HostedRoom* shown = service.rooms().at(room->index());
    return shown && shown->id() == room->id() ? shown->shared_from_this() : std::move(room);
}

} // namespace

void Tacos::enter(PendingCall pending, const Caller&) {
    const std::optional<Body> body = read_body(pending.call.request().body);
    if (!body) return refuse(pending, errors::invalid_request);
    if (body->waiting_token.empty()) return refuse(pending, errors::missing_body_token);
    const TokenSight found = find(pending.call, body->waiting_token, TokenUse::waiting);
    if (std::holds_alternative<NoVisit>(found)) return refuse(pending, errors::token_not_found);
    const auto* shown = std::get_if<ShownToken>(&found);
    const Instant now = pending.call.now();
    if (!shown || shown->room->age(now) > limits::age_max)
        return refuse(pending, errors::validation_failed);
    service().see(*shown->room, shown->place.number);
    // In the writer's process a visitor who waits is refused without a Claim: one who is called
    // meanwhile must not go past the bucket. A copy may be late: there the Claim asks the writer.
    const Sight sight = desk_.visits().glance(shown->visit(), now);
    const auto* stands = std::get_if<Stands>(&sight);
    if (stands && stands->standing.state == VisitorState::waiting && stands->age == Millis{0})
        return refuse(pending, errors::not_ready);
    pending.call.defer();
    EnterAttempt attempt{.room = shown->room->shared_from_this(), .place = shown->place};
    net::spawn(desk_.loop(), let_in(std::move(pending), std::move(attempt)));
}

// What the bucket says to a visitor who is ready. Nothing: the visitor is inside already, or has
// lost the turn; what the Claim comes to tells which.
std::optional<LeakyBucket::Told> Tacos::ask_bucket(EnterAttempt& attempt) {
    using Bucket = LeakyBucket;
    const HostedRoom& room = *attempt.room;
    const Number number = attempt.place.number;
    const Standing standing = room.view().standing(number);
    if (standing.state != VisitorState::called) {
        if (attempt.was == Bucket::Was::held) shared_.bucket.give_up(room.index(), number);
        return std::nullopt;
    }
    const Instant now = service().clock().now();
    const bool is_first_time = attempt.was == Bucket::Was::nothing;
    const bool may_hold = !is_first_time || held_count_ < held_count_max;
    if (is_first_time) attempt.deadline = may_hold ? deadline_of(standing, now) : now;
    Bucket::Told told = shared_.bucket.take({.room = room.index(),
                                             .number = number,
                                             .rate_milli = room.view().settings().rate_milli,
                                             .now = now,
                                             .deadline = attempt.deadline,
                                             .was = attempt.was});
    if (told.turn != Bucket::Turn::come && !may_hold) told.turn = Bucket::Turn::crowd;
    attempt.was = told.turn == Bucket::Turn::follow ? Bucket::Was::following : Bucket::Was::held;
    return told;
}

// REQUIRES: the call is deferred.
net::Task<void> Tacos::let_in(PendingCall pending, EnterAttempt attempt) {
    const std::weak_ptr<ParkedCalls> alive = parked_;
    std::optional<LeakyBucket::Told> told = ask_bucket(attempt);
    while (is_to_wait(told)) {
        const Millis span = std::max(told->at - service().clock().now(), Millis{1});
        ++held_count_;
        co_await net::sleep_for(desk_.loop(), span);
        if (alive.expired()) co_return; // The loop outlives its routes, `this` among them.
        --held_count_;
        attempt.room = shown_again(service(), std::move(attempt.room));
        told = ask_bucket(attempt);
    }
    if (told && told->turn == LeakyBucket::Turn::crowd) {
        refuse(pending, errors::duplicate_request);
        co_return;
    }

    const HostedRoom& room = *attempt.room;
    const Number number = attempt.place.number;
    const bool was_in = room.view().standing(number).state == VisitorState::active;
    const Instant asked = service().clock().now();
    const Command command = Claim{number};
    const Outcome outcome = co_await submitted(desk_, *attempt.room, command);
    const auto* standing = std::get_if<Standing>(&outcome);
    if (told)
        shared_.bucket.settle(room.index(), number, told->at,
                              standing ? claimed_at(room.view(), *standing) : instant_min);
    if (!standing) {
        refuse_enter(pending, attempt, std::get<Refused>(outcome));
        co_return;
    }
    if (!was_in)
        shared_.figures.note_wait(room.index(), number, (asked - standing->joined).count / 1'000);
    answer_enter(pending, attempt, *standing, asked);
}

void Tacos::refuse_enter(PendingCall& pending, const EnterAttempt& attempt,
                         const Refused& refused) {
    if (refused.reason == Reason::unavailable) return refuse(pending, errors::grant_failed);
    const VisitorState state = attempt.room->view().standing(attempt.place.number).state;
    // A copy that does not know the number yet says nothing about the visit.
    const bool is_over = state == VisitorState::leaving ||
                         (!is_live(state) && state != VisitorState::unknown) ||
                         refused.reason == Reason::unknown_number;
    refuse(pending, is_over ? errors::token_not_found : errors::not_ready);
}

// The same grant for as long as it lives. A visit that was redeemed has none any more.
void Tacos::answer_enter(PendingCall& pending, const EnterAttempt& attempt,
                         const Standing& standing, Instant asked) {
    if (standing.redeemed) return refuse(pending, errors::token_not_found);
    const HostedRoom& room = *attempt.room;
    const PlaceToken& place = attempt.place;
    const std::string token = token_of(room, place.number, TokenUse::reservation, place.has_user);
    if (token.empty()) return refuse(pending, errors::grant_failed);
    const std::int64_t life = room.view().settings().lease_max.count / 1'000;
    const std::int64_t left = ((standing.until - asked).count + 999) / 1'000;
    net::Output body;
    compose(body, R"({"admission":"granted","reservation_token":")", token, R"(","ttl_sec":)",
            std::clamp<std::int64_t>(left, 1, std::max<std::int64_t>(1, life)), "}");
    answer(pending, Status::ok, {body.data(), body.size()});
}

// Whether the grant that this call got before is still valid.
bool Tacos::is_granted(const Call& call) {
    const std::optional<Body> body = read_body(call.request().body);
    if (!body) return false;
    const TokenSight found = find(call, body->waiting_token, TokenUse::waiting);
    const auto* shown = std::get_if<ShownToken>(&found);
    if (!shown) return false;
    const Sight sight = desk_.visits().glance(shown->visit(), call.now());
    const auto* stands = std::get_if<Stands>(&sight);
    return stands && stands->standing.state == VisitorState::active && !stands->standing.redeemed;
}

} // namespace anteroom::tacos
