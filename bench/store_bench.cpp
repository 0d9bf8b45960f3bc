// anteroom-bench-store: the embedded store by itself.
//
//   anteroom-bench-store [--visitors N] [--folder F]
//   anteroom-bench-store --joins-for SECONDS --in-flight N [--folder F]
//
// Fills a room with N visitors (1 000 000), many at a time as a busy server does, and comes back
// from the disk twice: from the facts alone, and from a snapshot. Or only joins, for a while.
// Prints `name value unit` lines.
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/check.h"
#include "store/embedded/ledger_store.h"

namespace anteroom::bench {
namespace {

using Steady = std::chrono::steady_clock;
namespace fs = std::filesystem;

double ms_since(Steady::time_point begin) {
    return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
}

void figure(const std::string& name, double value, const char* unit) {
    std::printf("%s %.4g %s\n", name.c_str(), value, unit);
    std::fflush(stdout);
}

class House final : public StoreListener {
  public:
    House(const std::string& folder, std::uint64_t snapshot_facts) {
        store = std::make_unique<embedded::LedgerStore>(
            clock, *this,
            embedded::LedgerOptions{
                .folder = folder,
                .fatal = [](const std::string& why) { std::fprintf(stderr, "%s\n", why.c_str()); },
                .snapshots = {.facts = snapshot_facts}});
        const Steady::time_point begin = Steady::now();
        const Result<void> loaded = store->load(rooms, audit);
        load_ms = ms_since(begin);
        if (!loaded) std::fprintf(stderr, "%s\n", loaded.fault().reason.c_str());
        CHECK(loaded);
    }
    void happened(HostedRoom&, std::span<const Fact>) override {}
    void due(HostedRoom&, Instant) override {}

    Clock clock;
    Quiet quiet{1};
    Rooms rooms{quiet, 10};
    Audit audit;
    double load_ms = 0;
    std::unique_ptr<embedded::LedgerStore> store;
};

// Joins with so many on their way at a time, until there are enough or the time is over; the rate,
// and how long one took.
void fill(House& house, std::uint64_t visitors, std::uint64_t in_flight, double seconds_max) {
    Settings settings;
    settings.capacity = 0;
    settings.waiting_max = 100'000'000;
    const auto room =
        house.rooms
            .make("bench", {},
                  [&](HostedRoom& opened) { house.store->open_room(opened, settings); })
            .room;
    std::atomic<std::uint64_t> open = 0;
    std::vector<double> took; // Written by the store's thread.
    took.reserve(std::min<std::uint64_t>(visitors, 10'000'000));
    const auto wait_below = [&](std::uint64_t limit) {
        for (std::uint64_t now = open; now >= limit; now = open) open.wait(now);
    };
    const Steady::time_point begin = Steady::now();
    for (std::uint64_t i = 1; i <= visitors && ms_since(begin) < seconds_max * 1e3; ++i) {
        wait_below(in_flight);
        ++open;
        const std::uint64_t key = i * 0x9e37'79b9'7f4a'7c15;
        const Steady::time_point asked = Steady::now();
        house.store->submit(
            *room, Join{.visitor = {.high = key, .low = i}}, nullptr,
            [&, asked](const Outcome&) {
                took.push_back(ms_since(asked));
                --open;
                open.notify_one();
            },
            "visitor-00000000-0000-0000-000000000");
    }
    wait_below(1);
    const double seconds = ms_since(begin) / 1e3;
    std::sort(took.begin(), took.end());
    figure("store_joins_per_second", static_cast<double>(took.size()) / seconds, "1/s");
    figure("store_join_p50_ms", took[took.size() / 2], "ms");
    figure("store_join_p99_ms", took[took.size() * 99 / 100], "ms");
    const embedded::LedgerStore::Counters& counters = house.store->counters();
    figure(
        "store_facts_per_batch",
        static_cast<double>(counters.facts.load()) / static_cast<double>(counters.batches.load()),
        "facts");
}

double megabytes(const std::string& folder) {
    double bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && !entry.path().string().ends_with("-shm"))
            bytes += static_cast<double>(entry.file_size());
    return bytes / 1e6;
}

constexpr std::uint64_t never = UINT64_MAX / 4;
constexpr double forever = 1e9;

int only_joins(double seconds, std::uint64_t in_flight, const std::string& folder) {
    House house(folder, never);
    fill(house, 100'000'000, in_flight, seconds);
    return 0;
}

int run(std::uint64_t visitors, const std::string& folder) {
    const std::string suffix = visitors % 1'000'000 == 0
                                   ? "_" + std::to_string(visitors / 1'000'000) + "m"
                                   : "_" + std::to_string(visitors);
    {
        House house(folder, never);
        fill(house, visitors, 1'000, forever);
    }
    figure("ledger_bytes_per_visitor", megabytes(folder) * 1e6 / static_cast<double>(visitors),
           "bytes");
    {
        House from_facts(folder, 1);
        CHECK(from_facts.rooms.find("bench")->view().waiting() == visitors);
        figure("recovery_from_facts_ms" + suffix, from_facts.load_ms, "ms");
        // Until the snapshot is there and the facts in it are gone.
        const Steady::time_point begin = Steady::now();
        while (from_facts.store->pruned_through() < from_facts.store->durable_fact()) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable().wait_for(lock, std::chrono::milliseconds(50));
        }
        figure("snapshot_and_prune_ms" + suffix, ms_since(begin), "ms");
    }
    House from_snapshot(folder, never);
    CHECK(from_snapshot.rooms.find("bench")->view().waiting() == visitors);
    figure("recovery_from_snapshot_ms" + suffix, from_snapshot.load_ms, "ms");
    figure("snapshot_bytes_per_visitor",
           megabytes(folder + "/snapshots") * 1e6 / static_cast<double>(visitors), "bytes");
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    figure("store_peak_memory_mb", static_cast<double>(usage.ru_maxrss) / 1e3, "MB");
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int argc, char** argv) {
    std::uint64_t visitors = 1'000'000, in_flight = 1'000;
    double seconds = 0; // 0: not only joins.
    std::string folder;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--visitors") == 0)
            visitors = std::strtoull(argv[i + 1], nullptr, 10);
        if (std::strcmp(argv[i], "--folder") == 0) folder = argv[i + 1];
        if (std::strcmp(argv[i], "--in-flight") == 0)
            in_flight = std::strtoull(argv[i + 1], nullptr, 10);
        if (std::strcmp(argv[i], "--joins-for") == 0) seconds = std::strtod(argv[i + 1], nullptr);
    }
    const bool temporary = folder.empty();
    if (temporary) {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "anteroom-bench-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    const int result = seconds > 0 ? anteroom::bench::only_joins(seconds, in_flight, folder)
                                   : anteroom::bench::run(visitors, folder);
    if (temporary) std::filesystem::remove_all(folder);
    return result;
}
