// Several origins: who is asked, who is down, what is repeated; and origins behind TLS.
#include "gate/origins.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/check.h"
#include "gate/proxy_testing.h"
#include "net/test_certificate.h"
#include "net/tls.h"

namespace anteroom::gate {

using net::testing::ClosedPort;
using net::testing::Dial;
using net::testing::eventually;
using net::testing::TestServer;
using net::testing::Validity;
using testing::answers;
using testing::Gate;
using testing::GateOptions;
using testing::get;
using testing::Line;
using testing::ScriptedOrigin;

namespace {

struct SecureOrigin {
    explicit SecureOrigin(const std::string& names, Validity validity = Validity::now) {
        net::testing::write_certificate(folder.file("c.pem"), folder.file("k.pem"), names,
                                        validity);
        auto tls = net::TlsServer::load(
            {.certificate = folder.file("c.pem"), .key = folder.file("k.pem")});
        CHECK(tls);
        net::ServerOptions options;
        options.tls = *tls;
        server = std::make_unique<TestServer>(
            [this](const net::Request& request, net::Exchange& exchange) {
                ++requests;
                const std::string_view body = request.body.empty() ? "secret" : request.body;
                exchange.answer(net::Status::ok, "text/plain", body);
            },
            options);
    }
    std::string url(const std::string& host = "127.0.0.1") const {
        return "https://" + host + ":" + std::to_string(server->port());
    }
    GateOptions trusting() const {
        GateOptions options;
        options.proxy.origins.authorities = folder.file("c.pem");
        return options;
    }

