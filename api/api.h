// Api: the native routes, on one loop. Turns HTTP into commands and standings into JSON; decides
// nothing about rooms.
//
// Life of a poll: route -> ticket (one MAC, no table) -> room -> touch and standing -> JSON
// straight into the connection's buffer. No lock, no allocation, no store.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/caller.h"
#include "api/latency.h"
#include "api/office.h"
#include "api/problem.h"
#include "api/request_id.h"
#include "api/routes.h"
#include "net/exchange.h"
#include "service/address_limiter.h"
#include "service/history.h"
#include "service/service.h"

namespace anteroom::api {

// The same for all loops.
struct ApiShared {
    Service& service;
    std::string admin_token;
    std::vector<std::string> cors_origins; // "*" for any; without credentials then.
    std::unique_ptr<AddressLimiter> join_limiter;
    std::function<std::string()> metrics; // The whole text.
    History* history = nullptr;           // Null: only what rooms know themselves.
    std::atomic<bool> stopping{false};
    bool has_demo = false;
};

class Api final : public net::Handler {
  public:
    Api(ApiShared& shared, std::size_t slot, net::Loop& loop, std::unique_ptr<Office> office);

    void handle(const net::Request& request, net::Exchange& exchange) override;
    void refused(const net::Refusal& refusal, net::Answer& answer) override;

    // After the keys changed.
    void set_office(std::unique_ptr<Office> office) { office_ = std::move(office); }

    // From the parsed request to the answer, or to its being put off.
    const Latency& latency() const { return latency_; }

    // The standing of a visitor with what it entitles to, and the state that it tells. Unknown:
    // nothing was written, because what there is to say is not durable yet.
    VisitorState write_standing(fmt::memory_buffer& out, const HostedRoom& room, Number number,
                                std::string_view ticket) const;

  private:
    struct Ask {
        const net::Request& request;
        net::Exchange& exchange;
        std::string_view room_id; // Decoded; empty when the route has none.
        std::string_view action;
        Instant now;
        RequestId request_id;
    };
    // What an answer needs that may be written after the request is gone.
    struct Later {
        net::Reply reply;
        RequestId request_id;
        std::string origin;
    };

    // Answering (answers.cpp).
    net::Answer begin(Ask& ask, net::Status status);
    net::Answer begin(Later& later, net::Status status);
    void dress(net::Answer& answer, const RequestId& request_id, std::string_view origin) const;
    void refuse(Ask& ask, Code code, std::string_view detail = {}, std::int64_t retry_after = 0);
    void refuse(Later& later, Code code, std::string_view detail = {});
    void write_problem(net::Answer& answer, Code code, std::string_view detail,
                       const RequestId& request_id);
    Later defer(Ask& ask);
    std::string_view allowed_origin(const net::Request& request) const;
    RequestId new_request_id(const net::Request& request);

    void route(const net::Request& request, net::Exchange& exchange, Instant now);
    void dispatch(Ask& ask, const RouteRule& rule);
    bool may_enter(Ask& ask, Access access, Caller& caller);
    void preflight(Ask& ask);

    // Visitors (visitor_routes.cpp).
    struct Held {
        HostedRoom* room = nullptr;
        Number number = 0;
        std::string_view ticket;
    };
    struct IssuedPass {
        std::string text;
        std::int64_t expires_in_seconds = 0;
    };
    std::optional<IssuedPass> issue_pass(const HostedRoom& room, const Standing& standing,
                                         std::string_view user, Instant now) const;
    void answer_standing(net::Answer& answer, const HostedRoom& room, const Standing& standing,
                         std::string_view ticket, std::string_view user, bool secure) const;
    struct Visitor {
        std::string id;
        VisitorKey key;
        std::string cookie; // To be set, when we named the visitor.
    };
    std::optional<Visitor> name_visitor(const Ask& ask, std::string_view user);
    std::int64_t join_wait(const Ask& ask); // Seconds until this address may join; takes one if 0.
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
    void wait_page(Ask& ask);
    void plain_page(Ask& ask, bool has_left);
    void wait_leave(Ask& ask);
    void demo_target(Ask& ask);
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
    void note(Ask& ask, const Caller& caller, std::string action, std::string detail);

    ApiShared& shared_;
    Service& service_;
    Hub& hub_;
    net::Loop& loop_;
    std::unique_ptr<Office> office_;
    Latency latency_;
    std::uint32_t request_count_ = 0;
    std::uint32_t request_seed_ = 0; // Tells this process and loop from others.
};

// The cookie that carries an entry pass to the gate.
std::string pass_cookie_name(std::string_view room_id);

} // namespace anteroom::api
