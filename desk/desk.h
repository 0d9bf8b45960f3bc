// Desk: what every adapter on one loop needs to answer calls: who asks, where visitors stand, what
// commands come to, the passes and tickets that are given out.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desk/call.h"
#include "desk/caller.h"
#include "desk/office.h"
#include "desk/request_id.h"
#include "net/exchange.h"
#include "service/address_limiter.h"
#include "service/history.h"
#include "service/service.h"
#include "service/visits.h"

namespace anteroom {

class Dialect;

// The same for all loops.
struct DeskShared {
    Service& service;
    std::string admin_token;
    std::vector<std::string> cors_origins; // "*" for any; without credentials then.
    std::unique_ptr<AddressLimiter> join_limiter;
    std::function<std::string()> metrics; // The whole text.
    History* history = nullptr;           // Null: only what rooms know themselves.
    std::atomic<bool> stopping{false};
    bool has_demo = false;
    std::string admin_token_path = {}; // Its file; empty: the configuration has it.
    std::vector<std::shared_ptr<Dialect>> dialects = {}; // That are spoken.
    std::vector<std::string> dialect_names = {};         // That a room may be for, spoken or not.
};

struct IssuedPass {
    std::string text;
    std::int64_t expires_in_seconds = 0;
};

// The place that a ticket names, or why there is none.
using PlaceSight = std::variant<VisitPlace, NoVisit, NotHeard>;

// Who takes a place.
struct Visitor {
    std::string id;
    VisitorKey key;
    std::string cookie; // To be set, when we named the visitor.
};

class Desk {
  public:
    Desk(DeskShared& shared, net::Loop& loop, std::unique_ptr<Office> office);

    DeskShared& shared() { return shared_; }
    Service& service() { return shared_.service; }
    net::Loop& loop() { return loop_; }
    // Ready means that commands are accepted; what every dialect says to a load balancer.
    bool is_ready() const {
        return !shared_.stopping.load(std::memory_order_relaxed) && shared_.service.is_writable();
    }
    Office& office() const { return *office_; }
    // After the keys changed.
    void set_office(std::unique_ptr<Office> office) { office_ = std::move(office); }

    Visits& visits() { return visits_; }

    Call open(const net::Request& request, net::Exchange& exchange, Instant now);
    RequestId next_request_id() { return RequestId(request_seed_, ++request_count_); }
    // The Origin of the request as it may be answered; empty: not at all.
    std::string_view allowed_origin(const net::Request& request) const;
    // `login`: the name of the dialect whose own access tokens count, too. Call::caller() keeps it.
    Caller identify(const net::Request& request, token::UnixSeconds now, std::string_view login);

    // Where the visitor of this place stands: `then(Call&, const Sight&)`, at once or when the
    // writer has said it. `then` owns what it needs, or has keep() to make it so.
    template <class Then>
    void stand(Call& call, const VisitPlace& place, Then then);
    // What a command for the room comes to: `then(Call&, const Outcome&)`, when it is durable. The
    // room lives until then. `who`: the visitor's own name for the history.
    template <class Then>
    void submit(Call& call, HostedRoom& room, const Command& command, Then then,
                std::string_view who = {});
    // The place that a ticket proves.
    PlaceSight place_of(std::string_view ticket, const token::TicketExpectation& expected,
                        token::UnixSeconds now);

    // A known user, or the anonymous visitor that a cookie of ours names, or a new one.
    std::optional<Visitor> name_visitor(const Call& call, std::string_view user);
    // The anonymous visitor that a cookie of ours names.
    std::optional<token::VisitorId> cookie_visitor(const Call& call);
    Visitor anonymous(const Call& call, const token::VisitorId& id);
    // The entry pass of somebody inside, named by `user` if that is who it is, valid as long as the
    // lease but no longer than `life_max`.
    std::optional<IssuedPass> issue_pass(const HostedRoom& room, const Standing& standing,
                                         std::string_view user, Instant now,
                                         Millis life_max = limits::span_max,
                                         std::string_view pass_id = {}) const;
    // A number in the outer line as a UUID, and back; nothing when it is forged, of another room
    // or of an earlier activation.
    std::string request_id_of(const HostedRoom& room, const OuterPlace& place) const;
    std::optional<OuterPlace> read_request_id(const HostedRoom& room, std::string_view text,
                                              token::UnixSeconds now) const;
    // Seconds until this address may join; takes one if 0.
    std::int64_t join_wait(const Call& call);
    // What an operator did to a room, for the audit.
    void note(Call& call, std::string_view room, std::string action, std::string detail);

  private:
    DeskShared& shared_;
    Visits visits_;
    net::Loop& loop_;
    std::unique_ptr<Office> office_;
    std::uint32_t request_count_ = 0;
    const std::uint32_t request_seed_; // Tells this process and loop from others.
};

template <class Then>
void Desk::stand(Call& call, const VisitPlace& place, Then then) {
    place.room->counters().note_poll();
    if (const std::optional<Sight> sight = visits_.look(place, call.now()))
        return then(call, *sight);
    if constexpr (requires { then.keep(); }) then.keep();
    call.defer();
    visits_.ask(place, loop_,
                [call = std::move(call), then = std::move(then)](const Sight& sight) mutable {
                    then(call, sight);
                });
}

template <class Then>
void Desk::submit(Call& call, HostedRoom& room, const Command& command, Then then,
                  std::string_view who) {
    call.defer();
    service().submit(
        room, command, &loop_,
        [call = std::move(call), room = room.shared_from_this(),
         then = std::move(then)](const Outcome& outcome) mutable { then(call, outcome); },
        who);
}

inline constexpr std::int64_t cookie_seconds = 24 * 3'600;
enum class SameSite : std::uint8_t { lax, strict };
std::string set_cookie(std::string_view name, std::string_view value, bool secure,
                       std::int64_t seconds = cookie_seconds, SameSite same_site = SameSite::lax);

} // namespace anteroom
