// HTTP as a client sees it, over real sockets.
#include "net/http_server.h"

#include <gtest/gtest.h>

#include <string>

#include "net/testing.h"

namespace anteroom::net {

using testing::Dial;
using testing::TestServer;
using testing::WireResponse;

namespace {

std::string get(const std::string& target, const std::string& headers = "") {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

std::string numbered(std::string text, int number) {
    text += std::to_string(number);
    return text;
}

void echo(const Request& request, Exchange& exchange) {
    Answer answer = exchange.answer(Status::ok);
    answer.header("Content-Type", "text/plain");
    append(answer.body(), request.method_text);
    append(answer.body(), " ");
    append(answer.body(), request.target);
    append(answer.body(), " ");
    append(answer.body(), request.body);
}

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
    for (int i = 0; i < 200; ++i) requests += get(numbered("/", i));
    ASSERT_TRUE(dial.write(requests));
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(dial.read_response().body, numbered("GET /", i) + " ");
    }
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
    TestServer second(echo, {.port = first.port(), .joins_port = true});
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

// Or the kernel would give each of two servers a part of the visitors.
TEST(HttpServer, AnotherServerCannotHaveThePort) {
    TestServer first(echo);
    const TestServer beside(echo, {.port = first.port(), .joins_port = true});
    Loop loop;
    testing::FunctionHandler handler(echo);
    const auto other = HttpServer::listen(loop, handler, {.port = first.port()});
    ASSERT_FALSE(other);
    EXPECT_NE(other.fault().reason.find(std::to_string(first.port())), std::string::npos);
}

} // namespace anteroom::net
