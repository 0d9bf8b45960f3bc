// Tacos: system T, Traffic Tacos' queue, on the wire as its clients know it.
//
//   /api/v1/queue/{join,status,enter,leave}   a token for a place, where it is, in, away
//   /api/v1/queue/verify                      an origin redeems the reservation token, once
//   /api/v1/admin/{health,stats,flush-test-data}
//   /version; /healthz and /readyz            the last two where system T comes first
//
// An event is a room of the same id. A visitor who was called may enter; `enter` is the claim.
// Decides nothing: turns, pace and leases are the engine's. Only the moment of a claim is put off,
// so that visitors who are ready do not come in all at once. What differs from the original on
// purpose is in docs/dialects/tacos.md.
//
// Lives on its loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "desk/dialect.h"
#include "dialects/tacos/errors.h"
#include "dialects/tacos/shared.h"
#include "dialects/tacos/tokens.h"
#include "net/task.h"

namespace anteroom::tacos {

class Tacos final : public DialectRoutes {
  public:
    Tacos(Desk& desk, Shared& shared);

    void add_routes(Router& router) override;
    CrossOrigin cross_origin(std::string_view path) const override;
    void refuse_method(Call& call, std::string_view allowed) override;
    std::span<const std::string_view> prefixes() const override;
    void refuse_path(Call& call) override;
    bool counts_calls(std::string_view path) const override;
    std::string user_of(Call& call, bool owns) override;
    bool over_limit(Call& call, bool owns, std::int64_t wait_seconds) override;

  private:
    // How often the caller may call, as every answer tells it.
    struct Limit {
        std::int64_t left = 0;
        std::int64_t wait_seconds = 0; // 0: the call counts.
        std::int64_t resets_at = 0;    // In Unix seconds.
    };
    Limit take(const Call& call);
    // take(), unless calls of this path or caller are not counted.
    Limit count(Call& call);
    bool refuse_over(Call& call, const Limit& limit);

    net::Answer begin(Call& call, const Limit& limit, net::Status status);
    void refuse(Call& call, const Limit& limit, const Error& error);

    // A call of one of the operations that the figures count, until its answer. A call that is not
    // deferred has its request.
    struct PendingCall {
        Call call;
        Limit limit;
        Operation operation;
        std::optional<IdempotencyBook::Lock> lock; // Of its Idempotency-Key.
    };
    // Counts the answer, and keeps it for calls with the same Idempotency-Key.
    void answer(PendingCall& pending, net::Status status, std::string_view body);
    void refuse(PendingCall& pending, const Error& error);
    // Counts and keeps nothing.
    void write(PendingCall& pending, net::Status status, std::string_view body, bool is_replayed);
    // As Desk::submit: `then(PendingCall&, const Outcome&)`.
    template <class Then>
    void submit(PendingCall pending, HostedRoom& room, const Command& command, Then then,
                std::string_view who = {});

    // Idempotency (idempotent_calls.cpp).
    struct Caller : anteroom::Caller {
        std::optional<IdempotencyKey> key;
    };
    using PostHandler = void (Tacos::*)(PendingCall, const Caller&);
    std::optional<token::AccessUser> login_of(const Call& call);
    Caller identify(Call& call, const std::optional<IdempotencyKey>& key = std::nullopt);
    void post(Call& call, const Limit& limit, Operation operation, PostHandler handler);
    const Error* read_key(const Call& call, Operation operation,
                          std::optional<IdempotencyKey>& key) const;
    bool is_first(const Caller& caller, PendingCall& pending);
    // Calls that wait for the answer to the first call with their key; of this loop.
    struct ParkedCalls {
        static constexpr std::size_t count_max = 4'096;
        explicit ParkedCalls(Tacos& of) : tacos(of) {}
        Tacos& tacos;
        std::uint64_t next_id = 0;
        std::unordered_map<std::uint64_t, PendingCall> calls;
    };
    IdempotencyBook::OnAnswer park(std::uint64_t id);
    void wake(std::uint64_t id, const std::shared_ptr<const IdempotencyBook::Answer>& first);

    // The queue (queue_routes.cpp).
    struct ShownToken {
        HostedRoom* room = nullptr;
        PlaceToken place;

        VisitPlace visit() const { return {.room = room, .number = place.number}; }
    };
    // NoVisit: no such token. NotHeard: the room of the token is not known here yet.
    using TokenSight = std::variant<ShownToken, NoVisit, NotHeard>;
    TokenSight find(const Call& call, std::string_view token, TokenUse use);
    std::string token_of(const HostedRoom& room, Number number, TokenUse use, bool has_user);
    void join(PendingCall pending, const Caller& caller);
    std::shared_ptr<HostedRoom> room_for(PendingCall& pending, const std::string& event_id,
                                         bool is_stranger);
    void answer_join(PendingCall& pending, const HostedRoom& room, const Standing& standing,
                     bool has_user);
    void status(Call& call, const Limit& limit);
    std::optional<Sight> look_without_claim(const VisitPlace& place, Instant now);
    void answer_status(Call& call, const Limit& limit, const HostedRoom& room, const Sight& sight);
    void refuse_status(Call& call, const Limit& limit, const Error& error);
    void leave(Call& call, const Limit& limit);

    // Going in (enter_route.cpp). A call of a visitor who is ready asks the bucket, and may be held
    // on this loop for a while.
    struct EnterAttempt {
        std::shared_ptr<HostedRoom> room;
        PlaceToken place;
        Instant deadline = instant_max; // Of being held.
        LeakyBucket::Was was = LeakyBucket::Was::nothing;
    };
    static constexpr std::size_t held_count_max = 4'096;
    void enter(PendingCall pending, const Caller& caller);
    net::Task<void> let_in(PendingCall pending, EnterAttempt attempt);
    std::optional<LeakyBucket::Told> ask_bucket(EnterAttempt& attempt);
    void refuse_enter(PendingCall& pending, const EnterAttempt& attempt, const Refused& refused);
    void answer_enter(PendingCall& pending, const EnterAttempt& attempt, const Standing& standing,
                      Instant asked);
    bool is_granted(const Call& call);

    // The origin (verify_route.cpp).
    void verify(PendingCall pending, const Caller& caller);
    void redeem(PendingCall pending, const ShownToken& shown, std::string user);

    // Operators and health (admin_routes.cpp).
    std::optional<Caller> admin_of(Call& call, const Limit& limit);
    void admin_health(Call& call, const Limit& limit);
    void admin_stats(Call& call, const Limit& limit);
    void admin_flush(Call& call, const Limit& limit);
    struct Flush;
    void flush(const std::shared_ptr<Flush>& flush);
    void answer_flush(Flush& flush);
    void health(Call& call, const Limit& limit);
    void ready(Call& call, const Limit& limit);
    void version(Call& call, const Limit& limit);

    const Options& options() const { return shared_.options; }
    Office& office() const { return desk_.office(); }
    Service& service() { return desk_.service(); }

    Desk& desk_;
    Shared& shared_;
    std::shared_ptr<ParkedCalls> parked_;
    std::size_t held_count_ = 0; // Calls that sleep in let_in().
};

template <class Then>
void Tacos::submit(PendingCall pending, HostedRoom& room, const Command& command, Then then,
                   std::string_view who) {
    pending.call.defer();
    service().submit(
        room, command, &desk_.loop(),
        [pending = std::move(pending), room = room.shared_from_this(),
         then = std::move(then)](const Outcome& outcome) mutable { then(pending, outcome); },
        who);
}

} // namespace anteroom::tacos
