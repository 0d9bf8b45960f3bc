// Native: the routes of the server's own API and pages, on one loop. Turns HTTP into commands and
// standings into JSON; decides nothing about rooms.
//
// Life of a poll: look -> the ticket's MAC, no table -> Visits::look -> JSON straight into the
// connection's buffer. No lock, no allocation, no store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/gate_keeper.h"
#include "api/problem.h"
#include "desk/adapter.h"
#include "desk/desk.h"
#include "desk/dialect.h"

namespace anteroom::api {

enum class Role : std::uint8_t {
    everybody,
    admin,
    insider, // A trusted address, or an admin.
};

class Native;

// Everything about a route, once: the router, the check of the role and the OpenAPI document read
// it here. `operation` names its description in api/operations.json.
struct NativeRoute {
    net::Method method;
    std::string_view pattern;
    Role role;
    void (Native::*handler)(Call&);
    std::string_view operation;
    bool is_site = false; // Belongs to the site where one stands behind the gate.
};
std::span<const NativeRoute> native_routes();

// OpenAPI 3.1, put together from the table and the descriptions.
const std::string& openapi_document();

class Native final : public Adapter {
  public:
    using Dialects = std::span<const std::unique_ptr<DialectRoutes>>;

    Native(Desk& desk, Hub& hub, Dialects dialects);

    // Before add_routes().
    void set_gate(GateKeeper* gate) { gate_ = gate; }

    void add_routes(Router& router) override;
    CrossOrigin cross_origin(std::string_view path) const override;
    void refuse_method(Call& call, std::string_view allowed) override;
    void refuse(Call& call, Code code, std::string_view detail = {}, std::int64_t retry_after = 0);

    // The standing of a visitor with what it entitles to, and the state that it tells. Unknown:
    // nothing was written, because what there is to say is not durable yet.
    VisitorState write_standing(fmt::memory_buffer& out, const HostedRoom& room, Number number,
                                std::string_view ticket) const;

    // Visitors (visitor_routes.cpp).
    void look(Call& call);
    void join(Call& call);
    void claim(Call& call);
    void finish(Call& call);
    void leave(Call& call);
    void events(Call& call);

    // Rooms and those who run the server (room_routes.cpp).
    void room(Call& call);
    void pulse(Call& call);
    void health(Call& call);
    void ready(Call& call);
    void metrics(Call& call);
    void openapi(Call& call);

    // Passes (gate_routes.cpp).
    void verify(Call& call);
    void redeem(Call& call);
    void edge_active(Call& call);

    // Pages (page_routes.cpp).
    void wait_page(Call& call);
    void wait_timer(Call& call);
    void wait_leave(Call& call);
    void demo_target(Call& call);
    void front_page(Call& call);
    void favicon(Call& call);

    // Operators (admin_routes.cpp, visitor_list.cpp).
    void admin_rooms(Call& call);
    void admin_room(Call& call);
    void admin_put_room(Call& call);
    void admin_delete_room(Call& call);
    void admin_operate(Call& call);
    void admin_visitors(Call& call);
    void admin_audit(Call& call);

  private:
    friend class StandingAnswer;
    // The place that the request's ticket proves. Answers when there is none.
    struct ShownTicket {
        VisitPlace place;
        std::string_view ticket;
    };
    enum class TicketIn : std::uint8_t { header_or_cookie, query_too };
    std::optional<ShownTicket> show_ticket(Call& call, TicketIn in = TicketIn::header_or_cookie);

    void begin_route(Call& call, const NativeRoute& route);
    bool may_call(Call& call, Role role);
    // Null: there is none, or it cannot be said now; that was answered.
    HostedRoom* find_room(Call& call);
    void refuse(Call& call, const Outcome& outcome);

    void answer_standing(net::Answer& answer, const HostedRoom& room, const Standing& standing,
                         std::string_view ticket, std::string_view user, bool secure) const;
    token::NativeTicket ticket_of(const HostedRoom& room, Number number) const;
    std::string ticket_cookie(const HostedRoom& room, Number number, bool secure) const;
    void submit_for_nothing(Call& call, const Command& command, const VisitPlace& place);
    void plain_page(Call& call, bool has_left);
    std::string outer_page_of(const HostedRoom& room) const;

    Office& office() const { return desk_.office(); }

    Desk& desk_;
    Service& service_;
    Hub& hub_;
    const Dialects dialects_;
    GateKeeper* gate_ = nullptr; // Null: there is no gate.
};

// The cookie that carries an entry pass to the gate.
std::string pass_cookie_name(std::string_view room_id);

} // namespace anteroom::api
