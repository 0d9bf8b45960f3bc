// A queue of system P and the people around it, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/server/test_server.h"

namespace anteroom::portal {

struct TestQueue {
    using Response = net::testing::WireResponse;

    explicit TestQueue(Options portal = {}) : server(with(std::move(portal))) {}
    explicit TestQueue(TestOptions options) : server(std::move(options)) {}

    static TestOptions with(Options portal) {
        TestOptions options;
        options.portal = std::move(portal);
        return options;
    }
    static std::string as_user(std::string_view user) {
        return fmt::format("X-User-Id: {}\r\nX-User-Roles: ROLE_USER\r\n", user);
    }
    static std::string as_seller() {
        return "X-User-Id: seller\r\nX-User-Roles: ROLE_USER,ROLE_SHOPPING_SELLER\r\n";
    }

    Response ask(std::string_view method, std::string_view path, std::string_view user) {
        return server.ask(method, path, as_user(user));
    }
    Response enter(std::string_view user) { return ask("POST", "/queue/TIMEDEAL/42/enter", user); }
    Response status(std::string_view user) { return ask("GET", "/queue/TIMEDEAL/42/status", user); }
    std::string token(std::string_view user) { return text(data(enter(user)), "entryToken"); }
    Response seller(std::string_view verb, std::string_view body = {}) {
        return server.ask(verb == "status" ? "GET" : "POST",
                          fmt::format("/api/v1/seller/queue/TIMEDEAL/42/{}", verb), as_seller(),
                          body);
    }
    static std::string pace(std::int64_t capacity, std::int64_t batch, std::int64_t interval) {
        return fmt::format(R"({{"maxCapacity":{},"entryBatchSize":{},"entryIntervalSeconds":{}}})",
                           capacity, batch, interval);
    }
    void activate(std::int64_t capacity, std::int64_t batch, std::int64_t interval) {
        const Response answer = seller("activate", pace(capacity, batch, interval));
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    // No visitor is called by the clock after user "first", which is inside.
    void activate_slowly(std::int64_t capacity = 1'000) {
        activate(capacity, 1, 3'600);
        enter("first");
        wait_for("first", "ENTERED");
    }
    // What a status says once it says `wanted`; asks until then.
    boost::json::object wait_for(std::string_view user, std::string_view wanted) {
        for (;;) {
            const boost::json::object said = data(status(user));
            if (text(said, "status") == wanted || testing::Test::HasFailure()) return said;
        }
    }
    // What the shop is told of this user.
    Response validate(std::string_view user) {
        return ask("GET", "/queue/TIMEDEAL/42/validate", user);
    }
    // An operator's word about the room, by our own route.
    void operate(std::string_view action) {
        EXPECT_EQ(server
                      .ask("POST", fmt::format("/v1/admin/rooms/TIMEDEAL:42/{}", action),
                           TestServer::as_admin())
                      .status,
                  200);
    }
    // When this process's copy of the room was up to date.
    void set_fresh(Instant at) { server.service.rooms().share("TIMEDEAL:42")->set_fresh(at); }
    std::int64_t inside() { return data(seller("status")).at("enteredCount").as_int64(); }

    static boost::json::object data(const Response& answer) {
        const boost::json::object body = TestServer::json(answer);
        const boost::json::value* found = body.if_contains("data");
        if (found && found->is_object()) return found->as_object();
        ADD_FAILURE() << "no data: " << answer.status << " " << answer.body;
        return {};
    }
    static std::string text(const boost::json::object& object, const char* name) {
        const boost::json::value* found = object.if_contains(name);
        return found && found->is_string() ? std::string(found->as_string().c_str()) : "";
    }

    TestServer server;
};

// Whether the holder of the token may buy there.
inline std::string validate_path(std::string_view token, std::string_view type = "TIMEDEAL",
                                 std::string_view id = "42") {
    return fmt::format("/queue/token/{}/validate?eventType={}&eventId={}", token, type, id);
}

// "404 " and the body, without what differs from run to run: times and, where asked, tokens.
inline std::string shape(const net::testing::WireResponse& answer, bool with_token = false) {
    std::string body = answer.body;
    const auto hide = [&](std::string_view before, std::size_t length) {
        for (std::size_t at = 0; (at = body.find(before, at)) != body.npos;)
            body.replace(at += before.size(), length, "*");
    };
    hide(R"("timestamp":")", std::string_view("2026-02-06T14:30:00.123").size());
    if (!with_token) hide(R"("entryToken":")", 36);
    return std::to_string(answer.status) + " " + body;
}

inline std::string error(int status, std::string_view code, std::string_view message) {
    return fmt::format(
        R"({} {{"success":false,"error":{{"code":"{}","message":"{}","timestamp":"*"}}}})", status,
        code, message);
}
inline std::string gateway_error(int status, std::string_view code, std::string_view message) {
    return fmt::format(
        R"({} {{"success":false,"data":null,"error":{{"code":"{}","message":"{}","timestamp":"*"}}}})",
        status, code, message);
}

inline const std::string no_queue = error(404, "S801", "Waiting queue not found");
inline const std::string no_entry = error(404, "S803", "Queue entry not found");
inline const std::string required = error(403, "S806", "Queue entry is required for this event");
inline const std::string too_early = error(403, "S805", "Not allowed to enter yet");
inline const std::string unavailable =
    gateway_error(503, "GW-F003", "Service temporarily unavailable");
inline const std::string success = R"(200 {"success":true})";

inline std::string status_body(std::string_view status, std::string_view message) {
    return fmt::format(
        R"({{"entryToken":"*","status":"{}","position":0,"estimatedWaitSeconds":0,"totalWaiting":0,"message":"{}"}})",
        status, message);
}
inline std::string waiting_body(int position, int wait, int total) {
    return fmt::format(
        R"({{"entryToken":"*","status":"WAITING","position":{},"estimatedWaitSeconds":{},"totalWaiting":{},"message":"현재 {}번째 대기 중입니다. 예상 대기 시간: {}초"}})",
        position, wait, total, position, wait);
}
inline std::string ok(std::string_view data) {
    return fmt::format(R"(200 {{"success":true,"data":{}}})", data);
}
inline const std::string entered = status_body("ENTERED", "입장이 완료되었습니다.");
inline const std::string expired = status_body("EXPIRED", "대기열이 만료되었습니다.");
inline const std::string left = status_body("LEFT", "대기열에서 나갔습니다.");

} // namespace anteroom::portal
