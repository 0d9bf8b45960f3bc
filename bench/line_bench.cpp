// Order statistics at 1 M and 10 M waiting, against the GNU tree (both sizes) and std::set (1 M).
#include <string>
#include <vector>

#include "bench/contestants.h"
#include "bench/crowds.h"
#include "bench/sections.h"

namespace anteroom::bench {
namespace {

constexpr std::uint64_t million = 1'000'000;

// The numbers a round works with: the same for every contestant.
struct Work {
    std::vector<std::uint64_t> live;
    std::vector<std::uint64_t> ranks;
    std::uint64_t issued = 0;
    std::uint64_t walks = 0; // How often std::set is walked from its beginning.
};

Work make_work(const std::vector<bool>& gone, std::uint64_t waiting, std::uint64_t samples,
               int round) {
    const auto seed = static_cast<std::uint64_t>(round) + 1;
    Work work{.live = sample_live(gone, samples, seed), .issued = gone.size(), .walks = 3};
    Random random(seed);
    for (std::uint64_t i = 0; i < samples; ++i) work.ranks.push_back(random() % (waiting * 9 / 10));
    return work;
}

// One round, after which the contestant holds the same numbers as before.
template <class Contestant>
void measure(Contestant& contestant, const Work& work, std::uint64_t looks, Rounds& rounds,
             const std::string& suffix) {
    const std::uint64_t samples = work.live.size();
    rounds.add("rank_ns" + suffix, ns_per_op(looks, [&] {
                   for (std::uint64_t i = 0; i < looks; ++i) keep(contestant.rank(work.live[i]));
               }));
    rounds.add("select_ns" + suffix, ns_per_op(looks, [&] {
                   for (std::uint64_t i = 0; i < looks; ++i) keep(contestant.select(work.ranks[i]));
               }));
    rounds.add("erase_ns" + suffix, ns_per_op(samples, [&] {
                   for (const std::uint64_t number : work.live) contestant.erase(number);
               }));
    for (const std::uint64_t number : work.live) contestant.insert(number);
    rounds.add("insert_ns" + suffix, ns_per_op(samples, [&] {
                   for (std::uint64_t i = 0; i < samples; ++i) contestant.insert(work.issued + i);
               }));
    for (std::uint64_t i = 0; i < samples; ++i) contestant.erase(work.issued + i);
    std::vector<std::uint64_t> front(samples);
    rounds.add("pop_front_ns" + suffix, ns_per_op(samples, [&] {
                   for (std::uint64_t& number : front) number = contestant.pop_front();
               }));
    for (const std::uint64_t number : front) contestant.insert(number);
}

void at_one_million(Run& run, Rounds& rounds) {
    Run::progress("lines of 1 M: ours, GNU tree, std::set");
    const std::vector<bool> gone = departures(arrivals_for(million));
    OurLine ours;
    GnuTree tree;
    StandardSet set;
    ours.fill(gone);
    tree.fill(gone);
    set.fill(gone);
    for (int round = 0; round < run.rounds(); ++round) {
        const Work work = make_work(gone, million, run.samples(), round);
        measure(ours, work, work.live.size(), rounds, "_1m");
        measure(tree, work, work.live.size(), rounds, "_pbds_1m");
        measure(set, work, work.walks, rounds, "_set_1m");
    }
}

void at_ten_million(Run& run, Rounds& rounds) {
    Run::progress("lines of 10 M: ours, GNU tree");
    const std::vector<bool> gone = departures(arrivals_for(10 * million));
    OurLine ours;
    GnuTree tree;
    ours.fill(gone);
    tree.fill(gone);
    for (int round = 0; round < run.rounds(); ++round) {
        const Work work = make_work(gone, 10 * million, run.samples(), round);
        measure(ours, work, work.live.size(), rounds, "_10m");
        measure(tree, work, work.live.size(), rounds, "_pbds_10m");
    }
}

} // namespace

void bench_line(Run& run) {
    Rounds rounds;
    at_one_million(run, rounds);
    at_ten_million(run, rounds);
    for (const std::string size : {"_1m", "_10m"}) {
        run.report.add("rank_ns" + size, rounds.median_of("rank_ns" + size), "ns", Budget{100});
        run.report.add("erase_ns" + size, rounds.median_of("erase_ns" + size), "ns", Budget{200});
        for (const std::string what : {"select_ns", "insert_ns", "pop_front_ns"})
            run.report.add(what + size, rounds.median_of(what + size), "ns");
    }
    for (const std::string what : {"rank", "select", "erase", "insert", "pop_front"}) {
        const std::string ns = what + "_ns";
        for (const std::string other : {"_pbds_1m", "_set_1m", "_pbds_10m"})
            run.report.add(ns + other, rounds.median_of(ns + other), "ns");
        const double ours = rounds.median_of(ns + "_1m");
        run.report.add(what + "_vs_pbds_1m", rounds.median_of(ns + "_pbds_1m") / ours, "times");
        run.report.add(what + "_vs_set_1m", rounds.median_of(ns + "_set_1m") / ours, "times");
        run.report.add(what + "_vs_pbds_10m",
                       rounds.median_of(ns + "_pbds_10m") / rounds.median_of(ns + "_10m"), "times");
    }
}

} // namespace anteroom::bench
