// anteroom-bench: measures, prints a table, writes the figures as JSON.
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "bench/sections.h"

namespace anteroom::bench {
namespace {

struct Section {
    std::string_view name;
    void (*run)(Run&);
};
constexpr std::array sections{
    Section{"line", bench_line},
    Section{"room", bench_room},
    Section{"memory", bench_memory},
    Section{"token", bench_token},
};

struct Options {
    std::string json = "build/bench.json";
    std::string only;
    bool quick = false;
};

bool is_section(std::string_view name) {
    for (const Section& section : sections)
        if (section.name == name) return true;
    return false;
}

// Nothing when the arguments make no sense.
std::optional<Options> parse(int count, char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string_view option = arguments[i];
        const bool has_value = i + 1 < count;
        if (option == "--quick")
            options.quick = true;
        else if (option == "--json" && has_value)
            options.json = arguments[++i];
        else if (option == "--only" && has_value && is_section(arguments[i + 1]))
            options.only = arguments[++i];
        else
            return std::nullopt;
    }
    return options;
}

int usage() {
    std::fputs("usage: anteroom-bench [--json FILE] [--only SECTION] [--quick]\nsections:", stderr);
    for (const Section& section : sections) std::fprintf(stderr, " %s", section.name.data());
    std::fputs("\n", stderr);
    return 2;
}

int run(const Options& options) {
    Report report;
    Run run(report, options.quick);
    for (const Section& section : sections)
        if (options.only.empty() || options.only == section.name) section.run(run);
    report.print();
    if (report.write_json(options.json)) return 0;
    std::fprintf(stderr, "anteroom-bench: cannot write %s\n", options.json.c_str());
    return 1;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** arguments) {
    using namespace anteroom::bench;
    const std::optional<Options> options = parse(count, arguments);
    return options ? run(*options) : usage();
}
