// A visitor's way through the native API, on the wire.
#include <gtest/gtest.h>

#include <set>

#include "tests/server/test_server.h"

namespace anteroom::api {
namespace {

using net::testing::Dial;
using net::testing::eventually;

RoomSettings one_slot() {
    RoomSettings settings;
    settings.rules.capacity = 1;
    settings.rules.leave_grace = hours(1); // Who comes back is never too late.
    settings.profile.target = "/inside";
    settings.profile.message = "Patience \"please\" \xc3\xa9";
    return settings;
}

TEST(Visitor, TakesAPlaceOnceHoweverOftenAsked) {
    TestServer server({.defaults = one_slot()});
    const auto first = server.ask("POST", "/v1/rooms/r/tickets", "", R"({"visitor":"ann"})");
    EXPECT_EQ(first.status, 201u);
    const auto again = server.ask("POST", "/v1/rooms/r/tickets", "", R"({"visitor":"ann"})");
    EXPECT_EQ(again.status, 200u);
    EXPECT_EQ(TestServer::json(first).at("ticket"), TestServer::json(again).at("ticket"));
    EXPECT_FALSE(first.header("X-Request-ID").empty());
    EXPECT_EQ(first.header("Cache-Control"), "no-store");
}

TEST(Visitor, TheStandingSaysWhatTheContractSays) {
    TestServer server({.defaults = one_slot()});
    server.join("r", "ann");
    const auto bob = server.join("r", "bob");
    EXPECT_EQ(TestServer::text_of(bob, "room"), "r");
    EXPECT_EQ(TestServer::text_of(bob, "state"), "waiting");
    EXPECT_EQ(bob.at("number"), 2);
    EXPECT_EQ(bob.at("ahead"), 0);
    EXPECT_EQ(bob.at("behind"), 0);
    EXPECT_TRUE(bob.at("eta_seconds").is_null()); // Nobody has come out yet: unknown, not a guess.
    EXPECT_EQ(bob.at("poll_after_seconds"), 2);
    EXPECT_EQ(TestServer::text_of(bob, "message"), "Patience \"please\" \xc3\xa9");
    EXPECT_EQ(TestServer::text_of(bob, "target"), "/inside");
    EXPECT_EQ(TestServer::text_of(bob, "room_state"), "open");
    EXPECT_FALSE(bob.contains("pass"));
}

TEST(Visitor, AnAnonymousBrowserIsKnownByItsCookies) {
    TestServer server({.trust_loopback = false, .defaults = one_slot()});
    const auto joined = server.ask("POST", "/v1/rooms/r/tickets");
    EXPECT_EQ(joined.status, 201u);
    std::string cookies;
    for (std::size_t at = 0; (at = joined.head.find("Set-Cookie: ", at)) != std::string::npos;
         ++at) {
        const std::string line =
            joined.head.substr(at + 12, joined.head.find("\r\n", at) - at - 12);
        EXPECT_NE(line.find("HttpOnly"), std::string::npos);
        EXPECT_NE(line.find("SameSite=Lax"), std::string::npos);
        cookies += (cookies.empty() ? "" : "; ") + line.substr(0, line.find(';'));
    }
    const std::string header = "Cookie: " + cookies + "\r\n";
    const auto looked = server.ask("GET", "/v1/rooms/r/ticket", header);
    EXPECT_EQ(looked.status, 200u);
    EXPECT_EQ(TestServer::json(looked).at("number"), 1);
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets", header).status, 200u);
    // Without the cookie it is somebody else.
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets").status, 201u);
}

TEST(Visitor, MayNotSpeakForOthersUnlessTrusted) {
    TestServer server({.trust_loopback = false});
    const auto named = server.ask("POST", "/v1/rooms/r/tickets", "", R"({"visitor":"ann"})");
    EXPECT_EQ(named.status, 403u);
    EXPECT_EQ(TestServer::code(named), "forbidden");
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets", "X-User-Id: ann\r\n", "{}").status, 201u);
    EXPECT_EQ(server.service.rooms().find("r")->view().find(
                  (*Office::open(server.keys, {}))->key_of("ann")),
              0u); // The header of an untrusted client made nobody of it.
}

TEST(Visitor, BehindATrustedProxyTheBodyOfAnOutsiderDoesNotCount) {
    TestServer server;
    const std::string forwarded = "X-Forwarded-For: 203.0.113.7\r\n";
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets", forwarded, R"({"visitor":"ann"})").status,
              403u);
    EXPECT_EQ(server
                  .ask("POST", "/v1/rooms/r/tickets", forwarded + "X-User-Id: ann\r\n",
                       R"({"visitor":"ann"})")
                  .status,
              201u);
}

TEST(Visitor, TicketsCountInTheirRoomOnly) {
    TestServer server;
    const std::string ticket = TestServer::text_of(server.join("r", "ann"), "ticket");
    server.join("other", "bob");
    const auto look = [&](std::string_view room, std::string_view shown) {
        return server.ask("GET", fmt::format("/v1/rooms/{}/ticket", room),
                          TestServer::bearer(shown));
    };
    EXPECT_EQ(look("r", ticket).status, 200u);
    EXPECT_EQ(look("other", ticket).status, 401u);
    EXPECT_EQ(look("nowhere", ticket).status, 404u);
    EXPECT_EQ(TestServer::code(look("nowhere", ticket)), "room_not_found");
    for (std::size_t i = 0; i < ticket.size(); ++i) {
        std::string forged = ticket;
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        EXPECT_EQ(look("r", forged).status, 401u) << i;
    }
    EXPECT_EQ(server.ask("GET", "/v1/rooms/r/ticket").status, 401u);
    EXPECT_EQ(TestServer::code(server.ask("GET", "/v1/rooms/r/ticket")), "ticket_invalid");
}

TEST(Visitor, IsCalledGoesInAndIsDone) {
    TestServer server({.defaults = one_slot()});
    const std::string ann =
        TestServer::bearer(TestServer::text_of(server.join("r", "ann"), "ticket"));
    const std::string bob =
        TestServer::bearer(TestServer::text_of(server.join("r", "bob"), "ticket"));
    const auto early = server.ask("POST", "/v1/rooms/r/ticket/claim", bob);
    EXPECT_EQ(early.status, 409u);
    EXPECT_EQ(TestServer::code(early), "not_called");

    const auto inside = TestServer::json(server.ask("GET", "/v1/rooms/r/ticket", ann));
    EXPECT_EQ(TestServer::text_of(inside, "state"), "active");
    EXPECT_GT(inside.at("lease_expires_in").as_int64(), 500);
    const std::string pass = TestServer::text_of(inside, "pass");
    const auto verify = [&] {
        return server.ask("GET", "/v1/verify?room=r", TestServer::bearer(pass));
    };
    EXPECT_EQ(verify().status, 204u);
    EXPECT_EQ(verify().header("X-Anteroom-Room"), "r");
    EXPECT_EQ(server.ask("GET", "/v1/verify?room=other", TestServer::bearer(pass)).status, 403u);

    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/ticket/finish", ann).status, 204u);
    EXPECT_EQ(verify().status, 403u); // The pass is fresh, the visit is over.
    EXPECT_TRUE(eventually([&] {
        return TestServer::text_of(TestServer::json(server.ask("GET", "/v1/rooms/r/ticket", bob)),
                                   "state") == "active";
    }));
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/ticket/claim", bob).status, 200u);
    EXPECT_EQ(TestServer::text_of(TestServer::json(server.ask("GET", "/v1/rooms/r/ticket", ann)),
                                  "state"),
              "finished");
}

TEST(Visitor, LeavesAndComesBackToTheSamePlace) {
    TestServer server({.defaults = one_slot()});
    server.join("r", "ann");
    const auto bob = server.join("r", "bob");
    const std::string ticket = TestServer::bearer(TestServer::text_of(bob, "ticket"));
    EXPECT_EQ(server.ask("DELETE", "/v1/rooms/r/ticket", ticket).status, 204u);
    EXPECT_EQ(server.ask("DELETE", "/v1/rooms/r/ticket", ticket).status, 204u);
    EXPECT_EQ(server.join("r", "bob").at("number"), 2);
}

struct Bad {
    const char* what;
    const char* method;
    const char* path;
    const char* body;
    unsigned status;
    const char* code;
};

TEST(Visitor, BadInputGetsAClearAnswer) {
    TestServer server;
    server.join("r", "ann");
    const Bad rows[] = {
        {"no JSON", "POST", "/v1/rooms/r/tickets", "{", 400, "bad_request"},
        {"no object", "POST", "/v1/rooms/r/tickets", "[1]", 400, "bad_request"},
        {"wrong type", "POST", "/v1/rooms/r/tickets", R"({"visitor":7})", 400, "bad_request"},
        {"empty visitor", "POST", "/v1/rooms/r/tickets", R"({"visitor":""})", 400, "bad_request"},
        {"unknown lane", "POST", "/v1/rooms/r/tickets", R"({"visitor":"x","lane":"vip"})", 400,
         "bad_request"},
        {"deep nesting", "POST", "/v1/rooms/r/tickets", R"({"a":[[[[[[[[[[[[1]]]]]]]]]]]]})", 400,
         "bad_request"},
        {"bad room id", "GET", "/v1/rooms/r%20r", "", 400, "bad_request"},
        {"room id with NUL", "GET", "/v1/rooms/r%00", "", 400, "bad_request"},
        {"room id with a slash", "GET", "/v1/rooms/a%2fb", "", 400, "bad_request"},
        {"unknown room", "GET", "/v1/rooms/none", "", 404, "room_not_found"},
        {"unknown path", "GET", "/v1/nothing", "", 404, "not_found"},
        {"trailing slash", "GET", "/v1/rooms/r/", "", 404, "not_found"},
        {"empty segment", "GET", "/v1/rooms//ticket", "", 404, "not_found"},
        {"wrong method", "PATCH", "/v1/rooms/r/ticket", "", 405, "method_not_allowed"},
        {"verify without a room", "GET", "/v1/verify", "", 400, "bad_request"},
        {"verify without a pass", "GET", "/v1/verify?room=r", "", 401, "unauthorized"},
    };
    for (const Bad& row : rows) {
        const auto answer = server.ask(row.method, row.path, "", row.body);
        EXPECT_EQ(answer.status, row.status) << row.what << " " << answer.body;
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json") << row.what;
        EXPECT_EQ(TestServer::code(answer), row.code) << row.what;
        EXPECT_EQ(TestServer::json(answer).at("status"), row.status) << row.what;
    }
    const std::string long_id(129, 'a');
    EXPECT_EQ(server.ask("POST", "/v1/rooms/" + long_id + "/tickets").status, 400u);
    EXPECT_EQ(server.ask("POST", "/v1/rooms/" + long_id.substr(1) + "/tickets").status, 201u);
    const std::string long_visitor = R"({"visitor":")" + std::string(257, 'v') + R"("})";
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets", "", long_visitor).status, 400u);
}

TEST(Visitor, WhatTheEdgeRefusesIsAProblemDocumentToo) {
    TestServer server;
    Dial dial(server.port());
    const auto answer = dial.ask("GET /v1/rooms/r HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    EXPECT_EQ(answer.status, 400u);
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    EXPECT_FALSE(answer.header("X-Request-ID").empty());
    EXPECT_EQ(TestServer::text_of(TestServer::json(answer), "request_id"),
              answer.header("X-Request-ID"));
}

TEST(Visitor, OneAddressCannotTakeAllThePlaces) {
    TestServer server({.trust_loopback = false, .joins_per_second = 0.001});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets").status, 201u);
    const auto refused = server.ask("POST", "/v1/rooms/r/tickets");
    EXPECT_EQ(refused.status, 429u);
    EXPECT_EQ(TestServer::code(refused), "rate_limited");
    EXPECT_GE(std::stoi(refused.header("Retry-After")), 5);
}

TEST(Visitor, RoomsAreMadeByFirstUseOnlyWhereThatIsAllowed) {
    TestServer server({.create_on_first_use = false});
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets").status, 404u);
    EXPECT_EQ(server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), "{}").status, 201u);
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets").status, 201u);
}

