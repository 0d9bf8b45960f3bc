// What a well-behaved client and a well-behaved origin see of the proxy.
#include "gate/proxy.h"

#include <gtest/gtest.h>

#include "gate/proxy_testing.h"

namespace anteroom::gate {

using net::testing::Dial;
using net::testing::eventually;
using net::testing::WireResponse;
using testing::answers;
using testing::Gate;
using testing::get;
using testing::Line;
using testing::read_chunked;
using testing::ScriptedOrigin;

namespace {

// Shows the head it got as the body of its answer.
void show_head(Line& line) {
    for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
        line.read_body(head);
        line.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(head.size()) +
                   "\r\n\r\n" + head);
    }
}

int count(const std::string& text, std::string_view what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

} // namespace

TEST(Proxy, PassesARequestAndItsAnswer) {
    ScriptedOrigin origin([](Line& line) {
        const std::string head = line.read_head();
        EXPECT_TRUE(head.starts_with("GET /shop?item=7 HTTP/1.1\r\n")) << head;
        EXPECT_NE(head.find("\r\nHost: shop.example\r\n"), head.npos);
        line.write(
            "HTTP/1.1 201 Made\r\nETag: \"a\"\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
            "Content-Length: 5\r\n\r\nhello");
        line.read_all();
    });
    const Gate gate({origin.url()});
    const WireResponse got = gate.ask(get("/shop?item=7"));
    EXPECT_EQ(got.status, 201u);
    EXPECT_EQ(got.body, "hello");
    EXPECT_EQ(got.header("ETag"), "\"a\"");
    EXPECT_EQ(count(got.head, "Set-Cookie"), 2);
    EXPECT_EQ(count(got.head, "Content-Length"), 1);
}

TEST(Proxy, KeepsBothConnectionsForTheNextRequest) {
    std::atomic<int> requests{0};
    ScriptedOrigin origin(answers("hello", &requests));
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(dial.ask(get()).body, "hello");
    EXPECT_EQ(requests, 20);
    EXPECT_EQ(origin.connections(), 1);
}

TEST(Proxy, AnswersPipelinedRequestsInOrder) {
    ScriptedOrigin origin([](Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            const std::string path = head.substr(4, head.find(' ', 4) - 4);
            line.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(path.size()) +
                       "\r\n\r\n" + path);
        }
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    std::string all;
    for (int i = 0; i < 40; ++i) all += get("/" + std::to_string(i));
    ASSERT_TRUE(dial.write(all));
    for (int i = 0; i < 40; ++i) EXPECT_EQ(dial.read_response().body, "/" + std::to_string(i));
}

