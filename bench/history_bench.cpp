// How fast the history is written: facts of a sale from a ledger into history.db and, when a URL is
// given, into a database. usage: anteroom-bench-history [FACTS] [URL]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "store/history/historian.h"
#include "store/history/soci_sink.h"
#include "store/history/sqlite_sink.h"
#include "store/history/testing.h"

namespace {

using namespace anteroom;
using namespace anteroom::history;

// A sale: everybody joins, the line is called in order, who was called goes in and stays a while;
// so many wait and so many are inside all the time.
std::vector<FactRow> sale(std::size_t facts) {
    constexpr Number waiting = 50'000;
    constexpr Number inside = 2'000;
    std::vector<FactRow> made;
    for (Number number = 1; made.size() < facts; ++number) {
        const auto now = static_cast<std::int64_t>(testing::today.ms + static_cast<int>(number));
        char key[33];
        const std::uint64_t high = number * 0x9e37'79b9'7f4a'7c15;
        std::snprintf(key, sizeof key, "%016llx%016llx", static_cast<unsigned long long>(high),
                      static_cast<unsigned long long>(number));
        FactRow join = testing::joined(1, number, "", now);
        join.visitor = key;
        made.push_back(join);
        if (number <= waiting) continue;
        made.push_back(testing::fact(FactKind::called, 1, number - waiting, now));
        made.push_back(testing::fact(FactKind::claimed, 1, number - waiting, now));
        if (number <= waiting + inside) continue;
        made.push_back(testing::fact(FactKind::finished, 1, number - waiting - inside, now));
    }
    made.resize(facts);
    return made;
}

void measure(const testing::Folder& folder, std::unique_ptr<HistorySink> sink, std::size_t facts,
             std::size_t visits) {
    const std::string name = sink->name();
    CHECK(sink->cursor()); // Connects, and makes the tables.
    std::vector<std::unique_ptr<HistorySink>> sinks;
    sinks.push_back(std::move(sink));
    Historian historian({.folder = folder.path(),
                         .now = [] { return testing::today; },
                         .tell = [](Mood, const std::string& line) { std::puts(line.c_str()); }},
                        std::move(sinks));
    const auto begun = std::chrono::steady_clock::now();
    historian.start();
    CHECK(historian.wait_consumed(facts, hours(1)));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("%-12s %zu facts, %zu visits in %.2f s: %.0f facts/s, %.0f visits/s\n",
                name.substr(0, name.find(':')).c_str(), facts, visits, took.count(),
                static_cast<double>(facts) / took.count(),
                static_cast<double>(visits) / took.count());
}

} // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200'000;
    const testing::Folder folder;
    testing::Ledger ledger(folder);
    const std::vector<FactRow> facts = sale(count);
    ledger.add(facts);
    const std::size_t visits = testing::naive_visits(facts).size();
    measure(folder, std::make_unique<SqliteSink>(folder.path()), count, visits);
    if (argc <= 2) return 0;
    const Result<SqlUrl> url = parse_sql_url(argv[2]);
    CHECK(url);
    const EntryToken token = [](std::uint32_t room, Number number) {
        char text[64];
        std::snprintf(text, sizeof text, "%08x-0000-4000-8000-%012llx", room,
                      static_cast<unsigned long long>(number));
        return std::string(text);
    };
    measure(folder, std::make_unique<SociSink>(*url, Views{}, token), count, visits);
}
