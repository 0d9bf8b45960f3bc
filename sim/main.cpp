// anteroom-sim: runs simulated worlds and says whether a rule of the room was broken.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "sim/hunt.h"
#include "sim/plan.h"
#include "sim/watch.h"
#include "sim/world.h"

namespace {

using namespace anteroom;
using namespace anteroom::sim;

constexpr const char* help =
    "usage: anteroom-sim [--seed N | --seeds A..B] [--hours H] [--watch] [--planted NAME|all]\n"
    "\n"
    "Simulates waiting rooms with thousands of visitors and all kinds of trouble. Exit code 1: a rule was broken.\n"
    "\n"
    "  anteroom-sim --seed 7                    one world of half an hour\n"
    "  anteroom-sim --seeds 1..20000            many worlds\n"
    "  anteroom-sim --seeds 1..200 --hours 0.5  the same as the tests\n"
    "  anteroom-sim --watch                     a sale as a picture\n"
    "  anteroom-sim-planted --planted all       does the simulator find every planted bug?\n";

struct Options {
    std::uint64_t first = 1;
    std::uint64_t last = 1;
    Millis length = minutes(30);
    bool watch = false;
    bool help = false;
    std::string planted;
};

bool read_seeds(std::string_view text, Options& options) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) return false;
    const auto first = parse_whole_number<std::uint64_t>(text.substr(0, dots));
    const auto last = parse_whole_number<std::uint64_t>(text.substr(dots + 2));
    if (!first || !last || *last < *first) return false;
    options.first = *first;
    options.last = *last;
    return true;
}

bool read_hours(std::string_view text, Options& options) {
    const std::optional<double> value = parse_decimal(text);
    if (!value || !(*value > 0 && *value <= 1'000)) return false;
    options.length = Millis{static_cast<std::int64_t>(*value * 3.6e6)};
    return true;
}

// Nothing: the options are wrong, and it has been said how.
std::optional<Options> read_options(const std::vector<std::string_view>& words) {
    Options options;
    const auto complain = [](const std::string& what) {
        std::fprintf(stderr, "anteroom-sim: %s; see --help\n", what.c_str());
        return std::nullopt;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "--watch" || word == "--help") {
            (word == "--watch" ? options.watch : options.help) = true;
            continue;
        }
        const bool known =
            word == "--seed" || word == "--seeds" || word == "--hours" || word == "--planted";
        if (!known) return complain("unknown option '" + std::string(word) + "'");
        if (++i == words.size()) return complain(std::string(word) + " needs a value");
        const std::string_view value = words[i];
        bool good = true;
        if (word == "--seed") {
            good = read_seeds(std::string(value) + ".." + std::string(value), options);
        } else if (word == "--seeds") {
            good = read_seeds(value, options);
        } else if (word == "--hours") {
            good = read_hours(value, options);
        } else {
            options.planted = value;
        }
        if (!good)
            return complain("'" + std::string(value) + "' is no value for " + std::string(word));
    }
    return options;
}

void print_violation(const Report& report) {
    std::printf("%s\n  %s, at %lld ms of its clock\n  repeat: %s\n", summary_of(report).c_str(),
                report.violation->what.c_str(), static_cast<long long>(report.violation->at.ms),
                repeat_command_of(report).c_str());
}

int run_seeds(const Options& options) {
    constexpr std::uint64_t failures_max = 10;
    std::uint64_t events = 0;
    std::uint64_t faults = 0;
    std::uint64_t runs = 0;
    std::uint64_t failures = 0;
    for (std::uint64_t seed = options.first; seed <= options.last && failures < failures_max;
         ++seed) {
        const Report report = run_world(make_plan(seed, options.length));
        events += report.events;
        faults += report.faults;
        ++runs;
        if (report.violation) {
            ++failures;
            print_violation(report);
        } else if (options.first == options.last) {
            std::printf("%s\n", summary_of(report).c_str());
        }
        std::fflush(stdout);
    }
    if (options.first != options.last)
        std::printf("seeds=%llu hours=%g events=%llu faults=%llu violations=%llu\n",
                    static_cast<unsigned long long>(runs),
                    static_cast<double>(runs) * static_cast<double>(options.length.count) / 3.6e6,
                    static_cast<unsigned long long>(events),
                    static_cast<unsigned long long>(faults),
                    static_cast<unsigned long long>(failures));
    return failures > 0 ? 1 : 0;
}

#ifdef ANTEROOM_PLANTED_BUGS
int run_planted(const Options& options) {
    const std::uint64_t last = options.last > options.first ? options.last : options.first + 999;
    bool known = false;
    bool all_found = true;
    for (int i = 1; i < static_cast<int>(Bug::count); ++i) {
        const Bug bug = static_cast<Bug>(i);
        if (options.planted != "all" && options.planted != name(bug)) continue;
        known = true;
        const Hunt result = hunt(bug, options.first, last, options.length);
        all_found = all_found && result.found;
        std::printf("%-28s %s seed %llu: %s\n", name(bug), result.found ? "found in" : "MISSED to",
                    static_cast<unsigned long long>(result.seed), result.what.c_str());
        std::fflush(stdout);
    }
    if (!known) std::fprintf(stderr, "anteroom-sim: no bug '%s'\n", options.planted.c_str());
    if (!known) return 2;
    return all_found ? 0 : 1;
}
#else
int run_planted(const Options&) {
    std::fprintf(stderr, "anteroom-sim: --planted needs the program anteroom-sim-planted\n");
    return 2;
}
#endif

} // namespace

int main(int argc, char** argv) {
    const std::optional<Options> options = read_options({argv + 1, argv + argc});
    if (!options) return 2;
    if (options->help) {
        std::printf("%s", help);
        return 0;
    }
    if (!options->planted.empty()) return run_planted(*options);
    return options->watch ? watch_a_sale() : run_seeds(*options);
}