TEST(Proxy, ManyClientsNeverGetEachOthersAnswers) {
    ScriptedOrigin origin(show_head);
    const Gate gate({origin.url()});
    std::vector<std::thread> clients;
    clients.reserve(8);
    for (int n = 0; n < 8; ++n) {
        clients.emplace_back([&gate, n] {
            Dial dial = gate.dial();
            for (int i = 0; i < 50; ++i) {
                const std::string path = "/" + std::to_string(n) + "-" + std::to_string(i);
                const WireResponse got = dial.ask(get(path));
                ASSERT_TRUE(got.body.starts_with("GET " + path + " ")) << got.body;
            }
        });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_LE(origin.connections(), 8);
}

TEST(Proxy, HeadAndBodilessStatusesHaveNoBody) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        line.read_head();
        line.write("HTTP/1.1 204 No Content\r\n\r\n");
        line.read_head();
        line.write("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n");
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    const WireResponse head = dial.ask("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(head.status, 200u);
    EXPECT_EQ(head.header("Content-Length"), "1000");
    const WireResponse none = dial.ask(get());
    EXPECT_EQ(none.status, 204u);
    EXPECT_EQ(none.header("Content-Length"), "");
    EXPECT_EQ(none.header("Transfer-Encoding"), "");
    EXPECT_EQ(dial.ask(get()).status, 304u);
    EXPECT_EQ(dial.ask(get()).body, "ok");
    EXPECT_EQ(origin.connections(), 1);
}

TEST(Proxy, ReencodesChunksAndDropsTrailers) {
    ScriptedOrigin origin([](Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            line.write(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
                "3;note=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 9\r\n\r\n");
        }
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    for (int i = 0; i < 3; ++i) {
        dial.write(get());
        const WireResponse got = dial.read_response();
        EXPECT_EQ(got.header("Transfer-Encoding"), "chunked");
        EXPECT_EQ(got.header("Trailer"), "");
        EXPECT_EQ(read_chunked(dial), "abcde");
    }
    EXPECT_EQ(origin.connections(), 1);
}

TEST(Proxy, AnOldClientGetsUnknownLengthUntilTheEnd) {
    ScriptedOrigin origin([](Line& line) {
        const std::string head = line.read_head();
        EXPECT_TRUE(head.starts_with("GET / HTTP/1.1\r\n"));
        EXPECT_NE(head.find("\r\nHost: 127.0.0.1:"), head.npos); // The client named none.
        line.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("GET / HTTP/1.0\r\n\r\n");
    const std::string all = dial.read_all();
    EXPECT_TRUE(all.ends_with("\r\n\r\nabc")) << all;
    EXPECT_EQ(all.find("chunked"), all.npos);
    EXPECT_NE(all.find("Connection: close"), all.npos);
}

TEST(Proxy, AnAnswerUntilTheEndOfTheConnectionIsPassedOnInChunks) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.0 200 OK\r\n\r\nold words");
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get());
    EXPECT_EQ(dial.read_response().status, 200u);
    EXPECT_EQ(read_chunked(dial), "old words");
    dial.write(get());
    EXPECT_EQ(dial.read_response().status, 200u); // The client's connection was kept.
}

TEST(Proxy, SpoofedIdentityDoesNotArriveAndTheGatesOwnDoes) {
    ScriptedOrigin origin(show_head);
    const Gate gate({origin.url()}, {.identity = {{"X-User-Id", "ann"}, {"X-User-Role", "buyer"}},
                                     .request_id = "0123"});
    const WireResponse got = gate.ask(
        get("/",
            "X-User-Id: eve\r\nx-user-email: e@x\r\nX-USER-ROLE: admin\r\nX_User_Id: eve\r\n"
            "X.User.Role: admin\r\nX-User-Anything: 1\r\nX-Anteroom-Pass: forged\r\n"
            "X-CloudFront-Verified: yes\r\nX_CloudFront_Verified: yes\r\nX-Request-ID: eve\r\n"
            "Cookie: a=1\r\nAuthorization: Bearer t\r\nX-Userland: fine\r\n"));
    const std::string& head = got.body;
    EXPECT_EQ(head.find("eve"), head.npos) << head;
    EXPECT_EQ(head.find("admin"), head.npos) << head;
    EXPECT_EQ(head.find("forged"), head.npos);
    EXPECT_EQ(head.find("erified"), head.npos);
    EXPECT_EQ(head.find("mail"), head.npos);
    EXPECT_NE(head.find("X-User-Id: ann\r\n"), head.npos);
    EXPECT_NE(head.find("X-User-Role: buyer\r\n"), head.npos);
    EXPECT_NE(head.find("X-Request-ID: 0123\r\n"), head.npos);
    EXPECT_NE(head.find("Cookie: a=1\r\n"), head.npos);
    EXPECT_NE(head.find("Authorization: Bearer t\r\n"), head.npos);
    EXPECT_NE(head.find("X-Userland: fine\r\n"), head.npos);
    EXPECT_EQ(got.header("X-Request-ID"), "0123");
}

TEST(Proxy, HostIsTheOriginsOwnWhenTheClientSendsNone) {
    ScriptedOrigin origin(show_head);
    testing::GateOptions options;
    options.proxy.via = "1.1 anteroom";
    const Gate gate({origin.url()}, std::move(options));
    const std::string head = gate.ask("GET / HTTP/1.0\r\n\r\n").body;
    const std::string host = "Host: 127.0.0.1:" + std::to_string(origin.port()) + "\r\n";
    EXPECT_TRUE(head.starts_with("GET / HTTP/1.1\r\n" + host)) << head;
    EXPECT_EQ(count(head, "Host: "), 1);
    EXPECT_NE(head.find("Via: 1.1 anteroom\r\n"), head.npos);
}

TEST(Proxy, AnUpgradeBecomesATunnel) {
    ScriptedOrigin origin([](Line& line) {
        const std::string head = line.read_head();
        EXPECT_NE(head.find("Connection: Upgrade\r\nUpgrade: websocket\r\n"), head.npos) << head;
        EXPECT_NE(head.find("Sec-WebSocket-Key: k\r\n"), head.npos);
        line.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Accept: v\r\n\r\nwelcome");
        for (std::string some = line.read_some(); !some.empty(); some = line.read_some()) {
            line.write("<" + some + ">");
        }
        line.write("bye");
    });
    Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get("/chat",
                   "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                   "Sec-WebSocket-Key: k\r\n"));
    const WireResponse got = dial.read_response();
    EXPECT_EQ(got.status, 101u);
    EXPECT_EQ(got.header("Upgrade"), "websocket");
    EXPECT_EQ(got.header("Sec-WebSocket-Accept"), "v");
    EXPECT_EQ(dial.read_until("welcome"), "welcome");
    for (int i = 0; i < 5; ++i) {
        const std::string word = "word" + std::to_string(i);
        dial.write(word);
        EXPECT_EQ(dial.read_until(">"), "<" + word + ">");
    }
    EXPECT_EQ(gate.stats().tunnels.value(), 1);
    dial.finish_writing();
    EXPECT_EQ(dial.read_all(), "bye");
    EXPECT_TRUE(eventually([&] { return gate.stats().tunnels.value() == 0; }));
}

TEST(Proxy, WhatATunnelsClientSaysTooEarlyArrives) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\n\r\n");
        line.write(line.read_some());
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n") + "early");
    EXPECT_EQ(dial.read_response().status, 101u);
    EXPECT_EQ(dial.read_until("early"), "early");
}

TEST(Proxy, ARefusedUpgradeIsAnOrdinaryAnswer) {
    ScriptedOrigin origin(answers("no"));
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    EXPECT_EQ(dial.ask(get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n")).body, "no");
    EXPECT_EQ(dial.ask(get()).body, "no");
}

TEST(Proxy, EventsArriveOneByOne) {
    std::atomic<int> said{0};
    std::atomic<int> heard{0};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        for (int i = 0; i < 5; ++i) {
            line.write("data: " + std::to_string(i) + "\n\n");
            ++said;
            EXPECT_TRUE(eventually([&] { return heard > i; })); // Waits for the client's ear.
        }
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get("/events"));
    EXPECT_EQ(dial.read_response().status, 200u);
    for (int i = 0; i < 5; ++i) {
        const std::string event = "data: " + std::to_string(i) + "\n\n";
        EXPECT_TRUE(dial.read_until(event).ends_with(event));
        ++heard;
    }
}

TEST(Proxy, AClientThatLeavesTakesItsRequestAlong) {
    std::atomic<bool> ended{false};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
        line.read_all();
        ended = true;
    });
    Gate gate({origin.url()});
    {
        Dial dial = gate.dial();
        dial.write(get("/events"));
        dial.read_until("data: 1\n\n");
        dial.reset();
    }
    EXPECT_TRUE(eventually([&] { return ended.load(); }));
    EXPECT_TRUE(eventually([&] { return gate.stats().under_way.value() == 0; }));
    EXPECT_EQ(gate.stats().abandoned.value(), 1);
}

} // namespace anteroom::gate