    net::testing::TemporaryDirectory folder;
    std::atomic<int> requests{0};
    std::unique_ptr<TestServer> server;
};

} // namespace

TEST(Origins, NeedAnAddressAndNoPath) {
    net::Loop loop;
    EXPECT_FALSE(Origins::open(loop, {}));
    EXPECT_FALSE(Origins::open(loop, {.urls = {"ftp://a"}}));
    EXPECT_FALSE(Origins::open(loop, {.urls = {"http://a/path"}}));
    EXPECT_TRUE(Origins::open(loop, {.urls = {"http://127.0.0.1:80"}}));
}

TEST(Origins, TheOneWithTheFewestRequestsIsAskedAndEqualsInTurns) {
    net::Loop loop;
    auto origins = Origins::open(
        loop, {.urls = {"http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"}});
    ASSERT_TRUE(origins);
    Origins& all = **origins;
    std::map<const Origin*, int> asked;
    for (int i = 0; i < 30; ++i) ++asked[all.pick()];
    EXPECT_EQ(asked.size(), 3u);
    for (const auto& [origin, times] : asked) EXPECT_EQ(times, 10);
    Origin& busy = *all.pick();
    busy.under_way = 5;
    for (int i = 0; i < 10; ++i) EXPECT_NE(all.pick(), &busy);
}

TEST(Origins, OneThatFailsAgainAndAgainIsLeftAlone) {
    net::Loop loop;
    auto opened = Origins::open(loop, {.urls = {"http://127.0.0.1:1", "http://127.0.0.1:2"},
                                       .health = {.failures_max = 3}});
    ASSERT_TRUE(opened);
    Origins& origins = **opened;
    Origin& bad = *origins.all_testing()[0];
    for (int i = 0; i < 2; ++i) origins.note_failure(bad);
    origins.note_success(bad);
    for (int i = 0; i < 2; ++i) origins.note_failure(bad);
    EXPECT_TRUE(bad.is_up); // Not in a row.
    origins.note_failure(bad);
    EXPECT_FALSE(bad.is_up);
    for (int i = 0; i < 5; ++i) EXPECT_NE(origins.pick(), &bad);
    Origin& other = *origins.all_testing()[1];
    for (int i = 0; i < 3; ++i) origins.note_failure(other);
    for (const auto& origin : origins.all_testing()) EXPECT_FALSE(origin->is_up);
    EXPECT_NE(origins.pick(), nullptr); // Somebody must be asked.
}

TEST(Origins, OneThatIsDownIsTriedAgainAfterAWhile) {
    net::Loop loop;
    auto opened = Origins::open(loop, {.urls = {"http://127.0.0.1:1", "http://127.0.0.1:2"},
                                       .health = {.failures_max = 1, .trial_after = Millis{0}}});
    ASSERT_TRUE(opened);
    Origins& origins = **opened;
    Origin& bad = *origins.all_testing()[0];
    origins.note_failure(bad);
    std::map<const Origin*, int> asked;
    for (int i = 0; i < 10; ++i) ++asked[origins.pick()];
    EXPECT_EQ(asked[&bad], 5);
    origins.note_success(bad);
    EXPECT_TRUE(bad.is_up);
}

TEST(Origins, ARequestGoesToAnotherOriginWhenOneIsDead) {
    std::atomic<int> requests{0};
    ScriptedOrigin alive(answers("alive", &requests));
    GateOptions options;
    options.proxy.origins.health.trial_after = hours(1);
    const ClosedPort closed;
    Gate gate({closed.url(), alive.url()}, std::move(options));
    Dial dial = gate.dial();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(dial.ask(get()).body, "alive");
    // Nothing of a request has left when nobody takes the connection: any method may go elsewhere.
    const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
    for (int i = 0; i < 5; ++i) EXPECT_EQ(dial.ask(post).body, "hi");
    EXPECT_EQ(requests, 25);
    EXPECT_GE(gate.stats().retries.value(), 1);
    EXPECT_LE(gate.stats().retries.value(), 3); // Then it is down.
}

TEST(Origins, AStreamedBodyWaitsForItsOriginAndSoCanGoElsewhere) {
    ScriptedOrigin alive(answers("alive"));
    GateOptions options;
    options.proxy.origins.health.failures_max = 1'000;
    const ClosedPort closed;
    const Gate gate({closed.url(), alive.url()}, std::move(options));
    for (int i = 0; i < 4; ++i) {
        Dial dial = gate.dial();
        dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
        dial.write("world");
        EXPECT_EQ(dial.read_response().body, "helloworld");
    }
}

TEST(Origins, OnlyOneOtherIsAsked) {
    const ClosedPort first, second, third;
    Gate gate({first.url(), second.url(), third.url()});
    EXPECT_EQ(gate.ask(get()).status, 502u);
    EXPECT_EQ(gate.stats().retries.value(), 1);
}

TEST(Origins, ARepeatableRequestGoesElsewhereWhenItsOriginDies) {
    std::atomic<int> deaths{0};
    ScriptedOrigin dying([&](Line& line) {
        if (line.read_head().empty()) return;
        ++deaths;
        line.reset();
    });
    std::atomic<int> requests{0};
    ScriptedOrigin alive(answers("alive", &requests));
    GateOptions options;
    options.proxy.origins.health.failures_max = 1'000;
    Gate gate({dying.url(), alive.url()}, std::move(options));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(gate.ask(get()).body, "alive");
    EXPECT_GT(deaths, 0);
    int refused = 0;
    const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
    for (int i = 0; i < 10; ++i) refused += gate.ask(post).status == 502u ? 1 : 0;
    EXPECT_GT(refused, 0); // A POST that may have been done is not done again.
}

TEST(Origins, ChecksBringAnOriginDownAndUpAgain) {
    std::atomic<bool> well{true};
    std::atomic<int> checks{0};
    ScriptedOrigin origin([&](Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            const bool is_check = head.starts_with("GET /healthz ");
            if (is_check) ++checks;
            line.write(is_check && !well ? "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
                                         : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    ScriptedOrigin other(answers("other"));
    GateOptions options;
    options.proxy.origins.health = {.path = "/healthz",
                                    .interval = Millis{10},
                                    .deadline = minutes(1),
                                    .failures_max = 2,
                                    .successes_min = 2};
    Gate gate({origin.url(), other.url()}, std::move(options));
    const auto up = [&] {
        return gate.thread().call([&] { return gate.origins().all_testing()[0]->is_up; });
    };
    EXPECT_TRUE(eventually([&] { return checks >= 2; }));
    EXPECT_TRUE(up());
    well = false;
    EXPECT_TRUE(eventually([&] { return !up(); }));
    for (int i = 0; i < 6; ++i) EXPECT_EQ(gate.ask(get()).body, "other");
    well = true;
    EXPECT_TRUE(eventually(up));
}

TEST(Origins, KeptConnectionsAreBoundedInNumberAndTime) {
    std::atomic<int> waiting{0};
    ScriptedOrigin origin([&](Line& line) {
        for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
            ++waiting;
            EXPECT_TRUE(eventually([&] { return waiting >= 4; })); // All at the same time.
            line.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    GateOptions options;
    options.proxy.origins.limits.idle_max = 2;
    options.proxy.origins.limits.idle_deadline = Millis{500};
    Gate gate({origin.url()}, std::move(options));
    std::vector<Dial> dials;
    dials.reserve(4);
    for (int i = 0; i < 4; ++i) dials.push_back(gate.dial());
    for (Dial& dial : dials) dial.write(get());
    for (Dial& dial : dials) EXPECT_EQ(dial.read_response().body, "ok");
    const auto idle = [&] {
        return gate.thread().call([&] { return gate.origins().all_testing()[0]->pool.idle(); });
    };
    EXPECT_LE(idle(), 2u);
    EXPECT_TRUE(eventually([&] { return idle() == 0; }));
    EXPECT_EQ(gate.ask(get()).body, "ok");
}

TEST(Origins, NamesAreLookedUp) {
    ScriptedOrigin origin(answers("by name"));
    GateOptions options;
    Gate gate({"http://localhost:" + std::to_string(origin.port())}, std::move(options));
    EXPECT_TRUE(eventually([&] {
        return gate.thread().call(
            [&] { return !gate.origins().all_testing()[0]->addresses.empty(); });
    }));
    // The name may have several addresses, of which one has nobody behind it.
    EXPECT_TRUE(eventually([&] { return gate.ask(get()).body == "by name"; }));
}

TEST(Origins, BehindTlsWithAGoodCertificate) {
    SecureOrigin origin("IP:127.0.0.1");
    const Gate gate({origin.url()}, origin.trusting());
    Dial dial = gate.dial();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(dial.ask(get()).body, "secret");
    const std::string body = testing::pattern(60'000);
    std::thread sender(
        [&] { dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" + body); });
    EXPECT_TRUE(dial.read_response().body == body);
    sender.join();
    EXPECT_EQ(origin.server->stats().accepted.value(), 1); // Kept.
}

TEST(Origins, BehindTlsWithItsOwnName) {
    SecureOrigin origin("DNS:shop.internal");
    GateOptions options = origin.trusting();
    options.proxy.origins.server_name = "shop.internal";
    const Gate gate({origin.url()}, std::move(options));
    EXPECT_EQ(gate.ask(get()).body, "secret");
}

TEST(Origins, BehindTlsWithABadCertificateNothingIsSent) {
    SecureOrigin stranger("IP:127.0.0.1");
    SecureOrigin other_name("DNS:elsewhere.example");
    SecureOrigin expired("IP:127.0.0.1", Validity::expired);
    for (SecureOrigin* origin : {&other_name, &expired}) {
        const Gate gate({origin->url()}, origin->trusting());
        const auto got = gate.ask(get());
        EXPECT_EQ(got.status, 502u);
        EXPECT_EQ(got.body, "the origin is not who it should be");
        EXPECT_EQ(origin->requests, 0);
    }
    const Gate gate({stranger.url()}, other_name.trusting()); // Signed by nobody we know.
    EXPECT_EQ(gate.ask(get()).status, 502u);
    EXPECT_EQ(stranger.requests, 0);
}

TEST(Origins, PlainTextWhereTlsIsExpected) {
    ScriptedOrigin origin([](Line& line) {
        line.read_some();
        line.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    });
    SecureOrigin known("IP:127.0.0.1");
    const Gate gate({"https://127.0.0.1:" + std::to_string(origin.port())}, known.trusting());
    EXPECT_EQ(gate.ask(get()).status, 502u);
}

TEST(Origins, AHandshakeThatNeverEndsIsCutOff) {
    ScriptedOrigin origin([](Line& line) { line.read_all(); });
    SecureOrigin known("IP:127.0.0.1");
    GateOptions options = known.trusting();
    options.proxy.origins.limits.connect_deadline = Millis{60};
    const Gate gate({"https://127.0.0.1:" + std::to_string(origin.port())}, std::move(options));
    EXPECT_EQ(gate.ask(get()).status, 504u);
}

} // namespace anteroom::gate
