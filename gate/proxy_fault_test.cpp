// Origins that misbehave, each in one way: the client gets 502, 504 or a correct stream, never an
// answer that looks whole and is not, never somebody else's.
#include <gtest/gtest.h>

#include <optional>

#include "gate/proxy_testing.h"

namespace anteroom::gate {

using net::testing::Dial;
using net::testing::eventually;
using net::testing::WireResponse;
using testing::answers;
using testing::Gate;
using testing::GateOptions;
using testing::get;
using testing::Line;
using testing::read_chunked;
using testing::ScriptedOrigin;

namespace {

const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

GateOptions impatient() {
    GateOptions options;
    options.proxy.limits = {
        .first_byte = Millis{60}, .idle = Millis{60}, .tunnel_idle = Millis{60}};
    options.proxy.origins.health.failures_max = 1'000;
    return options;
}

GateOptions patient() {
    GateOptions options;
    options.proxy.origins.health.failures_max = 1'000;
    return options;
}

// Says the same to the first request of every connection, then hangs up.
ScriptedOrigin::Script says(std::string bytes) {
    return [bytes = std::move(bytes)](Line& line) {
        const std::string head = line.read_head();
        if (head.empty()) return;
        line.read_body(head);
        line.write(bytes);
    };
}

// The status that a GET gets of an origin that says this and hangs up.
unsigned status_of(std::string bytes) {
    ScriptedOrigin origin(says(std::move(bytes)));
    const Gate gate({origin.url()}, patient());
    return gate.ask(get()).status;
}

} // namespace

TEST(ProxyFault, RefusedConnection) {
    const net::testing::ClosedPort closed;
    const Gate gate({closed.url()});
    Dial dial = gate.dial();
    const WireResponse got = dial.ask(get());
    EXPECT_EQ(got.status, 502u);
    EXPECT_EQ(got.body, "the origin cannot be reached");
    EXPECT_EQ(dial.ask(get()).status, 502u); // The client's connection is none the worse.
}

TEST(ProxyFault, HangsUpWithoutAWord) {
    ScriptedOrigin origin([](Line& line) { line.read_head(); });
    const Gate gate({origin.url()});
    EXPECT_EQ(gate.ask(get()).status, 502u);
}

TEST(ProxyFault, ResetsInsteadOfAnAnswer) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.reset();
    });
    const Gate gate({origin.url()});
    EXPECT_EQ(gate.ask(get()).status, 502u);
}

TEST(ProxyFault, ResetsInTheHead) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Le");
        line.reset();
    });
    const Gate gate({origin.url()});
    EXPECT_EQ(gate.ask(get()).status, 502u);
}

TEST(ProxyFault, ResetsInTheBody) {
    std::atomic<bool> heard{false};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        EXPECT_TRUE(eventually([&] { return heard.load(); }));
        line.reset();
    });
    Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get());
    EXPECT_TRUE(dial.read_until("half").ends_with("half"));
    heard = true;
    EXPECT_EQ(dial.read_some(), ""); // Cut, and not filled up with anything.
    EXPECT_TRUE(eventually([&] { return gate.stats().cuts.value() == 1; }));
}

TEST(ProxyFault, BodyShorterThanItsLength) {
    ScriptedOrigin origin(says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"));
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get());
    const std::string all = dial.read_all();
    EXPECT_NE(all.find("Content-Length: 100"), all.npos);
    EXPECT_TRUE(all.ends_with("short")); // And then the end, which tells that it is not whole.
}

