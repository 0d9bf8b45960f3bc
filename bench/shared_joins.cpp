// anteroom-bench-shared-joins: joins through the Redis store by itself, without HTTP.
//
//   anteroom-bench-shared-joins PORT REPLICAS IN_FLIGHT SECONDS
//
// The same names as anteroom-bench-redis-joins. Prints one line: result requests=N us=N p50_us=N
// p99_us=N
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "base/check.h"
#include "store/shared/redis_store.h"

namespace anteroom::bench {
namespace {

using Steady = std::chrono::steady_clock;

class House final : public StoreListener {
  public:
    House(std::uint16_t port, int replicas)
        : store(clock, *this,
                {.url = {.hosts = {{.host = "127.0.0.1", .port = port}}},
                 .replicas = replicas,
                 .keys_mark = "bench"}) {
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

int run(int port, int replicas, std::uint64_t in_flight, double seconds) {
    House house(static_cast<std::uint16_t>(port), replicas);
    Settings settings;
    settings.capacity = 0;
    settings.waiting_max = 100'000'000;
    const auto room =
        house.rooms
            .make("joins", {}, [&](HostedRoom& opened) { house.store.open_room(opened, settings); })
            .room;
    std::atomic<std::uint64_t> open = 0;
    std::atomic<std::uint64_t> failed = 0;
    std::vector<std::int64_t> took; // Written by the store's thread.
    took.reserve(10'000'000);
    const auto wait_below = [&](std::uint64_t limit) {
        for (std::uint64_t now = open; now >= limit; now = open) open.wait(now);
    };
    const Steady::time_point begin = Steady::now();
    const auto us_since = [](Steady::time_point from) {
        return std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - from).count();
    };
    for (std::uint64_t i = 1; static_cast<double>(us_since(begin)) < seconds * 1e6; ++i) {
        wait_below(in_flight);
        ++open;
        const Steady::time_point asked = Steady::now();
        house.store.submit(
            *room, Join{.visitor = {.high = i * 0x9e37'79b9'7f4a'7c15, .low = i}}, nullptr,
            [&, asked](const Outcome& outcome) {
                if (std::holds_alternative<Refused>(outcome)) ++failed;
                took.push_back(us_since(asked));
                --open;
                open.notify_one();
            },
            "visitor-" + std::to_string(i));
    }
    wait_below(1);
    const std::int64_t us = us_since(begin);
    CHECK(failed == 0);
    std::sort(took.begin(), took.end());
    std::printf("result requests=%zu us=%lld p50_us=%lld p99_us=%lld\n", took.size(),
                static_cast<long long>(us), static_cast<long long>(took[took.size() / 2]),
                static_cast<long long>(took[took.size() * 99 / 100]));
    std::fflush(stdout);
    std::promise<void> gone; // The next one begins with nothing, as this one did.
    house.rooms.remove("joins");
    house.store.remove_room(*room, nullptr, [&] { gone.set_value(); });
    gone.get_future().wait();
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** words) {
    if (count == 5)
        return anteroom::bench::run(static_cast<int>(std::strtol(words[1], nullptr, 10)),
                                    static_cast<int>(std::strtol(words[2], nullptr, 10)),
                                    static_cast<std::uint64_t>(std::strtol(words[3], nullptr, 10)),
                                    std::strtod(words[4], nullptr));
    std::fprintf(stderr, "usage: anteroom-bench-shared-joins PORT REPLICAS IN_FLIGHT SECONDS\n");
    return 2;
}
