// Api: the native routes, on one loop. Turns HTTP into commands and standings into JSON; decides
// nothing about rooms.
//
// Life of a poll: route -> ticket (one MAC, no table) -> room -> touch and standing -> JSON
// straight into the connection's buffer. No lock, no allocation, no store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/gate_keeper.h"
#include "api/latency.h"
#include "api/problem.h"
#include "desk/desk.h"
#include "desk/dialect.h"
#include "desk/routes.h"
#include "net/exchange.h"

namespace anteroom::api {

class Api final : public net::Handler {
  public:
    Api(ApiShared& shared, std::size_t slot, net::Loop& loop, std::unique_ptr<Office> office);

    void handle(const net::Request& request, net::Exchange& exchange) override;
    bool streams_body(const net::Request& request) override;
    void refused(const net::Refusal& refusal, net::Answer& answer) override;

    // Before the first request.
    Result<void> open_gate(GateShared& shared);
    const GateKeeper* gate() const { return gate_.get(); }
    Desk& desk() { return desk_; }
    // After the keys changed.
    void set_office(std::unique_ptr<Office> office) { desk_.set_office(std::move(office)); }

    // From the parsed request to the answer, or to its being put off.
    const Latency& latency() const { return latency_; }

    // The standing of a visitor with what it entitles to, and the state that it tells. Unknown:
    // nothing was written, because what there is to say is not durable yet.
    VisitorState write_standing(fmt::memory_buffer& out, const HostedRoom& room, Number number,
                                std::string_view ticket) const;

  private:
    // Answering (answers.cpp).
    net::Answer begin(Ask& ask, net::Status status) { return desk_.begin(ask, status); }
    net::Answer begin(Later& later, net::Status status) { return desk_.begin(later, status); }
    Later defer(Ask& ask) { return desk_.defer(ask); }
    void refuse(Ask& ask, Code code, std::string_view detail = {}, std::int64_t retry_after = 0);
    void refuse(Later& later, Code code, std::string_view detail = {});
    void write_problem(net::Answer& answer, Code code, std::string_view detail,
                       const RequestId& request_id);

    void route(const net::Request& request, net::Exchange& exchange, Instant now);
    RouteMatch find_route(const net::Request& request) const;
    void dispatch(Ask& ask, const RouteRule& rule);
    bool is_limited_by_dialect(std::string_view path) const;
    std::string user_of(const Ask& ask);
    void miss(Ask& ask); // Nobody has this path.
    void over_limit(Ask& ask, std::int64_t wait_seconds);
    bool may_enter(Ask& ask, Access access, Caller& caller);
    void preflight(Ask& ask);

    // Visitors (visitor_routes.cpp).
    struct Held {
        HostedRoom* room = nullptr;
        Number number = 0;
        std::string_view ticket;
    };
    void answer_standing(net::Answer& answer, const HostedRoom& room, const Standing& standing,
                         std::string_view ticket, std::string_view user, bool secure) const;
    token::NativeTicket ticket_of(const HostedRoom& room, Number number) const;
    std::string ticket_cookie(const HostedRoom& room, Number number, bool secure) const;
    bool find_ticket(Ask& ask, Held& held, bool query_allowed = false);
    void look(Ask& ask);
    void join(Ask& ask);
    void claim(Ask& ask);
    void finish(Ask& ask);
    void leave(Ask& ask);
    void events(Ask& ask);
    void submit_for_standing(Ask& ask, const Held& held, const Command& command);
    void submit_for_nothing(Ask& ask, const Held& held, const Command& command);

    // Rooms, gate and pages (room_routes.cpp, page_routes.cpp).
    HostedRoom* find_room(Ask& ask);
    void room(Ask& ask);
    void pulse(Ask& ask);
    void verify(Ask& ask);
    void redeem(Ask& ask);
    void edge_active(Ask& ask);
    void wait_page(Ask& ask);
    void plain_page(Ask& ask, bool has_left);
    void wait_leave(Ask& ask);
    void demo_target(Ask& ask);
    void front_page(Ask& ask);
    std::string outer_page_of(const HostedRoom& room) const;
    void favicon(Ask& ask);
    void health(Ask& ask);
    void ready(Ask& ask);
    void metrics(Ask& ask);
    void openapi(Ask& ask);

    // Operators (admin_routes.cpp).
    void admin_rooms(Ask& ask);
    void admin_room(Ask& ask);
    void admin_put_room(Ask& ask, const Caller& caller);
    void admin_delete_room(Ask& ask, const Caller& caller);
    void admin_operate(Ask& ask, const Caller& caller);
    void admin_visitors(Ask& ask);
    void admin_audit(Ask& ask);

    Office& office() const { return desk_.office(); }

    ApiShared& shared_;
    Service& service_;
    Hub& hub_;
    net::Loop& loop_;
    Desk desk_;
    std::vector<std::unique_ptr<DialectRoutes>> dialects_;
    std::unique_ptr<GateKeeper> gate_; // Null: there is no gate.
    Latency latency_;
};

// The cookie that carries an entry pass to the gate.
std::string pass_cookie_name(std::string_view room_id);

} // namespace anteroom::api