TEST(ProxyFault, BodyLongerThanItsLength) {
    ScriptedOrigin origin([](Line& line) {
        const bool first = line.number() == 0;
        if (line.read_head().empty()) return;
        line.write(first ? ok + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison" : ok);
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    EXPECT_EQ(dial.ask(get()).body, "ok");
    EXPECT_EQ(dial.ask(get()).body, "ok"); // On another connection: the rest went nowhere.
    EXPECT_EQ(origin.connections(), 2);
}

TEST(ProxyFault, AnAnswerNobodyAskedForIsNotGivenToTheNext) {
    std::atomic<bool> poisoned{false};
    ScriptedOrigin origin([&](Line& line) {
        if (line.read_head().empty()) return;
        line.write(ok);
        if (line.number() == 0) {
            EXPECT_TRUE(eventually([&] { return poisoned.load(); }));
            line.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
        }
        line.read_all();
    });
    Gate gate({origin.url()});
    EXPECT_EQ(gate.ask(get()).body, "ok");
    poisoned = true;
    EXPECT_TRUE(eventually([&] {
        return gate.thread().call(
            [&] { return gate.origins().all_testing()[0]->pool.idle() == 0; });
    }));
    EXPECT_EQ(gate.ask(get()).body, "ok");
}

TEST(ProxyFault, GarbageInsteadOfAStatusLine) {
    EXPECT_EQ(status_of("SSH-2.0-OpenSSH\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/2.0 200 OK\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 20 OK\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 2000 OK\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 999 No\r\nContent-Length: 0\r\n\r\n"), 502u);
    EXPECT_EQ(status_of(std::string("\0\x01\x02", 3)), 502u);
}

TEST(ProxyFault, HeadsThatAreNone) {
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\nContent-Length: 0\n\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nA : 1\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"), 502u);
    EXPECT_EQ(status_of(std::string("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", 25)), 502u);
}

TEST(ProxyFault, FramingThatCanBeReadTwoWays) {
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
              502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), 502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "2\r\nab\r\n0\r\n\r\n"),
              502u);
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
              502u);
    EXPECT_EQ(status_of("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 502u);
}

TEST(ProxyFault, HeaderBomb) {
    EXPECT_EQ(status_of("HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'x') + "\r\n\r\n"), 502u);
    std::string many = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 200; ++i) many += "A: 1\r\n";
    EXPECT_EQ(status_of(many + "Content-Length: 0\r\n\r\n"), 502u);
}

TEST(ProxyFault, FloodOfInterimAnswers) {
    std::string flood;
    for (int i = 0; i < 50; ++i) flood += "HTTP/1.1 102 Processing\r\n\r\n";
    ScriptedOrigin origin(says(flood + ok));
    const Gate gate({origin.url()}, patient());
    Dial dial = gate.dial();
    dial.write(get());
    const std::string all = dial.read_until("many 1xx responses");
    EXPECT_NE(all.find("HTTP/1.1 502 "), all.npos) << all;
}

TEST(ProxyFault, AFewInterimAnswersPass) {
    ScriptedOrigin origin(says("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + ok));
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get());
    const WireResponse hints = dial.read_response();
    EXPECT_EQ(hints.status, 103u);
    EXPECT_EQ(hints.header("Link"), "</a.css>");
    EXPECT_EQ(dial.read_response().body, "ok");
}

TEST(ProxyFault, AnUpgradeNobodyAskedFor) {
    EXPECT_EQ(status_of("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes"), 502u);
}

TEST(ProxyFault, ChunksThatAreNone) {
    for (const char* chunks :
         {"zz\r\n", "5\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n", "-1\r\n", "3 \r\nabc\r\n0\r\n\r\n",
          "fffffffffffffffff\r\n", "3\nabc\n0\n\n"}) {
        ScriptedOrigin origin(
            says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n" +
                 std::string(chunks)));
        const Gate gate({origin.url()}, patient());
        Dial dial = gate.dial();
        dial.write(get());
        const std::string all = dial.read_all();
        const bool is_whole = all.ends_with("0\r\n\r\n");
        EXPECT_TRUE(all.starts_with("HTTP/1.1 502") || !is_whole) << chunks << "\n" << all;
    }
}

TEST(ProxyFault, ChunksThatBreakOff) {
    ScriptedOrigin origin(
        says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwo"));
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get());
    EXPECT_EQ(dial.read_response().status, 200u);
    bool whole = true;
    read_chunked(dial, &whole);
    EXPECT_FALSE(whole);
}

TEST(ProxyFault, SlowFirstByte) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.read_all(); // Says nothing until it is left alone.
    });
    Gate gate({origin.url()}, impatient());
    const WireResponse got = gate.ask(get());
    EXPECT_EQ(got.status, 504u);
    EXPECT_EQ(got.body, "the origin took too long");
    EXPECT_EQ(gate.stats().retries.value(), 0);
}

