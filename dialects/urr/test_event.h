// An event of system U and the people around it, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/server/test_server.h"

namespace anteroom::urr {

inline constexpr std::string_view event_id = "11111111-2222-3333-4444-555555555555";
inline constexpr std::string_view other_event = "99999999-2222-3333-4444-555555555555";

struct TestEvent {
    using Response = net::testing::WireResponse;

    explicit TestEvent(TestOptions options = {}) : server(unhurried(std::move(options))) {}

    // Nobody is released by itself, and who leaves may come back; the pace that is told is still 50
    // a second.
    static TestOptions unhurried(TestOptions options) {
        Settings& rules = options.defaults.rules;
        rules.outer_interval = hours(1);
        rules.outer_batch = 180'000;
        if (rules.leave_grace > Millis{0}) rules.leave_grace = hours(1);
        return options;
    }

    static std::string as_user(std::string_view user) {
        return fmt::format("X-User-Id: {}\r\n", user);
    }
    static std::string as_boss() { return "X-User-Id: boss\r\nX-User-Role: Admin\r\n"; }

    // Tier 1.
    Response assign(std::string_view user = {}, std::string_view headers = {}) {
        return server.ask("POST", fmt::format("/vwr/assign/{}", event_id), headers,
                          user.empty() ? "" : fmt::format(R"({{"userId":"{}"}})", user));
    }
    Response outer_check(std::string_view request_id, std::string_view user = {}) {
        return server.ask("GET", fmt::format("/vwr/check/{}/{}{}{}", event_id, request_id,
                                             user.empty() ? "" : "?userId=", user));
    }
    Response outer_admin(std::string_view verb, std::string_view body = {}) {
        return server.ask(verb == "status" ? "GET" : "POST",
                          fmt::format("/api/admin/vwr/{}/{}", verb, event_id), as_boss(), body);
    }
    std::string request_id(std::string_view user) {
        return TestServer::text_of(TestServer::json(assign(user)), "requestId");
    }
    // The pass of somebody whose turn it is.
    std::string outer_pass(std::string_view user) {
        const Response answer = outer_check(request_id(user), user);
        return TestServer::text_of(TestServer::json(answer), "token");
    }

    // Tier 2.
    Response inner(std::string_view verb, std::string_view user, std::string_view headers = {}) {
        return server.ask(verb == "status" ? "GET" : "POST",
                          fmt::format("/api/queue/{}/{}", verb, event_id),
                          as_user(user) + std::string(headers));
    }
    static std::string with_outer(std::string_view pass) {
        return fmt::format("Cookie: urr-vwr-token={}\r\n", pass);
    }
    void set_threshold(std::int64_t threshold) {
        const Response answer = server.ask(
            "PUT", fmt::format("/api/queue/admin/threshold/{}?threshold={}", event_id, threshold),
            as_boss());
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    // What a status says once it says `wanted`; asks until then.
    boost::json::object wait_for(std::string_view user, std::string_view wanted) {
        for (;;) {
            const boost::json::object said = TestServer::json(inner("status", user));
            if (TestServer::text_of(said, "status") == wanted || testing::Test::HasFailure())
                return said;
        }
    }

    TestServer server;
};

// One of a crowd. Keys are hashes, and look like it.
inline VisitorKey crowd_key(std::uint64_t n) {
    const std::uint64_t mixed = (n + 1) * 0x9e37'79b9'7f4a'7c15;
    return {.high = mixed, .low = (mixed ^ (mixed >> 29)) * 0xbf58'476d'1ce4'e5b9};
}

// The members of an object in quotes and commas, sorted by name, without the value of tokens:
// bodies are compared whole, whatever the order.
inline std::string shape(const net::testing::WireResponse& answer) {
    boost::json::object object = TestServer::json(answer);
    for (const char* secret : {"token", "entryToken", "vwrToken", "requestId"})
        if (object.contains(secret)) object[secret] = "*";
    std::map<std::string, std::string> members;
    for (const auto& [name, value] : object)
        members[std::string(name)] = boost::json::serialize(value);
    std::string out;
    for (const auto& [name, value] : members)
        out += fmt::format("{}{}:{}", out.empty() ? "" : " ", name, value);
    return out;
}

} // namespace anteroom::urr
