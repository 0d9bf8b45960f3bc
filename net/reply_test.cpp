// Answers that come later, and the end of a server, over real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "net/http_server.h"
#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::eventually;
using testing::TestServer;
using testing::WireResponse;

namespace {

std::string get(const std::string& target) {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

void echo(const Request& request, Exchange& exchange) {
    Answer answer = exchange.answer(Status::ok);
    append(answer.body(), request.method_text);
    append(answer.body(), " ");
    append(answer.body(), request.target);
    append(answer.body(), " ");
}

// Keeps every Reply until the test lets it go.
struct Desk {
    void operator()(const Request& request, Exchange& exchange) {
        if (request.path == "/later") {
            waiting.push_back(exchange.defer());
        } else {
            echo(request, exchange);
        }
    }
    void answer_all() {
        for (Reply& reply : waiting) append(reply.answer(Status::ok).body(), "at last");
        waiting.clear();
    }
    std::vector<Reply> waiting;
};

// A server whose "/later" waits for the test.
struct DeskServer {
    Desk desk;
    TestServer server;

    explicit DeskServer(ServerOptions options = {})
        : server([this](const Request& r, Exchange& e) { desk(r, e); }, std::move(options)) {}
    ~DeskServer() {
        server.thread().call([&] { desk.waiting.clear(); });
    }
    DeskServer(const DeskServer&) = delete;
    DeskServer& operator=(const DeskServer&) = delete;

    bool is_waiting() {
        return eventually(
            [&] { return server.thread().call([&] { return !desk.waiting.empty(); }); });
    }
    void answer_all() {
        server.thread().call([&] { desk.answer_all(); });
    }
};

} // namespace

TEST(Reply, HoldsTheLineForThoseBehindIt) {
    DeskServer world;
    Dial dial(world.server.port());
    ASSERT_TRUE(dial.write(get("/first") + get("/later") + get("/third") + get("/fourth")));
    EXPECT_EQ(dial.read_response().body, "GET /first ");
    ASSERT_TRUE(world.is_waiting());
    world.answer_all();
    EXPECT_EQ(dial.read_response().body, "at last");
    EXPECT_EQ(dial.read_response().body, "GET /third ");
    EXPECT_EQ(dial.read_response().body, "GET /fourth ");
}

TEST(Reply, MayComeBeforeTheHandlerReturns) {
    TestServer server([](const Request&, Exchange& exchange) {
        Reply reply = exchange.defer();
        append(reply.answer(Status::ok).body(), "at once");
    });
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(get("/a") + get("/b")));
    EXPECT_EQ(dial.read_response().body, "at once");
    EXPECT_EQ(dial.read_response().body, "at once");
}

TEST(Reply, ReachesAClientThatHasFinishedWriting) {
    DeskServer world;
    Dial at_once(world.server.port());
    ASSERT_TRUE(at_once.write(get("/x")));
    at_once.finish_writing();
    EXPECT_EQ(at_once.read_response().body, "GET /x ");
    EXPECT_EQ(at_once.read_some(), "");

    Dial later(world.server.port());
    ASSERT_TRUE(later.write(get("/later")));
    later.finish_writing();
    ASSERT_TRUE(world.is_waiting());
    world.answer_all();
    EXPECT_EQ(later.read_response().body, "at last");
    EXPECT_EQ(later.read_some(), "");
}

TEST(Reply, IsNotWantedByAClientThatHasReset) {
    DeskServer world;
    Dial dial(world.server.port());
    ASSERT_TRUE(dial.write(get("/later")));
    ASSERT_TRUE(world.is_waiting());
    dial.reset();
    EXPECT_TRUE(eventually([&] { return world.server.stats().connections.value() == 0; }));
    world.server.thread().call([&] { EXPECT_FALSE(world.desk.waiting.front().wanted()); });
    world.answer_all(); // Goes nowhere.

    Dial in_the_body(world.server.port());
    ASSERT_TRUE(in_the_body.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhal"));
    in_the_body.reset();
    EXPECT_TRUE(eventually([&] { return world.server.stats().connections.value() == 0; }));
    Dial next(world.server.port());
    EXPECT_EQ(next.ask(get("/x")).status, 200u);
}

TEST(Reply, ThatIsForgottenIsAnswered) {
    TestServer server([](const Request& request, Exchange& exchange) {
        if (request.path == "/dropped") const Reply dropped = exchange.defer();
    });
    Dial dial(server.port());
    EXPECT_EQ(dial.ask(get("/ignored")).status, 500u);
    EXPECT_EQ(dial.ask(get("/dropped")).status, 500u);
    EXPECT_EQ(dial.ask(get("/ignored")).status, 500u);
}

TEST(ShutDown, FinishesWhatIsInFlight) {
    DeskServer world;
    Dial idle(world.server.port());
    EXPECT_EQ(idle.ask(get("/x")).status, 200u);
    Dial busy(world.server.port());
    ASSERT_TRUE(busy.write(get("/later")));
    ASSERT_TRUE(world.is_waiting());

    std::atomic<bool> done = false;
    world.server.thread().call(
        [&] { world.server.server().shut_down(seconds(60), nullptr, [&] { done = true; }); });
    EXPECT_EQ(idle.read_some(), "");
    EXPECT_FALSE(Dial(world.server.port()).connected());
    EXPECT_FALSE(done);
    world.answer_all();
    const WireResponse last = busy.read_response();
    EXPECT_EQ(last.body, "at last");
    EXPECT_EQ(last.header("Connection"), "close");
    EXPECT_EQ(busy.read_some(), "");
    busy.finish_writing();
    EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(ShutDown, CutsTheRestAtTheDeadline) {
    DeskServer world;
    Dial busy(world.server.port());
    ASSERT_TRUE(busy.write(get("/later")));
    ASSERT_TRUE(world.is_waiting());
    std::atomic<bool> done = false;
    world.server.thread().call(
        [&] { world.server.server().shut_down(Millis{10}, nullptr, [&] { done = true; }); });
    EXPECT_TRUE(eventually([&] { return done.load(); }));
    EXPECT_EQ(busy.read_some(), "");
}

TEST(Reply, OutlivesItsServer) {
    DeskServer world;
    Dial dial(world.server.port());
    ASSERT_TRUE(dial.write(get("/later")));
    ASSERT_TRUE(world.is_waiting());
    world.server.destroy_server();
    EXPECT_EQ(dial.read_some(), "");
    world.answer_all();
}

} // namespace anteroom::net