TEST(Visitor, FullDrainingAndClosedRoomsSaySo) {
    TestServer server;
    server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(),
               R"({"capacity":0,"waiting_max":1})");
    server.join("r", "ann");
    const auto full = server.ask("POST", "/v1/rooms/r/tickets", "", R"({"visitor":"bob"})");
    EXPECT_EQ(full.status, 503u);
    EXPECT_EQ(TestServer::code(full), "room_full");
    EXPECT_FALSE(full.header("Retry-After").empty());
    for (const std::string action : {"drain", "close"}) {
        server.ask("POST", "/v1/admin/rooms/r/" + action, TestServer::as_admin());
        const auto refused = server.ask("POST", "/v1/rooms/r/tickets", "", R"({"visitor":"eve"})");
        EXPECT_EQ(refused.status, 409u);
        EXPECT_EQ(TestServer::code(refused), action == "drain" ? "room_draining" : "room_closed");
    }
}

TEST(Visitor, ThePulseIsTheSameForEverybodyAndCacheable) {
    TestServer server({.defaults = one_slot()});
    server.join("r", "ann");
    server.join("r", "bob");
    const auto pulse = server.ask("GET", "/v1/rooms/r/pulse");
    EXPECT_EQ(pulse.status, 200u);
    EXPECT_EQ(pulse.header("Cache-Control"), "public, max-age=1");
    EXPECT_EQ(pulse.header("Set-Cookie"), "");
    EXPECT_EQ(TestServer::json(pulse).at("v"), 1);
    EXPECT_TRUE(eventually([&] {
        return TestServer::json(server.ask("GET", "/v1/rooms/r/pulse")).at("waiting") == 1;
    }));
}

