// Bodies that are larger than anything we would keep: they pass in bounded memory, both ways, and
// the slower side sets the pace.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "gate/proxy_testing.h"
#include "net/http_client.h"
#include "net/test_certificate.h"
#include "net/tls.h"

namespace anteroom::gate {

using net::testing::Dial;
using net::testing::eventually;
using net::testing::WireResponse;
using testing::Gate;
using testing::GateOptions;
using testing::get;
using testing::Line;
using testing::pattern;
using testing::read_chunked;
using testing::ScriptedOrigin;

namespace {

constexpr std::size_t megabyte = 1024 * 1024;
constexpr std::size_t large = 50 * megabyte;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t growth_max = 1024 * megabyte; // Sanitizers keep what was freed.
#else
constexpr std::size_t growth_max = 24 * megabyte; // Test client and origin included.
#endif

std::size_t resident_bytes() {
    std::size_t pages = 0;
    std::size_t resident = 0;
    std::ifstream file("/proc/self/statm");
    EXPECT_TRUE(file >> pages >> resident);
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Compares what arrives with a block that repeats, without keeping it.
class Checker {
  public:
    explicit Checker(const std::string& block) : block_(block) {}
    void see(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t at = seen_ % block_.size();
            const std::size_t take = std::min(bytes.size(), block_.size() - at);
            good_ = good_ && bytes.substr(0, take) == std::string_view(block_).substr(at, take);
            seen_ += take;
            bytes.remove_prefix(take);
        }
    }
    bool good() const { return good_; }
    std::size_t seen() const { return seen_; }

  private:
    const std::string& block_;
    std::size_t seen_ = 0;
    bool good_ = true;
};

bool write_blocks(const std::function<bool(std::string_view)>& write, const std::string& block,
                  std::size_t bytes) {
    for (std::size_t sent = 0; sent < bytes; sent += block.size()) {
        if (!write(std::string_view(block).substr(0, std::min(block.size(), bytes - sent)))) {
            return false;
        }
    }
    return true;
}

std::string sized(std::size_t bytes) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

} // namespace

TEST(ProxyStream, FiftyMegabytesDown) {
    const std::string block = pattern(777'777);
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write(sized(large));
        write_blocks([&](std::string_view piece) { return line.write(piece); }, block, large);
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    const std::size_t before = resident_bytes();
    std::size_t most = before;
    dial.write(get());
    dial.read_until("\r\n\r\n");
    Checker checker(block);
    while (checker.seen() < large) {
        const std::string some = dial.read_some();
        if (some.empty()) break;
        checker.see(some);
        most = std::max(most, resident_bytes());
    }
    EXPECT_EQ(checker.seen(), large);
    EXPECT_TRUE(checker.good());
    EXPECT_LT(most - before, growth_max);
}

TEST(ProxyStream, FiftyMegabytesUp) {
    const std::string block = pattern(777'777);
    std::atomic<std::size_t> arrived{0};
    std::atomic<bool> good{false};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        Checker checker(block);
        while (checker.seen() < large) {
            const std::string some = line.read_some();
            if (some.empty()) break;
            checker.see(some);
        }
        arrived = checker.seen();
        good = checker.good();
        line.write(sized(2) + "ok");
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    const std::size_t before = resident_bytes();
    std::size_t most = before;
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(large) +
               "\r\n\r\n");
    const auto write = [&](std::string_view piece) {
        most = std::max(most, resident_bytes());
        return dial.write(piece);
    };
    EXPECT_TRUE(write_blocks(write, block, large));
    const WireResponse got = dial.read_response();
    EXPECT_EQ(got.body, "ok");
    EXPECT_EQ(got.header("Connection"), ""); // Kept.
    EXPECT_EQ(arrived, large);
    EXPECT_TRUE(good);
    EXPECT_LT(most - before, growth_max);
}

TEST(ProxyStream, FiftyMegabytesBothWaysAtOnceInChunks) {
    const std::string block = pattern(100'000);
    ScriptedOrigin origin([&](Line& line) { // Sends back what comes, as it comes.
        line.read_head();
        line.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        std::string last;
        for (std::string some = line.read_some(); !some.empty(); some = line.read_some()) {
            char size[32];
            const int length = std::snprintf(size, sizeof size, "%zx\r\n", some.size());
            line.write({size, static_cast<std::size_t>(length)});
            line.write(some);
            line.write("\r\n");
            last.append(some);
            last.erase(0, std::max<std::size_t>(last.size(), 8) - 8);
            if (last.ends_with("0\r\n\r\n")) break;
        }
        line.write("0\r\n\r\n");
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::thread sender([&] {
        char size[32];
        const int length = std::snprintf(size, sizeof size, "%zx\r\n", block.size());
        for (std::size_t sent = 0; sent < large; sent += block.size()) {
            dial.write({size, static_cast<std::size_t>(length)});
            dial.write(block);
            dial.write("\r\n");
        }
        dial.write("0\r\n\r\n");
    });
    EXPECT_TRUE(dial.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    const std::string echoed = read_chunked(dial);
    sender.join();
    EXPECT_GT(echoed.size(), large); // The chunks as they were written for the origin.
    EXPECT_TRUE(echoed.ends_with("0\r\n\r\n"));
}

TEST(ProxyStream, ASlowClientMakesTheOriginWait) {
    const std::string block = pattern(65'536);
    std::atomic<std::size_t> written{0};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write(sized(large));
        const auto write = [&](std::string_view piece) {
            const bool done = line.write(piece);
            written += piece.size();
            return done;
        };
        write_blocks(write, block, large);
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial;
    dial.set_receive_buffer(4'096);
    ASSERT_TRUE(dial.connect(gate.port()));
    dial.write(get());
    dial.read_until("\r\n\r\n");
    ASSERT_TRUE(eventually([&] { return gate.stats().answer_pauses.value() > 0; }));
    EXPECT_LT(written, large); // The rest waits where it comes from.
    Checker checker(block);
    while (checker.seen() < large) {
        const std::string some = dial.read_some();
        if (some.empty()) break;
        checker.see(some);
    }
    EXPECT_EQ(checker.seen(), large);
    EXPECT_TRUE(checker.good());
}

TEST(ProxyStream, ASlowOriginMakesTheClientWait) {
    const std::string block = pattern(65'536);
    std::atomic<bool> reads{false};
    std::atomic<std::size_t> arrived{0};
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        EXPECT_TRUE(eventually([&] { return reads.load(); }));
        Checker checker(block);
        while (checker.seen() < large) {
            const std::string some = line.read_some();
            if (some.empty()) break;
            checker.see(some);
        }
        EXPECT_TRUE(checker.good());
        arrived = checker.seen();
        line.write(sized(2) + "ok");
        line.read_all();
    });
    GateOptions options;
    options.server.limits.body_grace = Millis{200}; // Waiting for the origin does not count.
    options.server.limits.body_bytes_per_second_min = 1'024;
    const Gate gate({origin.url()}, std::move(options));
    Dial dial = gate.dial();
    // So much of the body comes with the head that a slow test is within the rule for slow bodies,
    // and what is read of it at first is enough for a minute.
    constexpr std::size_t blocks = 16;
    std::string begin =
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(large) + "\r\n\r\n";
    for (std::size_t i = 0; i < blocks; ++i) begin += block;
    std::atomic<std::size_t> sent{0};
    std::thread sender([&] {
        const auto write = [&](std::string_view piece) {
            sent += piece.size();
            return dial.write(piece);
        };
        EXPECT_TRUE(dial.write(begin));
        EXPECT_TRUE(write_blocks(write, block, large - blocks * block.size()));
    });
    EXPECT_TRUE(eventually([&] { return gate.stats().body_pauses.value() > 0; }));
    EXPECT_LT(sent, large);
    reads = true;
    sender.join();
    EXPECT_EQ(dial.read_response().body, "ok");
    EXPECT_EQ(arrived, large);
}

TEST(ProxyStream, AClientThatReadsNothingIsCut) {
    ScriptedOrigin origin([&](Line& line) {
        line.read_head();
        line.write(sized(large));
        const std::string block(65'536, 'x');
        write_blocks([&](std::string_view piece) { return line.write(piece); }, block, large);
    });
    GateOptions options;
    options.server.limits.write_stall_deadline = Millis{100};
    Gate gate({origin.url()}, std::move(options));
    Dial dial;
    dial.set_receive_buffer(4'096);
    ASSERT_TRUE(dial.connect(gate.port()));
    dial.write(get());
    EXPECT_TRUE(eventually([&] { return gate.stats().abandoned.value() == 1; }));
}

TEST(ProxyStream, AHalfClosedClientGetsItsAnswerForAWhile) {
    ScriptedOrigin origin([](Line& line) {
        const std::string head = line.read_head();
        if (head.starts_with("GET /events")) {
            line.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        } else {
            line.write(sized(5) + "hello");
        }
        line.read_all();
    });
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    dial.write(get("/page"));
    dial.finish_writing();
    EXPECT_TRUE(dial.read_all().ends_with("hello"));
    GateOptions options;
    options.server.limits.half_closed_deadline = Millis{100};
    Gate hasty({origin.url()}, std::move(options));
    Dial gone = hasty.dial();
    gone.write(get("/events"));
    gone.finish_writing();
    EXPECT_TRUE(eventually([&] { return hasty.stats().abandoned.value() == 1; }));
}

TEST(ProxyStream, TlsOnBothSides) {
    const std::size_t bytes = 900'000; // The test's client takes a megabyte at a time.
    const std::string block = pattern(bytes);
    const net::testing::TemporaryDirectory folder;
    const std::string certificate = folder.file("c.pem");
    net::testing::write_certificate(certificate, folder.file("k.pem"), "IP:127.0.0.1");
    auto tls = net::TlsServer::load({.certificate = certificate, .key = folder.file("k.pem")});
    ASSERT_TRUE(tls);
    net::ServerOptions secure;
    secure.tls = *tls;
    net::testing::TestServer origin(
        [&](const net::Request& request, net::Exchange& exchange) {
            exchange.answer(
                net::Status::ok, "text/plain",
                request.method == net::Method::get ? std::string_view(block) : request.body);
        },
        secure);
    GateOptions options;
    options.server.tls = *tls;
    options.proxy.origins.authorities = certificate;
    const Gate gate({"https://127.0.0.1:" + std::to_string(origin.port())}, std::move(options));
    net::testing::LoopThread thread;
    auto client = thread.call([&] {
        return net::HttpClient::create(
            thread.loop, net::testing::patient(net::ClientOptions{.authorities = certificate}));
    });
    ASSERT_TRUE(client);
    const std::string url = "https://127.0.0.1:" + std::to_string(gate.port()) + "/";
    net::ClientRequest download{.url = url};
    download.response_bytes_max = 2 * bytes;
    const auto down = net::testing::fetch(thread, **client, std::move(download));
    ASSERT_TRUE(down) << down.fault().reason;
    EXPECT_TRUE(down->body == block);
    const std::string body = pattern(60'000);
    const auto up = net::testing::fetch(
        thread, **client, {.method = "POST", .url = url, .headers = {}, .body = body});
    ASSERT_TRUE(up);
    EXPECT_TRUE(up->body == body);
    thread.call([&] { client->reset(); });
}

TEST(ProxyStream, ShortAndLongBodiesShareAConnection) {
    ScriptedOrigin origin(testing::answers("none"));
    const Gate gate({origin.url()});
    Dial dial = gate.dial();
    for (const std::size_t bytes : {1u, 100u, 60'000u, 70'000u, 1'000'000u, 5u, 300'000u}) {
        const std::string body = pattern(bytes, static_cast<unsigned>(bytes));
        std::thread sender([&] {
            dial.write("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(bytes) +
                       "\r\n\r\n" + body);
        });
        const WireResponse got = dial.read_response();
        sender.join();
        EXPECT_EQ(got.status, 200u);
        EXPECT_TRUE(got.body == body) << bytes;
    }
    EXPECT_EQ(origin.connections(), 1);
}

} // namespace anteroom::gate
