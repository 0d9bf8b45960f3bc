// An origin asks whether a reservation token is good, and spends it with that: it works once,
// whichever process is asked.
#include "base/json_text.h"
#include "dialects/tacos/body.h"
#include "dialects/tacos/tacos.h"
#include "net/output.h"

namespace anteroom::tacos {

using net::compose;
using net::Status;

namespace {

// The user whom the token must belong to: an admin is not the visitor, and a backend names the
// visitor in the body, or passes on the request of the user whom its gateway has named.
std::string asked_for(const net::Request& request, const anteroom::Caller& caller,
                      const Body& body) {
    const std::string_view named =
        caller.is_backend ? request.single_header("x-user-id").value_or("") : "";
    const bool is_named = !named.empty() && (!caller.is_admin || body.user_id.empty());
    return is_named ? std::string(named) : body.user_id;
}

} // namespace

// REQUIRES: a backend or an admin asks.
void Tacos::verify(PendingCall pending, const Caller& caller) {
    const net::Request& request = pending.call.request();
    const std::optional<Body> body = read_body(request.body);
    if (!body) return refuse(pending, errors::invalid_request);
    if (body->event_id.empty()) return refuse(pending, errors::missing_event_id);
    // In the body, or as the bearer token that the visitor showed to the origin.
    const std::string_view token = body->reservation_token.empty()
                                       ? anteroom::bearer(request)
                                       : std::string_view(body->reservation_token);
    if (token.empty()) return refuse(pending, errors::missing_grant);
    const TokenSight found = find(pending.call, token, TokenUse::reservation);
    if (std::holds_alternative<NotHeard>(found)) return refuse(pending, errors::verify_failed);
    const auto* shown = std::get_if<ShownToken>(&found);
    if (!shown || shown->room->id() != body->event_id)
        return refuse(pending, errors::invalid_grant);
    const Instant now = pending.call.now();
    if (shown->room->age(now) > limits::age_untold) return refuse(pending, errors::verify_failed);

    const Sight sight = desk_.visits().glance(shown->visit(), now);
    const auto* stands = std::get_if<Stands>(&sight);
    if (stands && stands->standing.state == VisitorState::finished)
        return refuse(pending, errors::used_grant);
    if (!shown->place.has_user) return redeem(std::move(pending), *shown, {});
    const std::string user = asked_for(request, caller, *body);
    if (user.empty()) return refuse(pending, errors::missing_user_id);
    const VisitorKey* owner = shown->room->view().visitor(shown->place.number);
    // This copy of the room has not heard of the place yet.
    if (!owner && !stands) return refuse(pending, errors::verify_failed);
    if (!owner || *owner != office().key_of(user)) return refuse(pending, errors::invalid_grant);
    redeem(std::move(pending), *shown, user);
}

// Once it is redeemed the visit is over: to come again the visitor takes a new place.
void Tacos::redeem(PendingCall pending, const ShownToken& shown, std::string user) {
    submit(std::move(pending), *shown.room, Redeem{shown.place.number},
           [this, &room = *shown.room, place = shown.place, user = std::move(user)](
               PendingCall& asked, const Outcome& outcome) {
               if (const auto* refused = std::get_if<Refused>(&outcome)) {
                   if (refused->reason == Reason::unavailable)
                       return refuse(asked, errors::verify_failed);
                   const bool is_spent =
                       refused->reason == Reason::redeemed ||
                       room.view().standing(place.number).state == VisitorState::finished;
                   return refuse(asked, is_spent ? errors::used_grant : errors::invalid_grant);
               }
               service().submit(room, Finish{place.number}, nullptr, [](const Outcome&) {});
               net::Output body;
               compose(body, R"({"valid":true,"event_id":")", room.id(), R"(","user_id":)");
               append_json_string(body, user);
               compose(body, R"(,"bound":)", std::string_view(place.has_user ? "true" : "false"),
                       R"(,"waiting_token":")",
                       token_of(room, place.number, TokenUse::waiting, place.has_user), R"("})");
               answer(asked, Status::ok, {body.data(), body.size()});
           });
}

} // namespace anteroom::tacos
