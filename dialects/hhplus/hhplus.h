// Hhplus: system H, the queue of a concert hall, on the wire as its clients know it.
//
//   POST /api/v1/queues/token            a place in the one queue, and its token
//   GET  /api/v1/queues/token/rank       waiting, with how many stand before; or active
//   POST /api/v1/queues/token/reserved   the origin: a seat was reserved, five minutes are left
//   POST /api/v1/queues/token/paid       the origin: it was paid, the visit is over
//   POST /api/v1/queues/batch            the origin: it stands so much now, the batch follows
//
// The queue is a room. Decides nothing: who is called, and for how long, is the engine's. What
// differs from the original on purpose is in docs/dialects/hhplus.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "desk/dialect.h"
#include "dialects/hhplus/options.h"
#include "dialects/hhplus/queue_token.h"

namespace anteroom::hhplus {

class Hhplus final : public DialectRoutes {
  public:
    Hhplus(Desk& desk, const Options& options) : desk_(desk), options_(options) {}

    bool owns(std::string_view path) const override;
    bool handle(Ask& ask) override;
    std::string user_of(const Ask& ask) override;
    bool over_limit(Ask& ask, std::int64_t wait_seconds) override;
    bool miss(Ask& ask) override;
    bool looks_like_ticket(std::string_view text) const override { return looks_like_token(text); }
    std::optional<ForeignTicket> read_ticket(std::string_view text,
                                             token::UnixSeconds now) override;
    // A ticket without the half that names the user is not valid in this queue.
    bool has_own_tickets(const HostedRoom& room) const override {
        return room.id() == options_.room;
    }

  private:
    enum class Route : std::uint8_t { issue, rank, reserved, paid, batch };
    struct Rule;
    static const Rule rules[];
    static const Rule* find(std::string_view path);

    // Answers, all in the same envelope.
    net::Answer begin(Ask& ask, net::Status status);
    net::Answer begin(Later& later, net::Status status);
    void refuse(Ask& ask, net::Status status, std::string_view error, std::int64_t retry_after = 0);
    void refuse(Later& later, Reason reason);
    void unauthorized(Ask& ask);
    void unauthorized(Later& later);
    void unavailable(Ask& ask);
    void preflight(Ask& ask);

    void issue(Ask& ask);
    void rank(Ask& ask);
    void write_rank(net::Answer& answer, const HostedRoom& room, const Standing& standing);
    void answer_rank(Later& later, const HostedRoom& room, const QueueToken& token,
                     const Outcome& outcome);
    void tell(Ask& ask, Route route);
    void batch(Ask& ask);
    std::shared_ptr<HostedRoom> open_room();

    // Who asks, and whether that was verified by anybody.
    struct Person {
        UserId user = 0;
        bool is_verified = false;
    };
    std::optional<Person> person_of(const Ask& ask);
    bool is_holder(const QueueToken& token);
    bool is_of_other(const HostedRoom& room, const QueueToken& token) const;
    // The place that the request's token names. Answers when there is none.
    struct Held {
        HostedRoom* room = nullptr;
        QueueToken token;
    };
    std::optional<Held> held_by(Ask& ask);

    Desk& desk_;
    const Options options_;
};

} // namespace anteroom::hhplus
