// Every limit of the edge: the right status, "Connection: close", and an answer that can be read.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <string>
#include <vector>

#include "net/http_server.h"
#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::dial_saying;
using testing::eventually;
using testing::TestServer;
using testing::WireResponse;

namespace {

const std::string plain_get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

void say_ok(const Request&, Exchange& exchange) {
    exchange.answer(Status::ok, "text/plain", "ok");
}

// A server that is impatient about one thing; the helper makes it patient about all others.
ServerOptions with(const std::function<void(Limits&)>& change) {
    ServerOptions options;
    change(options.limits);
    return options;
}

void expect_refusal(Dial& dial, unsigned status) {
    const WireResponse response = dial.read_response();
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_EQ(dial.read_some(), "");
}

} // namespace

TEST(HttpLimits, EachSizeHasItsStatus) {
    TestServer server(say_ok);
    std::string many_headers;
    for (int i = 0; i < 101; ++i) many_headers += "X: a\r\n";
    const std::vector<std::pair<std::string, unsigned>> requests = {
        {"GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(9'000, 'a') + "\r\n\r\n", 431},
        {"GET / HTTP/1.1\r\nHost: a\r\n" + many_headers + "\r\n", 431},
        {"GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
        {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413},
        {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413},
    };
    for (const auto& [request, status] : requests) {
        Dial dial(server.port());
        ASSERT_TRUE(dial.write(request));
        expect_refusal(dial, status);
    }
    EXPECT_EQ(server.stats().refused_requests.value(), 5);
    EXPECT_EQ(server.stats().requests.value(), 0);
}

TEST(HttpLimits, RefusalCanBeReadWhileTheClientStillSends) {
    TestServer server(say_ok);
    Dial dial(server.port());
    // More than fits into the socket buffers before the server has looked at the length.
    ASSERT_TRUE(dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n"));
    ASSERT_TRUE(dial.write(std::string(500'000, 'x')));
    expect_refusal(dial, 413);
}

TEST(HttpLimits, SlowHeadIsTimedOutAsAWhole) {
    TestServer server(say_ok, with([](Limits& limits) { limits.head_deadline = Millis{40}; }));
    Dial dial = dial_saying(server, "GET / HTTP/1.1\r\nHost");
    expect_refusal(dial, 408);

    Dial second_request = dial_saying(server, plain_get);
    EXPECT_EQ(second_request.read_response().status, 200u);
    ASSERT_TRUE(second_request.write("GET"));
    expect_refusal(second_request, 408);
}

TEST(HttpLimits, DrippingBytesDoNotProlongTheHead) {
    TestServer server(say_ok, with([](Limits& limits) { limits.head_deadline = Millis{40}; }));
    Dial dial = dial_saying(server, "GET / HTTP/1.1\r\nX: ");
    // Endless drops, each as soon as the last one is gone: the answer must come all the same.
    while (dial.write("a") && server.stats().refused_requests.value() == 0)
        std::this_thread::yield();
    EXPECT_EQ(server.stats().requests.value(), 0);
    // 408, or 431 when the drops were quick.
    EXPECT_GE(dial.read_response().status, 408u);
}

TEST(HttpLimits, SlowBodyIsTimedOut) {
    TestServer server(say_ok, with([](Limits& limits) { limits.body_grace = Millis{40}; }));
    Dial sized(server.port());
    ASSERT_TRUE(sized.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\nabc"));
    expect_refusal(sized, 408);
    Dial chunked(server.port());
    ASSERT_TRUE(chunked.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5"));
    expect_refusal(chunked, 408);
}

TEST(HttpLimits, SilentConnectionsAreClosedWithoutAWord) {
    TestServer server(say_ok, with([](Limits& limits) {
                          limits.head_deadline = Millis{40};
                          limits.idle_deadline = Millis{20};
                      }));
    Dial never_spoke(server.port());
    EXPECT_EQ(never_spoke.read_some(), "");
    Dial spoke_once = dial_saying(server, plain_get);
    EXPECT_EQ(spoke_once.read_response().status, 200u);
    EXPECT_EQ(spoke_once.read_some(), "");
    EXPECT_EQ(server.stats().refused_requests.value(), 0);
}

TEST(HttpLimits, LostReplyIsAnsweredAtItsDeadline) {
    std::vector<Reply> kept;
    TestServer server([&](const Request&, Exchange& exchange) { kept.push_back(exchange.defer()); },
                      with([](Limits& limits) { limits.answer_deadline = Millis{20}; }));
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(plain_get));
    expect_refusal(dial, 503);
    server.thread().call([&] {
        EXPECT_FALSE(kept.front().wanted());
        kept.clear();
    });
}

TEST(HttpLimits, ClientThatReadsNothingIsCut) {
    const std::string large(16 * 1024 * 1024, 'x');
    TestServer server([&](const Request&,
                          Exchange& exchange) { exchange.answer(Status::ok, "text/plain", large); },
                      with([](Limits& limits) { limits.write_stall_deadline = Millis{50}; }));
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(plain_get));
    EXPECT_TRUE(eventually([&] { return server.stats().cut_writes.value() == 1; }));
    EXPECT_LT(dial.read_all().size(), large.size());
}

TEST(HttpLimits, PipeliningFloodIsServedInSharesWithBoundedMemory) {
    TestServer server(say_ok);
    Dial flood(server.port());
    std::string requests;
    for (int i = 0; i < 20'000; ++i) requests += plain_get;
    std::thread writer([&] { flood.write(requests); });
    Dial other(server.port());
    EXPECT_EQ(other.ask(plain_get).status, 200u);
    for (int i = 0; i < 20'000; ++i) ASSERT_EQ(flood.read_response().status, 200u);
    writer.join();
}

TEST(HttpLimits, ManyLargeAnswersAreNotBuiltForAClientThatReadsNone) {
    std::atomic<int> built = 0;
    const std::string large(4 * 1024 * 1024, 'x');
    TestServer server([&](const Request&, Exchange& exchange) {
        ++built;
        exchange.answer(Status::ok, "text/plain", large);
    });
    Dial dial(server.port());
    std::string requests;
    for (int i = 0; i < 30; ++i) requests += plain_get;
    ASSERT_TRUE(dial.write(requests));
    EXPECT_EQ(dial.read_response().body.size(), large.size());
    EXPECT_LT(built, 15); // The kernel holds some; we hold one.
    for (int i = 1; i < 30; ++i) ASSERT_EQ(dial.read_response().body.size(), large.size());
    EXPECT_EQ(built, 30);
}

TEST(HttpLimits, HouseFullIsAPoliteRefusal) {
    ServerOptions options;
    options.budget = std::make_shared<ConnectionBudget>(2, 100);
    TestServer server(say_ok, options);
    Dial first(server.port());
    Dial second(server.port());
    EXPECT_EQ(first.ask(plain_get).status, 200u);
    EXPECT_EQ(second.ask(plain_get).status, 200u);
    Dial third(server.port());
    const WireResponse refusal = third.ask(plain_get);
    EXPECT_EQ(refusal.status, 503u);
    EXPECT_EQ(refusal.header("Retry-After"), "5");
    EXPECT_EQ(refusal.header("Connection"), "close");
    EXPECT_EQ(third.read_some(), "");
    first.reset();
    EXPECT_TRUE(eventually([&] { return options.budget->connections() == 1; }));
    Dial fourth(server.port());
    EXPECT_EQ(fourth.ask(plain_get).status, 200u);
}

TEST(HttpLimits, RefusedConnectionsAreBoundedThemselves) {
    ServerOptions options;
    options.budget = std::make_shared<ConnectionBudget>(1, 100);
    options.limits.refusals_max = 2;
    options.limits.linger_deadline = Millis{30};
    TestServer server(say_ok, options);
    Dial inside(server.port());
    EXPECT_EQ(inside.ask(plain_get).status, 200u);
    std::vector<Dial> outside(20);
    for (Dial& dial : outside) ASSERT_TRUE(dial.connect(server.port()));
    for (Dial& dial : outside) EXPECT_EQ(dial.read_response().status, 503u);
    EXPECT_EQ(inside.ask(plain_get).status, 200u);
}

TEST(HttpLimits, OneAddressCannotTakeAllPlaces) {
    ServerOptions options;
    options.budget = std::make_shared<ConnectionBudget>(100, 1);
    TestServer server(say_ok, options);
    Dial first(server.port());
    EXPECT_EQ(first.ask(plain_get).status, 200u);
    Dial second(server.port());
    EXPECT_EQ(second.read_response().status, 503u);
}

TEST(HttpLimits, TrustedProxySpeaksForMany) {
    const std::vector<std::string> networks = {"127.0.0.0/8"};
    ServerOptions options;
    options.proxies = *TrustedProxies::parse(networks);
    options.budget = std::make_shared<ConnectionBudget>(100, 1);
    TestServer server(say_ok, options);
    Dial first(server.port());
    Dial second(server.port());
    EXPECT_EQ(first.ask(plain_get).status, 200u);
    EXPECT_EQ(second.ask(plain_get).status, 200u);
}

TEST(HttpLimits, BudgetCountsV6ByNetwork) {
    ConnectionBudget budget(10, 2);
    const IpAddress one = *parse_ip("2001:db8::1");
    const IpAddress neighbour = *parse_ip("2001:db8::ffff");
    const IpAddress stranger = *parse_ip("2001:db8:0:1::1");
    EXPECT_EQ(budget.enter(one, false), ConnectionBudget::Verdict::welcome);
    EXPECT_EQ(budget.enter(neighbour, false), ConnectionBudget::Verdict::welcome);
    EXPECT_EQ(budget.enter(one, false), ConnectionBudget::Verdict::address_full);
    EXPECT_EQ(budget.enter(stranger, false), ConnectionBudget::Verdict::welcome);
    budget.leave(neighbour, false);
    EXPECT_EQ(budget.enter(one, false), ConnectionBudget::Verdict::welcome);
    EXPECT_EQ(budget.connections(), 3u);
}

namespace {

// As long as it lives, the process gets no new descriptor; those it has stay.
class NoMoreDescriptors {
  public:
    NoMoreDescriptors() {
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        const rlimit none{.rlim_cur = 3, .rlim_max = before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoMoreDescriptors(const NoMoreDescriptors&) = delete;
    NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

  private:
    rlimit before_{};
};

} // namespace

TEST(HttpLimits, RunningOutOfDescriptorsPausesAcceptOnly) {
    TestServer server(say_ok);
    Dial inside(server.port());
    EXPECT_EQ(inside.ask(plain_get).status, 200u);
    std::vector<Dial> crowd(100);
    {
        const NoMoreDescriptors exhausted;
        for (Dial& dial : crowd) ASSERT_TRUE(dial.connect(server.port()));
        EXPECT_TRUE(eventually([&] { return server.stats().accept_pauses.value() >= 2; }));
        EXPECT_EQ(inside.ask(plain_get).status, 200u); // Those inside are served,
        EXPECT_EQ(server.stats().accepted.value(), 1);
        EXPECT_LT(server.stats().accept_pauses.value(), 1'000); // and nothing spins.
    }
    for (Dial& dial : crowd) EXPECT_EQ(dial.ask(plain_get).status, 200u);
}

} // namespace anteroom::net
