// An event of system T and the people in front of it, for tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>

#include "dialects/tacos/dialect.h"
#include "dialects/tacos/shared.h"
#include "tests/server/test_server.h"

namespace anteroom::tacos {

inline constexpr std::string_view event_id = "evt_2025_1001";

// Nobody's turn comes by itself, nor is it ever lost: tests say when.
inline Rules stopped() {
    return {.min_wait = hours(1), .rate_milli = 0, .enter_window = hours(1)};
}

inline Options options_of(const Rules& rules) {
    return {.room = room_settings(rules, {}),
            .limit_burst = 1'000'000'000,
            .limit_per_second = 500'000'000};
}

struct TestEvent {
    using Response = net::testing::WireResponse;

    explicit TestEvent(Options options = options_of(stopped()), TestOptions others = {})
        : server(with(std::move(options), std::move(others))) {}

    static TestOptions with(Options options, TestOptions others) {
        others.tacos = std::move(options);
        return others;
    }
    static std::string key_header(std::string_view key) {
        return fmt::format("Idempotency-Key: {}\r\n", key);
    }

    Response join_body(std::string_view body, std::string_view headers = {}) {
        return server.ask("POST", "/api/v1/queue/join", headers, body);
    }
    Response join(std::string_view user = {}, std::string_view headers = {}) {
        return join_body(user.empty()
                             ? fmt::format(R"({{"event_id":"{}"}})", event_id)
                             : fmt::format(R"({{"event_id":"{}","user_id":"{}"}})", event_id, user),
                         headers);
    }
    std::string token(std::string_view user = {}) {
        return TestServer::text_of(TestServer::json(join(user)), "waiting_token");
    }
    Response status(std::string_view token) {
        return server.ask("GET", fmt::format("/api/v1/queue/status?token={}", token));
    }
    Response enter(std::string_view token, std::string_view headers = {}) {
        return server.ask("POST", "/api/v1/queue/enter", headers,
                          fmt::format(R"({{"waiting_token":"{}"}})", token));
    }
    std::string grant(std::string_view token) {
        return TestServer::text_of(TestServer::json(enter(token)), "reservation_token");
    }
    Response leave(std::string_view token) {
        return server.ask("DELETE", fmt::format("/api/v1/queue/leave?token={}", token));
    }
    Response verify(std::string_view body, std::string_view headers = {}) {
        return server.ask("POST", "/api/v1/queue/verify", headers, body);
    }

    // What the dialect's loops share.
    Shared& shared() {
        const auto& all = server.shared.dialects;
        const auto found = std::ranges::find(all, info().name, &Dialect::name);
        CHECK(found != all.end());
        return shared_of(**found);
    }
    std::shared_ptr<HostedRoom> room() { return server.service.rooms().share(event_id); }
    // The operator calls so many, whatever the pace.
    void call(std::int64_t count) { server.service.submit(*room(), CallNext{count}, nullptr, {}); }
    // Asks until the visitor may enter.
    void await_ready(std::string_view token) {
        for (;;) {
            const Response said = status(token);
            ASSERT_EQ(said.status, 200) << said.body;
            if (TestServer::json(said).at("ready_for_entry").as_bool()) return;
        }
    }
    std::int64_t position(std::string_view token) {
        return TestServer::json(status(token)).at("position").as_int64();
    }

    TestServer server;
};

// The body, however slow the machine is.
inline std::string timeless(const net::testing::WireResponse& answer) {
    static const std::regex waited(R"("waiting_time":\d+)");
    return std::regex_replace(answer.body, waited, R"("waiting_time":0)");
}

// The error of system T, with this request's id in it.
inline std::string error(const net::testing::WireResponse& answer, std::string_view code,
                         std::string_view message) {
    return fmt::format(R"({{"error":{{"code":"{}","message":"{}","trace_id":"{}"}}}})", code,
                       message, answer.header("x-request-id"));
}

#define EXPECT_ERROR(answer, wanted_status, code, message)           \
    {                                                                \
        const net::testing::WireResponse got = (answer);             \
        EXPECT_EQ(got.status, static_cast<unsigned>(wanted_status)); \
        EXPECT_EQ(got.body, error(got, code, message));              \
        EXPECT_EQ(got.header("content-type"), "application/json");   \
    }

} // namespace anteroom::tacos
