// A whole room with 1 M and 10 M waiting: joins, polls, departures, calls, pulse, digest, replay.
#include <string>
#include <vector>

#include "base/check.h"
#include "bench/crowds.h"
#include "bench/sections.h"
#include "engine/pulse.h"
#include "engine/room.h"

namespace anteroom::bench {
namespace {

constexpr std::uint64_t million = 1'000'000;

Settings settings(std::int64_t capacity) {
    return {.capacity = capacity,
            .admit_batch = limits::count_max,
            .admit_on_join = false,
            .waiting_max = limits::count_max,
            .idle = hours(24),
            .leave_grace = Millis{0}};
}

// A room without readers: unlinked memory is destroyed at once, and facts are dropped.
class Hall {
  public:
    explicit Hall(bool keeps_facts = false) : keeps_facts_(keeps_facts) {
        apply(Configure{settings(0)});
    }
    Outcome apply(const Command& command) {
        Outcome outcome = room.apply(command, now, facts);
        if (!keeps_facts_) facts.clear();
        if (++commands_ % 1'024 == 0) (void)room.take_retired();
        return outcome;
    }
    // Visitor i gets number i + 1.
    void fill(const std::vector<bool>& gone) {
        for (std::uint64_t i = 0; i < gone.size(); ++i) apply(Join{.visitor = visitor_key(i)});
        for (std::uint64_t i = 0; i < gone.size(); ++i)
            if (gone[i]) apply(Leave{i + 1});
    }

    Room room;
    Facts facts;
    Instant now{1};

  private:
    const bool keeps_facts_;
    std::uint64_t commands_ = 0;
};

void measure_polls(const Hall& hall, const std::vector<std::uint64_t>& live, Rounds& rounds,
                   const std::string& size) {
    rounds.add("poll_ns" + size, ns_per_op(live.size(), [&] {
                   for (const std::uint64_t visitor : live) {
                       keep(hall.room.touch(visitor + 1, hall.now));
                       keep(hall.room.standing(visitor + 1));
                   }
               }));
    std::vector<VisitorKey> keys;
    keys.reserve(live.size());
    for (const std::uint64_t visitor : live) keys.push_back(visitor_key(visitor));
    rounds.add("find_ns" + size, ns_per_op(keys.size(), [&] {
                   for (const VisitorKey& key : keys) keep(hall.room.find(key));
               }));
}

void measure_joins(Hall& hall, std::uint64_t count, Rounds& rounds, const std::string& size) {
    const Number first = hall.room.issued() + 1;
    std::vector<VisitorKey> keys;
    for (std::uint64_t i = 0; i < count; ++i) keys.push_back(visitor_key(first + i));
    rounds.add("join_ns" + size, ns_per_op(count, [&] {
                   for (const VisitorKey& key : keys) hall.apply(Join{.visitor = key});
               }));
    for (std::uint64_t i = 0; i < count; ++i) hall.apply(Leave{first + i});
}

void measure_leaves(Hall& hall, const std::vector<std::uint64_t>& live, Rounds& rounds,
                    const std::string& size) {
    rounds.add("leave_ns" + size, ns_per_op(live.size(), [&] {
                   for (const std::uint64_t visitor : live) hall.apply(Leave{visitor + 1});
               }));
}

void measure_calls(Hall& hall, Rounds& rounds, const std::string& size) {
    hall.now = hall.now + Millis{1};
    std::uint64_t called = 0;
    const double ns = ns_per_op(1, [&] { called = std::get<Done>(hall.apply(Tick{})).called; });
    CHECK(called == limits::calls_per_tick_max);
    rounds.add("tick_call_ns" + size, ns / static_cast<double>(called));
}

void measure_pulse(const Hall& hall, Rounds& rounds, const std::string& size) {
    constexpr int frames = 20;
    const double ns = ns_per_op(frames, [&] {
        for (int i = 0; i < frames; ++i) keep(make_pulse(hall.room));
    });
    rounds.add("pulse_us" + size, ns / 1e3);
}

// The sweep that must look at everybody, because all were seen, but none since the last look.
double full_sweep_ms(Hall& hall) {
    hall.apply(Configure{settings(0)});
    hall.now = hall.now + hours(20);
    hall.room.for_each_live(
        [&](Number number, const Record&) { hall.room.touch(number, hall.now); });
    hall.now = hall.now + hours(10);
    return ns_per_op(1, [&] { hall.apply(Tick{}); }) / 1e6;
}

void measure_room(Run& run, std::uint64_t waiting, const std::string& size) {
    Run::progress("a room of " + std::to_string(waiting / million) + " M");
    const std::vector<bool> gone = departures(arrivals_for(waiting));
    Hall hall;
    hall.fill(gone);
    hall.apply(Configure{settings(limits::count_max)});
    hall.apply(SetState{RoomState::paused});
    Rounds rounds;
    Rounds microseconds;
    // Each round lets other visitors leave, and calls from the front.
    std::vector<std::uint64_t> live = sample_live(gone, run.samples() * 5, 7);
    for (int round = 0; round < run.rounds(); ++round) {
        const auto end = live.end();
        const std::vector<std::uint64_t> mine(end - static_cast<std::ptrdiff_t>(run.samples()),
                                              end);
        live.resize(live.size() - mine.size());
        measure_polls(hall, mine, rounds, size);
        measure_joins(hall, run.samples(), rounds, size);
        measure_leaves(hall, mine, rounds, size);
        measure_pulse(hall, microseconds, size);
    }
    hall.apply(Resume{});
    for (int round = 0; round < run.rounds(); ++round) measure_calls(hall, rounds, size);
    rounds.report_to(run.report, "ns");
    microseconds.report_to(run.report, "us");
    run.report.add("full_sweep_ms" + size, full_sweep_ms(hall), "ms");
}

void measure_replay(Run& run) {
    Run::progress("digest and replay of 1 M");
    Hall hall(true);
    hall.fill(departures(arrivals_for(million)));
    Rounds rounds;
    for (int round = 0; round < std::min(3, run.rounds()); ++round) {
        rounds.add("digest", ns_per_op(1, [&] { keep(hall.room.digest()); }) / 1e6);
        Room again;
        const double ns = ns_per_op(hall.facts.size(), [&] {
            for (const Fact& fact : hall.facts) CHECK(again.replay(fact));
        });
        rounds.add("replay", ns);
        CHECK(again.digest() == hall.room.digest());
    }
    const double replay_ns = rounds.median_of("replay");
    const auto facts = static_cast<double>(hall.facts.size());
    run.report.add("digest_ms_1m", rounds.median_of("digest"), "ms");
    run.report.add("replay_facts_per_second", 1e9 / replay_ns, "facts/s");
    run.report.add("replay_ms_1m", replay_ns * facts / 1e6, "ms", Budget{2'000});
}

} // namespace

void bench_room(Run& run) {
    measure_room(run, million, "_1m");
    measure_room(run, 10 * million, "_10m");
    measure_replay(run);
}

} // namespace anteroom::bench