TEST(Visitor, IsToldByEventsWhatHappens) {
    TestServer server({.defaults = one_slot()});
    const std::string ann =
        TestServer::bearer(TestServer::text_of(server.join("r", "ann"), "ticket"));
    const std::string bob = TestServer::text_of(server.join("r", "bob"), "ticket");
    Dial stream(server.port());
    stream.write(TestServer::text("GET", "/v1/rooms/r/events?ticket=" + bob));
    EXPECT_EQ(stream.read_response(true).header("Content-Type"), "text/event-stream");
    const std::string first = stream.read_until("\n\n");
    EXPECT_NE(first.find("event: standing"), std::string::npos) << first;
    EXPECT_NE(first.find("retry: "), std::string::npos);
    EXPECT_NE(first.find(R"("state":"waiting")"), std::string::npos);
    EXPECT_NE(stream.read_until("event: pulse"), "");
    server.ask("POST", "/v1/rooms/r/ticket/finish", ann);
    EXPECT_NE(stream.read_until("event: called"), "");
    EXPECT_NE(stream.read_until("\n\n").find(R"("pass":")"), std::string::npos);
    server.ask("POST", "/v1/rooms/r/ticket/finish", TestServer::bearer(bob));
    EXPECT_NE(stream.read_until("event: ended"), "");
    EXPECT_NE(stream.read_all().find(R"("state":"finished")"),
              std::string::npos); // And the stream ends.
}

TEST(Visitor, AStreamClaimsNoCall) {
    TestServer server({.defaults = one_slot()});
    const std::string ann =
        TestServer::bearer(TestServer::text_of(server.join("r", "ann"), "ticket"));
    const std::string bob = TestServer::text_of(server.join("r", "bob"), "ticket");
    server.ask("POST", "/v1/rooms/r/ticket/finish", ann);
    const auto state = [&] { return server.service.rooms().share("r")->view().standing(2).state; };
    ASSERT_TRUE(eventually([&] { return state() == VisitorState::called; }));
    Dial stream(server.port());
    stream.write(TestServer::text("GET", "/v1/rooms/r/events?ticket=" + bob));
    stream.read_response(true);
    EXPECT_NE(stream.read_until("\n\n").find(R"("state":"called")"), std::string::npos);
    EXPECT_EQ(state(), VisitorState::called) << "the visitor comes by asking or claiming";
    server.ask("GET", "/v1/rooms/r/ticket", TestServer::bearer(bob));
    EXPECT_EQ(state(), VisitorState::active);
}

TEST(Visitor, AStreamHearsWhatChangedAndNothingElse) {
    RoomSettings still = one_slot();
    still.rules.capacity = 0;
    TestServer server({.defaults = still});
    const std::string ann = TestServer::text_of(server.join("r", "ann"), "ticket");
    Dial stream(server.port());
    stream.write(TestServer::text("GET", "/v1/rooms/r/events?ticket=" + ann));
    stream.read_response(true);
    EXPECT_NE(stream.read_until("event: pulse"), "");
    stream.read_until("\n\n");
    // The document of the room is made anew every second; the next event is the operator's message.
    const auto pulse_at = [&] {
        return TestServer::json(server.ask("GET", "/v1/rooms/r/pulse")).at("at").as_int64();
    };
    const std::int64_t seen = pulse_at();
    EXPECT_TRUE(eventually([&] { return pulse_at() - seen >= 2'500; }));
    server.ask("PUT", "/v1/admin/rooms/r", TestServer::as_admin(), R"({"message":"soon"})");
    const std::string next = stream.read_until("\n\n");
    EXPECT_NE(next.find(R"("message":"soon")"), std::string::npos) << next;
}

TEST(Visitor, CrossOriginCallsAreForTheOriginsThatAreNamed) {
    TestServer server({.cors_origins = {"https://shop.example"}});
    const auto allowed =
        server.ask("OPTIONS", "/v1/rooms/r/tickets", "Origin: https://shop.example\r\n");
    EXPECT_EQ(allowed.status, 204u);
    EXPECT_EQ(allowed.header("Access-Control-Allow-Origin"), "https://shop.example");
    EXPECT_EQ(
        server.ask("OPTIONS", "/v1/rooms/r/tickets", "Origin: https://evil.example\r\n").status,
        403u);
    const auto joined =
        server.ask("POST", "/v1/rooms/r/tickets", "Origin: https://shop.example\r\n");
    EXPECT_EQ(joined.header("Access-Control-Allow-Credentials"), "true");
    EXPECT_EQ(server.ask("POST", "/v1/rooms/r/tickets", "Origin: https://evil.example\r\n")
                  .header("Access-Control-Allow-Origin"),
              "");
}

} // namespace
} // namespace anteroom::api