TEST(ProxyFault, StallsInTheBody) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        line.read_all();
    });
    GateOptions options = patient();
    options.proxy.limits.idle = Millis{60};
    const Gate gate({origin.url()}, std::move(options));
    Dial dial = gate.dial();
    dial.write(get());
    EXPECT_TRUE(dial.read_all().ends_with("half"));
}

TEST(ProxyFault, ATunnelThatFallsSilentIsClosed) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
        line.read_all();
    });
    GateOptions options = patient();
    options.proxy.limits.tunnel_idle = Millis{60};
    const Gate gate({origin.url()}, std::move(options));
    Dial dial = gate.dial();
    dial.write(get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
    EXPECT_EQ(dial.read_response().status, 101u);
    EXPECT_EQ(dial.read_some(), "");
}

TEST(ProxyFault, ANeverEndingBodyEndsWithItsClient) {
    std::atomic<bool> ended{false};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\n\r\n");
        const std::string piece(10'000, 'x');
        while (line.write(piece)) {
        }
        ended = true;
    });
    Gate gate({origin.url()});
    {
        Dial dial = gate.dial();
        dial.write(get());
        for (int i = 0; i < 100; ++i) ASSERT_NE(dial.read_some(), "");
    }
    EXPECT_TRUE(eventually([&] { return ended.load(); }));
    EXPECT_TRUE(eventually([&] { return gate.stats().under_way.value() == 0; }));
}

TEST(ProxyFault, EarlyAnswerWhileTheBodyIsStillComing) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
        line.reset(); // It does not want to hear the rest.
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\nbegin");
    const WireResponse got = dial.read_response();
    EXPECT_TRUE(got.status == 413u || got.status == 502u) << got.status;
    EXPECT_EQ(got.header("Connection"), "close");
    EXPECT_EQ(dial.read_some(), "");
}

TEST(ProxyFault, EarlyAnswerOfAnOriginThatStaysIsPassedOn) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\nbegin");
    const WireResponse got = dial.read_response();
    EXPECT_EQ(got.status, 403u);
    EXPECT_EQ(got.body, "no");
    EXPECT_EQ(got.header("Connection"), "close"); // What follows is body, not a request.
    dial.write(get("/smuggled"));
    EXPECT_EQ(dial.read_all(), "");
    EXPECT_EQ(origin.connections(), 1);
}

