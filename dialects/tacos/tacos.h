// Tacos: system T, Traffic Tacos' queue, on the wire as its clients know it.
//
//   /api/v1/queue/{join,status,enter,leave}   a token for a place, where it is, in, away
//   /api/v1/queue/verify                      an origin redeems the reservation token, once
//   /api/v1/admin/{health,stats,flush-test-data}
//
// An event is a room of the same id. Who may enter is who was called; `enter` is the claim. Decides
// nothing: turns, pace and leases are the engine's; only the moment of a claim is put off, so that
// those who are ready do not come in all at once. What differs from the original on purpose is in
// docs/dialects/tacos.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "desk/dialect.h"
#include "dialects/tacos/errors.h"
#include "dialects/tacos/shared.h"
#include "dialects/tacos/tokens.h"
#include "net/alarm.h"

namespace anteroom::tacos {

class Tacos final : public DialectRoutes {
  public:
    Tacos(Desk& desk, Shared& shared);

    bool owns(std::string_view path) const override;
    bool handle(Ask& ask) override;
    bool limits(std::string_view path) const override;
    std::string user_of(const Ask& ask) override;
    bool over_limit(Ask& ask, std::int64_t wait_seconds) override;
    bool miss(Ask& ask) override;

  private:
    enum class Route : std::uint8_t;
    struct Rule;
    static const Rule rules[];

    // How often the caller may call, as every answer tells it.
    struct Limit {
        std::int64_t left = 0;
        std::int64_t wait_seconds = 0; // 0: the call counts.
        std::int64_t resets_at = 0;    // In Unix seconds.
    };
    Limit take(const Ask& ask);
    bool is_counted(const Ask& ask, const Rule& rule);
    bool refuse_over(Ask& ask, const Limit& limit);
    void dispatch(Ask& ask, const Limit& limit, Route route);

    // Answers at once.
    net::Answer begin(Ask& ask, const Limit& limit, net::Status status);
    void refuse(Ask& ask, const Limit& limit, const Error& error);
    void preflight(Ask& ask);

    // A call that is answered later.
    struct PendingCall {
        Later later;
        Limit limit;
        Operation operation;
        std::optional<IdempotencyBook::Lock> lock; // Of its Idempotency-Key.
    };
    void answer(PendingCall& call, net::Status status, std::string_view body);
    void refuse(PendingCall& call, const Error& error);
    PendingCall defer(Ask& ask, const Limit& limit, Operation operation);
    void write(PendingCall& call, net::Status status, std::string_view body, bool replayed);

    // Idempotency (idempotent_calls.cpp).
    struct Caller : anteroom::Caller {
        std::optional<IdempotencyKey> key;
    };
    std::optional<token::AccessUser> login_of(const Ask& ask);
    Caller identify(const Ask& ask, const std::optional<IdempotencyKey>& key);
    void post(Ask& ask, const Limit& limit, Route route);
    const Error* read_key(const Ask& ask, Route route, std::optional<IdempotencyKey>& key) const;
    bool is_first(const Ask& ask, const Caller& caller, PendingCall& call);
    // Calls that wait for the answer to the same call; of this loop.
    struct Parked {
        static constexpr std::size_t calls_max = 4'096;
        explicit Parked(Tacos& of) : tacos(of) {}
        Tacos& tacos;
        std::uint64_t next_id = 0;
        std::unordered_map<std::uint64_t, PendingCall> calls;
    };
    IdempotencyBook::OnAnswer park(std::uint64_t id);
    void wake(std::uint64_t id, const std::shared_ptr<const IdempotencyBook::Answer>& first);

    // The queue (queue_routes.cpp).
    void join(const Ask& ask, const Caller& caller, PendingCall call);
    std::shared_ptr<HostedRoom> room_for(const Ask& ask, const std::string& event_id,
                                         bool is_stranger, PendingCall& call);
    void status(Ask& ask, const Limit& limit);
    void leave(Ask& ask, const Limit& limit);
    struct Found {
        HostedRoom* room = nullptr; // Null: another process made it, and it is not known here yet.
        PlaceToken place;
    };
    std::optional<Found> find(const Ask& ask, std::string_view token, TokenUse use);
    std::string token_of(const HostedRoom& room, Number number, TokenUse use, bool has_user);
    void answer_join(PendingCall& call, const HostedRoom& room, const Standing& standing,
                     bool has_user);
    void answer_status(PendingCall& call, const HostedRoom& room, const Standing& standing);

    // Going in (enter_route.cpp). Who is ready goes through the bucket, and may be kept for a while
    // on this loop.
    struct Entering {
        static constexpr std::size_t calls_max = 4'096;
        PendingCall call;
        std::shared_ptr<HostedRoom> room;
        PlaceToken place;
        Instant deadline = instant_max; // Of being held.
        LeakyBucket::Was was = LeakyBucket::Was::nothing;
        net::Alarm alarm;
    };
    void enter(const Ask& ask, PendingCall call);
    void let_in(Entering one);
    void keep_until(Instant moment, Entering one);
    void claim(Entering one, std::optional<Instant> taken);
    void refuse_enter(PendingCall& call, const HostedRoom& room, const PlaceToken& place,
                      const Refused& refused);
    void answer_enter(PendingCall& call, const HostedRoom& room, const PlaceToken& place,
                      const Standing& standing, Instant asked);
    bool is_granted(const Ask& ask);

    // The origin (verify_route.cpp).
    void verify(const Ask& ask, const Caller& caller, PendingCall call);
    void redeem(const std::shared_ptr<HostedRoom>& room, const PlaceToken& place, std::string user,
                PendingCall call);

    // Operators and health (admin_routes.cpp).
    bool is_admin(Ask& ask, const Limit& limit);
    void admin_health(Ask& ask, const Limit& limit);
    void admin_stats(Ask& ask, const Limit& limit);
    void admin_flush(Ask& ask, const Limit& limit);
    void health(Ask& ask);
    void ready(Ask& ask);
    void version(Ask& ask);

    const Options& options() const { return shared_.options; }
    Office& office() const { return desk_.office(); }
    Service& service() { return desk_.service(); }

    Desk& desk_;
    Shared& shared_;
    std::shared_ptr<Parked> parked_;
    std::uint64_t next_entering_ = 0;
    std::unordered_map<std::uint64_t, Entering>
        entering_; // Kept. Goes before the parked, who wait for some of them.
};

enum class Tacos::Route : std::uint8_t {
    join,
    status,
    enter,
    leave,
    verify,
    admin_health,
    admin_stats,
    admin_flush,
    health,
    ready,
    version,
};

} // namespace anteroom::tacos
