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

    void add_routes(Router& router) override;
    CrossOrigin cross_origin(std::string_view path) const override;
    void refuse_method(Call& call, std::string_view allowed) override;
    std::span<const std::string_view> prefixes() const override;
    void refuse_path(Call& call) override;
    std::string user_of(Call& call, bool owns) override;
    bool over_limit(Call& call, bool owns, std::int64_t wait_seconds) override;
    bool looks_like_ticket(std::string_view text) const override { return looks_like_token(text); }
    std::optional<ForeignTicket> read_ticket(std::string_view text,
                                             token::UnixSeconds now) override;
    // A ticket without the half that names the user is not valid in this queue.
    bool has_own_tickets(const HostedRoom& room) const override {
        return room.id() == options_.room;
    }

  private:
    void issue(Call& call);
    void rank(Call& call);
    void reserved(Call& call);
    void paid(Call& call);
    void batch(Call& call);

    // Answers, all in the same envelope.
    static void refuse(Call& call, net::Status status, std::string_view error,
                       std::int64_t retry_after = 0);
    static void refuse(Call& call, Reason reason);
    static void unauthorized(Call& call);
    static void unavailable(Call& call);
    void answer_rank(Call& call, const HostedRoom& room, const Sight& sight) const;

    // Who asks, and whether that was verified by anybody.
    struct Person {
        UserId user = 0;
        bool is_verified = false;
    };
    std::optional<Person> person_of(Call& call) const;
    bool is_holder(const QueueToken& token) const;
    // The place that the request's token names. Answers when there is none.
    struct ShownToken {
        QueueToken token;
        VisitPlace place;
    };
    std::optional<ShownToken> show_token(Call& call);
    bool may_tell_visits(Call& call) const;
    void tell(Call& call, const ShownToken& shown, const Command& command);
    std::shared_ptr<HostedRoom> open_room();

    Desk& desk_;
    const Options options_;
};

} // namespace anteroom::hhplus