TEST(ProxyFault, ContinueIsAskedOfTheOrigin) {
    ScriptedOrigin origin([](Line& line) {
        const std::string head = line.read_head();
        EXPECT_NE(head.find("Expect: 100-continue\r\n"), head.npos);
        line.write("HTTP/1.1 100 Continue\r\n\r\n");
        EXPECT_EQ(line.read_body(head), "hello");
        line.write(ok);
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(dial.read_response().status, 100u);
    dial.write("hello");
    EXPECT_EQ(dial.read_response().body, "ok");
    dial.write(get("/again"));
}

TEST(ProxyFault, ContinueThatIsRefused) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(dial.read_response().status, 417u);
    EXPECT_EQ(dial.read_some(), "");
}

TEST(ProxyFault, HalfClosesAfterItsAnswer) {
    ScriptedOrigin origin([](Line& line) {
        if (line.read_head().empty()) return;
        line.write(ok);
        line.finish_writing();
        line.read_all();
    });
    const Gate gate({origin.url()}, patient());
    Dial dial = gate.dial();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(dial.ask(get()).body, "ok");
}

TEST(ProxyFault, AKeptConnectionThatWasClosedMeanwhile) {
    std::atomic<int> requests{0};
    ScriptedOrigin origin([&](Line& line) {
        if (line.read_head().empty()) return;
        ++requests;
        line.write(ok);
        // Hears the next request out and hangs up on it, as if it had come too late.
        if (line.number() == 0 && !line.read_head().empty()) line.reset();
        if (line.number() > 0) line.read_all();
    });
    Gate gate({origin.url()}, patient());
    Dial dial = gate.dial();
    EXPECT_EQ(dial.ask(get()).body, "ok");
    EXPECT_EQ(dial.ask(get()).body, "ok"); // Repeated on a new connection.
    EXPECT_EQ(requests, 2);
    EXPECT_EQ(gate.stats().retries.value(), 1);
}

TEST(ProxyFault, WhatMustNotHappenTwiceIsNotRepeated) {
    std::atomic<int> posts{0};
    ScriptedOrigin origin([&](Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            line.read_body(head);
            if (head.starts_with("POST ")) {
                ++posts;
                return line.reset();
            }
            line.write(ok);
        }
    });
    ScriptedOrigin other(answers("other"));
    const Gate gate({origin.url()}, patient());
    Dial dial = gate.dial();
    EXPECT_EQ(dial.ask(get()).body, "ok");
    EXPECT_EQ(dial.ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi").status, 502u);
    EXPECT_EQ(posts, 1);
}

TEST(ProxyFault, MalformedChunksOfTheClient) {
    std::atomic<bool> cut{false};
    ScriptedOrigin origin([&](Line& line) {
        const std::string head = line.read_head();
        const std::string rest = line.read_all();
        cut = !rest.ends_with("0\r\n\r\n");
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    dial.write("zz\r\n");
    EXPECT_EQ(dial.read_response().status, 400u);
    EXPECT_EQ(dial.read_some(), "");
    EXPECT_TRUE(eventually([&] { return cut.load(); }));
}

TEST(ProxyFault, ABodyThatBreaksOffIsNoRequest) {
    std::atomic<bool> begun{false}, cut{false};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        std::string body;
        while (body.size() < 5) {
            const std::string some = line.read_some();
            if (some.empty()) return;
            body += some;
        }
        begun = true;
        cut = line.read_all().empty(); // Of ten.
        line.write(ok);
    });
    Gate gate({origin.url()});
    {
        Dial dial = gate.dial();
        dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
        EXPECT_TRUE(eventually([&] { return begun.load(); }));
    }
    EXPECT_TRUE(eventually([&] { return cut.load(); }));
    EXPECT_TRUE(eventually([&] { return gate.stats().abandoned.value() == 1; }));
}

TEST(ProxyFault, ASlowBodyIsCutByTheRule) {
    ScriptedOrigin origin([](Line& line) {
        line.read_head();
        line.read_all();
    });
    GateOptions options;
    options.server.limits.body_grace = Millis{50};
    const Gate gate({origin.url()}, std::move(options));
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
    EXPECT_EQ(dial.read_response().status, 408u);
    EXPECT_EQ(dial.read_some(), "");
}

TEST(ProxyFault, TooManyConnections) {
    std::atomic<bool> done{false};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        EXPECT_TRUE(eventually([&] { return done.load(); }));
        line.write(ok);
        line.read_all();
    });
    GateOptions options;
    options.proxy.origins.limits.connections_max = 1;
    const Gate gate({origin.url()}, std::move(options));
    Dial first = gate.dial();
    first.write(get());
    EXPECT_TRUE(eventually([&] { return origin.connections() == 1; }));
    EXPECT_EQ(gate.ask(get()).status, 503u);
    done = true;
    EXPECT_EQ(first.read_response().body, "ok");
}

} // namespace anteroom::gate
