// Everything that goes wrong at once, from a seed: whoever gets a whole answer gets their own.
#include <gtest/gtest.h>

#include <random>

#include "gate/proxy_testing.h"

namespace anteroom::gate {

using net::testing::Dial;
using net::testing::eventually;
using net::testing::WireResponse;
using testing::Gate;
using testing::GateOptions;
using testing::Line;
using testing::pattern;
using testing::read_chunked;
using testing::ScriptedOrigin;

namespace {

std::string name_of(std::string_view head) {
    const std::size_t begin = head.find(' ') + 1;
    return std::string(head.substr(begin, head.find(' ', begin) - begin));
}

std::string answer_for(const std::string& name) {
    return name + pattern(name.size() * 997, static_cast<unsigned>(name.size())) + name;
}

std::string in_chunks(const std::string& body) {
    std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    char size[32];
    for (std::size_t at = 0; at < body.size(); at += 1'000) {
        const std::string piece = body.substr(at, 1'000);
        std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
        text += size + piece + "\r\n";
    }
    return text + "0\r\n\r\n";
}

// Answers, or breaks off in one of many ways.
void misbehave(Line& line) {
    std::minstd_rand random(static_cast<unsigned>(line.number()) + 1);
    for (std::string head = line.read_head(); !head.empty(); head = line.read_head()) {
        line.read_body(head);
        const std::string body = answer_for(name_of(head));
        const std::string sized =
            "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        switch (random() % 10) {
            case 0: return;
            case 1: return line.reset();
            case 2: line.write(std::string_view(sized).substr(0, random() % sized.size())); return;
            case 3: {
                const std::string chunks = in_chunks(body);
                line.write(std::string_view(chunks).substr(0, random() % chunks.size()));
                return line.reset();
            }
            case 4: line.write(sized + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"); break;
            case 5:
            case 6: line.write(in_chunks(body)); break;
            default: line.write(sized); break;
        }
    }
}

// True: a whole answer came, and it was the right one. Fails when it was somebody else's.
bool try_once(Dial& dial, const std::string& name, bool posts) {
    const std::string body = posts ? std::string(name.size() * 31, 'b') : "";
    dial.write((posts ? "POST " + name : "GET " + name) +
               " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\n\r\n" + body);
    const WireResponse got = dial.read_response();
    if (got.status != 200u) {
        EXPECT_TRUE(got.status == 502u || got.status == 0u) << got.status;
        return false;
    }
    bool whole = got.header("Transfer-Encoding").empty();
    const std::string text = whole ? got.body : read_chunked(dial, &whole);
    if (!got.header("Content-Length").empty() && got.body.size() < answer_for(name).size())
        whole = false;
    if (whole) {
        EXPECT_TRUE(text == answer_for(name)) << name;
    } else {
        EXPECT_TRUE(answer_for(name).starts_with(text.substr(0, 100))) << name;
    }
    return whole;
}

} // namespace

TEST(ProxyChaos, WhoeverGetsAWholeAnswerGetsTheirOwn) {
    ScriptedOrigin first(misbehave);
    ScriptedOrigin second(misbehave);
    GateOptions options;
    options.proxy.origins.health.failures_max = 1'000'000;
    Gate gate({first.url(), second.url()}, std::move(options));
    std::atomic<int> answered{0};
    std::vector<std::thread> clients;
    clients.reserve(6);
    for (int n = 0; n < 6; ++n) {
        clients.emplace_back([&gate, &answered, n] {
            auto dial = std::make_unique<Dial>(gate.port());
            for (int i = 0; i < 60; ++i) {
                const std::string name = "/" + std::to_string(n) + "-" + std::to_string(i);
                if (try_once(*dial, name, i % 3 == 0)) {
                    ++answered;
                } else {
                    dial = std::make_unique<Dial>(gate.port());
                }
            }
        });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_GT(answered, 100);
    EXPECT_TRUE(eventually([&] { return gate.stats().under_way.value() == 0; }));
}

} // namespace anteroom::gate
