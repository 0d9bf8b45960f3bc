// The queue of a concert hall and the people around it, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "tests/server/test_server.h"

namespace anteroom::hhplus {

inline constexpr std::string_view refused =
    R"({"result":"ERROR","data":null,"error":"접근이 거부되었습니다."})";
inline constexpr std::string_view malformed =
    R"({"result":"ERROR","data":null,"error":"잘못된 요청입니다."})";
inline constexpr std::string_view success = R"({"result":"SUCCESS","data":null,"error":null})";
inline constexpr std::string_view active =
    R"({"result":"SUCCESS","data":{"status":"ACTIVE","rank":null},"error":null})";

inline std::string waiting(int rank) {
    return fmt::format(
        R"({{"result":"SUCCESS","data":{{"status":"WAITING","rank":{}}},"error":null}})", rank);
}

// Nobody is activated by itself: the tests say when.
inline TestOptions quiet_hall() {
    TestOptions options;
    options.hhplus.emplace();
    options.hhplus->settings.rules.wait_min = hours(1);
    return options;
}

struct TestHall {
    using Response = net::testing::WireResponse;

    explicit TestHall(TestOptions options = quiet_hall()) : server(std::move(options)) {}

    static std::string as(int user) { return fmt::format("userId: {}\r\n", user); }
    static std::string with(std::string_view token) { return fmt::format("token: {}\r\n", token); }

    Response issue(std::string_view headers) {
        return server.ask("POST", "/api/v1/queues/token", headers);
    }
    // The token of this user.
    std::string token(int user) {
        const Response answer = issue(as(user));
        EXPECT_EQ(answer.status, 200) << answer.body;
        const boost::json::object all = TestServer::json(answer);
        return TestServer::text_of(all.at("data").as_object(), "token");
    }
    Response rank(std::string_view headers) {
        return server.ask("GET", "/api/v1/queues/token/rank", headers);
    }
    Response rank(int user, std::string_view token) { return rank(as(user) + with(token)); }
    Response tell(std::string_view what, std::string_view token) {
        return server.ask("POST", fmt::format("/api/v1/queues/token/{}", what), with(token));
    }
    // What a tick of the scheduler does.
    void activate(int count) {
        const Response answer =
            server.ask("POST", "/v1/admin/rooms/hhplus/call", TestServer::as_admin(),
                       fmt::format(R"({{"count":{}}})", count));
        EXPECT_EQ(answer.status, 200) << answer.body;
    }
    const HostedRoom& room() { return *server.service.rooms().share("hhplus"); }
    // How long the visitor with this number may stay.
    Millis stays(Number number) {
        return room().view().standing(number).until - server.service.clock().now();
    }

    TestServer server;
};

} // namespace anteroom::hhplus
