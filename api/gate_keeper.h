// GateKeeper: the gate on one loop. Asks the rules about every request that is not for the waiting
// room itself, and passes on what may pass; answers the same question for other proxies
// (GET /v1/verify) and exchanges passes for sessions.
//
//   a request for the site  handle() ── edge stamp, decide() ──▶ Proxy::forward, or a refusal
//   nginx, Traefik, …       verify() ── decide() ──▶ 204 with who it is, or 401, 403, 302
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "desk/desk.h"
#include "gate/categories.h"
#include "gate/decide.h"
#include "gate/edge_stamp.h"
#include "gate/proxy.h"
#include "gate/rules.h"
#include "service/window_limiter.h"

namespace anteroom {
class DialectRoutes;
}

namespace anteroom::api {

// The same for all loops.
struct GateShared {
    // Swapped as a whole when the file changes.
    std::atomic<std::shared_ptr<const gate::Rules>> rules;
    // Likewise. Null: no edge signs what it lets through.
    std::atomic<std::shared_ptr<const gate::EdgeKeys>> edge_keys;
    bool sessions_only = false; // Entry passes must be exchanged before they count.
    std::array<std::unique_ptr<WindowLimiter>, gate::category_count> limiters; // Null: no limit.
    gate::ProxyOptions proxy; // Without origins: nothing is passed on.

    bool has_origin() const { return !proxy.origins.urls.empty(); }
};

class GateKeeper final : private gate::Refuser {
  public:
    // A fault when an origin's address cannot be used.
    using Dialects = std::span<const std::unique_ptr<DialectRoutes>>;
    static Result<std::unique_ptr<GateKeeper>> open(Desk& desk, GateShared& shared,
                                                    Dialects dialects);

    bool has_origin() const { return proxy_ != nullptr; }
    // Null: there is no origin.
    const gate::ProxyStats* stats() const { return proxy_ ? &proxy_->stats() : nullptr; }
    // In how many seconds the client may call again; 0: now, and this call was counted. `user_of`
    // names the client; empty: it is counted by its address. Asked only where calls are counted.
    template <class UserOf>
    std::int64_t limit_wait(const Call& call, UserOf user_of) {
        WindowLimiter* limiter = limiter_of(call.request().path);
        return limiter ? count(*limiter, call, user_of()) : 0;
    }
    void refuse_call(Call& call, std::int64_t wait);
    void handle(Call& call);
    // Whether its body goes on as it comes: no rule reads it. The rule that was found is kept for
    // handle(), which follows.
    bool streams_body(const net::Request& request);
    // Whether the request describes another one, well or badly; then verify() answers.
    static bool is_forward_auth(Call& call);
    void verify(Call& call);
    bool wants_sessions() const { return shared_.sessions_only; }

  private:
    WindowLimiter* limiter_of(std::string_view path) const; // Null: calls are not counted.
    static std::int64_t count(WindowLimiter& limiter, const Call& call, std::string_view user);
    GateKeeper(Desk& desk, GateShared& shared, Dialects dialects)
        : desk_(desk), shared_(shared), dialects_(dialects) {}
    void refuse(const gate::Failure& failure, net::Answer& answer) override;
    void answer_refusal(Call& call, const gate::Decision& decision);
    bool is_past_the_edge(Call& call, const gate::Question& question, bool for_nginx = false);

    Desk& desk_;
    GateShared& shared_;
    const Dialects dialects_;
    // Of the request whose body streams, between streams_body() and handle().
    std::shared_ptr<const gate::Rules> matched_rules_;
    gate::MatchedRule matched_;
    std::unique_ptr<gate::Proxy> proxy_; // Null: there is no origin.
};

} // namespace anteroom::api
