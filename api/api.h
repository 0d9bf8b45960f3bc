// Api: what comes in on one loop and who answers it.
//
//   Router        whose path is it: a native route's, a dialect's, or nobody's
//   GateKeeper    how often may this client call; what nobody has goes on to the site
//   DialectRoutes or Native   the answer, at once or later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/gate_keeper.h"
#include "api/latency.h"
#include "api/native.h"
#include "desk/desk.h"
#include "desk/dialect.h"
#include "desk/router.h"
#include "net/exchange.h"

namespace anteroom::api {

class Api final : public net::Handler {
  public:
    Api(DeskShared& shared, std::size_t slot, net::Loop& loop, std::unique_ptr<Office> office);
    // Once, before the first request. A fault when an origin's address cannot be used.
    Result<void> open(GateShared& gate);

    void handle(const net::Request& request, net::Exchange& exchange) override;
    bool streams_body(const net::Request& request) override;
    void refused(const net::Refusal& refusal, net::Answer& answer) override;

    const GateKeeper& gate() const { return *gate_; }
    Desk& desk() { return desk_; }
    // After the keys changed.
    void set_office(std::unique_ptr<Office> office) { desk_.set_office(std::move(office)); }

    // From the parsed request to the answer, or to its being put off.
    const Latency& latency() const { return latency_; }

  private:
    void answer(Call& call, const RouteMatch& match);
    void preflight(Call& call, const Adapter& owner);
    bool refuse_over_limit(Call& call, const DialectRoutes* owner);
    std::string user_of(Call& call, const DialectRoutes* owner);
    void refuse_path(Call& call);
    DialectRoutes* dialect_of(const Adapter* owner) const;

    DeskShared& shared_;
    Service& service_;
    Desk desk_;
    std::vector<std::unique_ptr<DialectRoutes>> dialects_;
    Native native_;
    std::unique_ptr<GateKeeper> gate_;
    Router router_;
    Latency latency_;
};

} // namespace anteroom::api
