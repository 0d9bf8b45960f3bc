// Bytes per number of a line and per visitor of a whole room, each in a process of its own.
#include <string>
#include <vector>

#include "bench/contestants.h"
#include "bench/crowds.h"
#include "bench/sections.h"
#include "engine/room.h"

namespace anteroom::bench {
namespace {

constexpr std::uint64_t million = 1'000'000;

template <class Contestant>
void measure_line(Run& run, const std::string& key, std::uint64_t waiting) {
    const std::vector<double> bytes = in_child([&] {
        const std::vector<bool> gone = departures(arrivals_for(waiting));
        const double before = allocated_bytes();
        Contestant contestant;
        contestant.fill(gone);
        return std::vector{allocated_bytes() - before};
    });
    if (!bytes.empty()) run.report.add(key, bytes[0] / static_cast<double>(waiting), "bytes");
}

// Everybody waits; `departed` says whether 30 % have left from among them.
std::vector<double> room_bytes(std::uint64_t waiting, bool departed) {
    const double resident = resident_bytes();
    const double allocated = allocated_bytes();
    Room room;
    Facts facts;
    const Instant now{1};
    const Settings settings{
        .capacity = 0, .waiting_max = limits::count_max, .leave_grace = Millis{0}};
    room.apply(Configure{settings}, now, facts);
    const auto apply = [&](const Command& command) {
        facts.clear();
        room.apply(command, now, facts);
        (void)room.take_retired();
    };
    const std::uint64_t arrivals = departed ? arrivals_for(waiting) : waiting;
    for (std::uint64_t i = 0; i < arrivals; ++i) apply(Join{.visitor = visitor_key(i)});
    if (departed) {
        const std::vector<bool> gone = departures(arrivals);
        for (std::uint64_t i = 0; i < arrivals; ++i)
            if (gone[i]) apply(Leave{i + 1});
    }
    return {resident_bytes() - resident, allocated_bytes() - allocated};
}

} // namespace

void bench_memory(Run& run) {
    Run::progress("memory of lines");
    measure_line<OurLine>(run, "line_bytes_per_number_10m", 10 * million);
    measure_line<OurLine>(run, "line_bytes_per_number_1m", million);
    measure_line<GnuTree>(run, "pbds_bytes_per_number_1m", million);
    measure_line<StandardSet>(run, "set_bytes_per_number_1m", million);
    Run::progress("memory of a room of 10 M");
    constexpr std::uint64_t waiting = 10 * million;
    const auto per_visitor = [&](const std::string& key, double bytes) {
        run.report.add(key, bytes / static_cast<double>(waiting), "bytes", Budget{100});
    };
    const std::vector<double> full = in_child([] { return room_bytes(waiting, false); });
    if (full.size() == 2) {
        per_visitor("bytes_per_visitor_10m", full[0]);
        per_visitor("heap_bytes_per_visitor_10m", full[1]);
    }
    const std::vector<double> departed = in_child([] { return room_bytes(waiting, true); });
    if (departed.size() == 2) per_visitor("bytes_per_visitor_30pct_left_10m", departed[0]);
}

} // namespace anteroom::bench
