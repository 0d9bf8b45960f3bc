// anteroom-bench-shared-polls: where do I stand? Without HTTP, of a room in Redis.
//
//   anteroom-bench-shared-polls copy PORT ROOM SECONDS     from the process's own copy, as Anteroom
//   anteroom-bench-shared-polls zrank PORT ROOM SECONDS    from Redis, one ZRANK each, 64 at a time
//
// Visitors are those of the benchmark's crowd, at random. Prints `ready`, waits for a line on its
// input, and then prints one line: result requests=N us=N p50_us=0 p99_us=0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "base/check.h"
#include "store/shared/redis_store.h"

namespace anteroom::bench {
namespace {

using Steady = std::chrono::steady_clock;

std::int64_t us_since(Steady::time_point from) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - from).count();
}

void await_start() {
    std::printf("ready\n");
    std::fflush(stdout);
    char line[8];
    CHECK(std::fgets(line, sizeof line, stdin));
}

void tell(std::uint64_t requests, std::int64_t us) {
    std::printf("result requests=%llu us=%lld p50_us=0 p99_us=0\n",
                static_cast<unsigned long long>(requests), static_cast<long long>(us));
    std::fflush(stdout);
}

class House final : public StoreListener {
  public:
    explicit House(std::uint16_t port)
        : store(
              clock, *this,
              {.url = {.hosts = {{.host = "127.0.0.1", .port = port}}},
               .replicas = 0,
               .keys_mark =
                   std::getenv("ANTEROOM_BENCH_KEYS") ? std::getenv("ANTEROOM_BENCH_KEYS") : ""}) {
        quiet.online(0);
        const Result<void> loaded = store.load(rooms, audit);
        if (!loaded) std::fprintf(stderr, "%s\n", loaded.fault().reason.c_str());
        CHECK(loaded);
    }
    ~House() override { store.stop(); }
    void happened(HostedRoom&, std::span<const Fact>) override {}
    void due(HostedRoom&, Instant) override {}

    Clock clock;
    Quiet quiet{1};
    Rooms rooms{quiet, 10};
    Audit audit;
    shared::RedisStore store;
};

int poll_copy(std::uint16_t port, const std::string& id, double seconds) {
    House house(port);
    const std::shared_ptr<HostedRoom> room = house.rooms.share(id);
    CHECK(room);
    std::mt19937_64 random(1);
    const std::uint64_t issued = room->view().issued();
    await_start();
    std::uint64_t requests = 0;
    std::uint64_t ahead = 0;
    const Steady::time_point begin = Steady::now();
    while (static_cast<double>(us_since(begin)) < seconds * 1e6) {
        for (int i = 0; i < 100; ++i) {
            const Number number = 1 + random() % issued;
            room->touch(number, house.clock.now());
            ahead += room->view().standing(number).ahead;
        }
        requests += 100;
        house.quiet.pass(0);
    }
    tell(requests, us_since(begin));
    std::fprintf(stderr, "%llu\n", static_cast<unsigned long long>(ahead)); // It was really read.
    return 0;
}

int poll_zrank(std::uint16_t port, const std::string& id, double seconds) {
    constexpr int in_flight = 64; // As many as the HTTP benchmark has connections.
    net::Loop loop;
    redis::Client client(loop, {.url = {.hosts = {{.host = "127.0.0.1", .port = port}}}});
    client.start();
    const std::string key = "{" + id + "}:queue";
    std::mt19937_64 random(1);
    std::uint64_t waiting = 0;
    std::uint64_t requests = 0;
    Steady::time_point begin;
    std::function<void()> poll = [&] {
        if (static_cast<double>(us_since(begin)) >= seconds * 1e6) return loop.stop();
        const std::string visitor = "visitor-" + std::to_string(1 + random() % waiting);
        client.call(key, {"ZRANK", key, visitor}, [&](const redis::CallResult& answer) {
            if (answer.trouble != redis::Trouble::none) return; // After the end.
            ++requests;
            poll();
        });
    };
    client.call(key, {"ZCARD", key}, [&](const redis::CallResult& answer) {
        waiting = static_cast<std::uint64_t>(answer.reply.integer);
        CHECK(waiting > 0);
        await_start();
        begin = Steady::now();
        for (int i = 0; i < in_flight; ++i) poll();
    });
    loop.run();
    tell(requests, us_since(begin));
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** words) {
    using namespace anteroom::bench;
    const bool copies = count == 5 && std::strcmp(words[1], "copy") == 0;
    if (!copies && !(count == 5 && std::strcmp(words[1], "zrank") == 0)) {
        std::fprintf(stderr, "usage: anteroom-bench-shared-polls copy|zrank PORT ROOM SECONDS\n");
        return 2;
    }
    const auto port = static_cast<std::uint16_t>(std::strtol(words[2], nullptr, 10));
    return (copies ? poll_copy : poll_zrank)(port, words[3], std::strtod(words[4], nullptr));
}
