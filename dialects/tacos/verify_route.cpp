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

// For whom it is asked: an admin is not the visitor, and a backend names the visitor in the body,
// or passes on the request of the user whom its gateway has named.
std::string asked_for(const Ask& ask, const anteroom::Caller& caller, const Body& body) {
    const std::string_view named =
        caller.is_backend ? ask.request.single_header("x-user-id").value_or("") : "";
    const bool is_named = !named.empty() && (!caller.is_admin || body.user_id.empty());
    return is_named ? std::string(named) : body.user_id;
}

} // namespace

// REQUIRES: a backend or an admin asks.
void Tacos::verify(const Ask& ask, const Caller& caller, PendingCall call) {
    const std::optional<Body> body = read_body(ask.request.body);
    if (!body) return refuse(call, errors::invalid_request);
    if (body->event_id.empty()) return refuse(call, errors::missing_event_id);
    // In the body, or as the bearer token that the visitor showed to the origin.
    const std::string_view token = body->reservation_token.empty()
                                       ? anteroom::bearer(ask.request)
                                       : std::string_view(body->reservation_token);
    if (token.empty()) return refuse(call, errors::missing_grant);
    const std::optional<Found> found = find(ask, token, TokenUse::reservation);
    if (found && !found->room) return refuse(call, errors::verify_failed);
    if (!found || found->room->id() != body->event_id) return refuse(call, errors::invalid_grant);
    if (found->room->age(ask.now) > limits::age_untold) return refuse(call, errors::verify_failed);

    const std::string user = asked_for(ask, caller, *body);
    const PlaceToken place = found->place;
    const Room& view = found->room->view();
    const VisitorState state = view.standing(place.number).state;
    if (state == VisitorState::finished) return refuse(call, errors::used_grant);
    if (place.has_user) {
        if (user.empty()) return refuse(call, errors::missing_user_id);
        const VisitorKey* owner = view.visitor(place.number);
        // This copy of the room has not heard of the place yet.
        if (!owner && state == VisitorState::unknown) return refuse(call, errors::verify_failed);
        if (!owner || *owner != office().key_of(user)) return refuse(call, errors::invalid_grant);
    }
    redeem(found->room->shared_from_this(), place, place.has_user ? user : std::string(),
           std::move(call));
}

void Tacos::redeem(const std::shared_ptr<HostedRoom>& room, const PlaceToken& place,
                   std::string user, PendingCall call) {
    service().submit(
        *room, Redeem{place.number}, &desk_.loop(),
        [this, room, place, user = std::move(user),
         call = std::move(call)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome)) {
                if (refused->reason == Reason::unavailable)
                    return refuse(call, errors::verify_failed);
                const bool is_spent =
                    refused->reason == Reason::redeemed ||
                    room->view().standing(place.number).state == VisitorState::finished;
                return refuse(call, is_spent ? errors::used_grant : errors::invalid_grant);
            }
            // The visit has come to its end: who wants to come again takes a new place.
            service().submit(*room, Finish{place.number}, nullptr, [](const Outcome&) {});
            net::Output body;
            compose(body, R"({"valid":true,"event_id":")", room->id(), R"(","user_id":)");
            append_json_string(body, user);
            compose(body, R"(,"bound":)", std::string_view(place.has_user ? "true" : "false"),
                    R"(,"waiting_token":")",
                    token_of(*room, place.number, TokenUse::waiting, place.has_user), R"("})");
            answer(call, Status::ok, {body.data(), body.size()});
        });
}

} // namespace anteroom::tacos
