// RoomWitness: what the gate's decision needs to know, from the rooms of this process and its keys.
//
// A pass is good as long as its visitor is inside: who has finished, left or expired shows a pass
// that may still be fresh, but it is over.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "desk/desk.h"
#include "desk/dialect.h"
#include "gate/witness.h"

namespace anteroom::api {

class RoomWitness final : public gate::Witness {
  public:
    // `sessions_only`: a pass counts after it was exchanged for a session, and only the session.
    // `dialects`: whose own tickets count, too.
    using Dialects = std::span<const std::unique_ptr<DialectRoutes>>;
    RoomWitness(Desk& desk, Call& call, const Caller& caller, bool sessions_only, Dialects dialects)
        : desk_(desk),
          call_(call),
          caller_(caller),
          sessions_only_(sessions_only),
          dialects_(dialects) {}

    bool outer_line_active(std::string_view event) override;
    std::optional<gate::User> user() override;
    gate::ShownPass outer_pass(std::string_view token, std::string_view event) override;
    gate::ShownPass entry_pass(std::string_view token,
                               std::optional<std::string_view> event) override;
    // A ticket of ours, or of a dialect, which may also say who it is.
    gate::ShownPass inside(std::string_view ticket, std::optional<std::string_view> event) override;

    // After entry_pass() or inside() said yes: whose visit it was, for the origin.
    Number number() const { return number_; }
    // Whom the ticket named; empty: nobody.
    const std::string& holder() const { return holder_; }

  private:
    gate::ShownPass stand(HostedRoom& room, ForeignTicket place);

    Desk& desk_;
    Call& call_;
    const Caller& caller_;
    const bool sessions_only_;
    const Dialects dialects_;
    Number number_ = 0;
    std::string holder_;
};

// The id of a pass that is a session: of one visit, and only after Redeem.
std::string session_id(Number number);

} // namespace anteroom::api
