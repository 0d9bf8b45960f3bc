// HTTP as a client sees it, over real sockets.
#include "net/http_server.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::eventually;
using testing::TestServer;
using testing::WireResponse;

namespace {

std::string get(const std::string& target, const std::string& headers = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

void echo(const Request& request, Exchange& exchange) {
    Answer answer = exchange.answer(Status::ok);
    answer.header("Content-Type", "text/plain");
    fmt::format_to(fmt::appender(answer.body()), "{} {} {}", request.method_text, request.target,
                   request.body);
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

TEST(HttpServer, AnswersOnAKeptConnection) {
    TestServer server(echo);
    Dial dial(server.port());
    for (int i = 0; i < 3; ++i) {
        const WireResponse response = dial.ask(get("/x?y"));
        EXPECT_EQ(response.status, 200u);
        EXPECT_EQ(response.body, "GET /x?y ");
        EXPECT_EQ(response.header("Content-Length"), "9");
        EXPECT_EQ(response.header("Connection"), "");
        EXPECT_TRUE(response.header("Date").ends_with(" GMT"));
    }
    EXPECT_EQ(server.stats().accepted.value(), 1);
    EXPECT_EQ(server.stats().requests.value(), 3);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
    TestServer server(echo);
    Dial dial(server.port());
    std::string requests;
    for (int i = 0; i < 200; ++i) requests += get(fmt::format("/{}", i));
    ASSERT_TRUE(dial.write(requests));
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(dial.read_response().body, fmt::format("GET /{} ", i));
    }
}

TEST(HttpServer, DeferredAnswerHoldsTheLineForThoseBehindIt) {
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

TEST(HttpServer, DeferredAnswerMayComeBeforeTheHandlerReturns) {
    TestServer server([](const Request&, Exchange& exchange) {
        Reply reply = exchange.defer();
        append(reply.answer(Status::ok).body(), "at once");
    });
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(get("/a") + get("/b")));
    EXPECT_EQ(dial.read_response().body, "at once");
    EXPECT_EQ(dial.read_response().body, "at once");
}

TEST(HttpServer, HeadHasTheLengthButNotTheBody) {
    TestServer server(echo);
    Dial dial(server.port());
    const WireResponse head = dial.ask("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(head.status, 200u);
    EXPECT_EQ(head.header("Content-Length"), "8");
    EXPECT_EQ(dial.ask(get("/y")).body, "GET /y "); // Nothing was left between the two.
}

TEST(HttpServer, StatusWithoutBodyHasNoLength) {
    TestServer server([](const Request& request, Exchange& exchange) {
        Answer answer =
            exchange.answer(request.path == "/304" ? Status::not_modified : Status::no_content);
        append(answer.body(), "must not be seen");
    });
    Dial dial(server.port());
    for (const char* path : {"/204", "/304", "/204"}) {
        const WireResponse response = dial.ask(get(path));
        EXPECT_EQ(response.status, std::string(path) == "/304" ? 304u : 204u);
        EXPECT_EQ(response.header("Content-Length"), "");
    }
}

TEST(HttpServer, ReadsBodiesOfEveryFraming) {
    TestServer server(echo);
    Dial dial(server.port());
    EXPECT_EQ(dial.ask("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello").body,
              "POST /a hello");
    EXPECT_EQ(dial.ask("PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")
                  .body,
              "PUT /b hello");
    const std::string large(limits::body_bytes_max, 'x');
    const WireResponse response =
        dial.ask("POST /c HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n" + large);
    EXPECT_EQ(response.body, "POST /c " + large);
}

TEST(HttpServer, TellsTheClientToContinue) {
    TestServer server(echo);
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(
        "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
    EXPECT_EQ(dial.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    ASSERT_TRUE(dial.write("ok"));
    EXPECT_EQ(dial.read_response().body, "POST /a ok");
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
    TestServer server(echo);
    Dial dial(server.port());
    const WireResponse response = dial.ask(get("/", "Connection: close\r\n"));
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_EQ(dial.read_some(), "");
}

TEST(HttpServer, OldVersionClosesUnlessAskedToKeep) {
    TestServer server(echo);
    Dial closing(server.port());
    EXPECT_EQ(closing.ask("GET /a HTTP/1.0\r\n\r\n").header("Connection"), "close");
    EXPECT_EQ(closing.read_some(), "");
    Dial keeping(server.port());
    const std::string request = "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    EXPECT_EQ(keeping.ask(request).header("Connection"), "keep-alive");
    EXPECT_EQ(keeping.ask(request).body, "GET /a ");
}

TEST(HttpServer, AnswersAClientThatHasFinishedWriting) {
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

TEST(HttpServer, ForgetsAClientThatResets) {
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

TEST(HttpServer, AnswersMalformedRequestsAndCloses) {
    TestServer server(echo);
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(get("/ok") + "GET / HTTP/1.1\r\n\r\n" + get("/never")));
    EXPECT_EQ(dial.read_response().status, 200u);
    const WireResponse refusal = dial.read_response();
    EXPECT_EQ(refusal.status, 400u);
    EXPECT_EQ(refusal.header("Connection"), "close");
    EXPECT_EQ(refusal.body, "Host is missing\n");
    EXPECT_EQ(dial.read_some(), "");
    EXPECT_EQ(server.stats().requests.value(), 1);
}

TEST(HttpServer, HeaderCannotBreakOutOfItsLine) {
    for (const std::string& bad : {std::string("a\r\nX-Evil: 1"), std::string("a\nb"),
                                   std::string("a\rb"), std::string("a\0b", 3)}) {
        TestServer server([&](const Request&, Exchange& exchange) {
            Answer answer = exchange.answer(Status::found);
            answer.header("Location", bad);
            append(answer.body(), "secret");
        });
        Dial dial(server.port());
        const WireResponse response = dial.ask(get("/"));
        EXPECT_EQ(response.status, 500u);
        EXPECT_EQ(response.header("X-Evil"), "");
        EXPECT_EQ(response.body, "");
    }
}

TEST(HttpServer, ForgottenRequestsAreAnswered) {
    TestServer server([](const Request& request, Exchange& exchange) {
        if (request.path == "/dropped") const Reply dropped = exchange.defer();
    });
    Dial dial(server.port());
    EXPECT_EQ(dial.ask(get("/ignored")).status, 500u);
    EXPECT_EQ(dial.ask(get("/dropped")).status, 500u);
    EXPECT_EQ(dial.ask(get("/ignored")).status, 500u);
}

TEST(HttpServer, SendsALargeAnswerToASlowReader) {
    const std::string large(8 * 1024 * 1024, 'x');
    TestServer server([&](const Request&, Exchange& exchange) {
        exchange.answer(Status::ok, "text/plain", large);
    });
    Dial dial(server.port());
    ASSERT_TRUE(dial.write(get("/a") + get("/b")));
    EXPECT_EQ(dial.read_response().body.size(), large.size());
    EXPECT_EQ(dial.read_response().body.size(), large.size());
}

TEST(HttpServer, ServersOfSeveralLoopsShareAPort) {
    TestServer first(echo);
    TestServer second(echo, {.port = first.port()});
    for (int i = 0; i < 64; ++i) {
        Dial dial(first.port());
        ASSERT_EQ(dial.ask(get("/x")).status, 200u);
    }
    EXPECT_GT(first.stats().requests.value(), 0);
    EXPECT_GT(second.stats().requests.value(), 0);
    EXPECT_EQ(first.stats().requests.value() + second.stats().requests.value(), 64);
}

TEST(HttpServer, SaysWhyItCannotListen) {
    Loop loop;
    testing::FunctionHandler handler(echo);
    const auto no_address = HttpServer::listen(loop, handler, {.address = "example.org"});
    ASSERT_FALSE(no_address);
    EXPECT_NE(no_address.fault().reason.find("example.org"), std::string::npos);
    const auto foreign = HttpServer::listen(loop, handler, {.address = "192.0.2.1"});
    ASSERT_FALSE(foreign);
    EXPECT_NE(foreign.fault().reason.find("192.0.2.1"), std::string::npos);
}

TEST(HttpServer, ShutDownFinishesWhatIsInFlight) {
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

TEST(HttpServer, ShutDownCutsTheRestAtTheDeadline) {
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

TEST(HttpServer, RepliesOutliveTheServer) {
    DeskServer world;
    Dial dial(world.server.port());
    ASSERT_TRUE(dial.write(get("/later")));
    ASSERT_TRUE(world.is_waiting());
    world.server.destroy_server();
    EXPECT_EQ(dial.read_some(), "");
    world.answer_all();
}

} // namespace anteroom::net
