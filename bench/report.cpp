// The table on the terminal and the JSON file.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "bench/harness.h"

namespace anteroom::bench {
namespace {

bool is_kept(const Budget& budget, double value) {
    return budget.at_least ? value >= budget.limit : value <= budget.limit;
}

std::string short_number(double value) {
    char text[64];
    std::snprintf(text, sizeof text,
                  value >= 1'000 ? "%.0f"
                  : value >= 10  ? "%.1f"
                                 : "%.2f",
                  value);
    return text;
}

std::string commit() {
    constexpr const char* command = "git describe --always --dirty 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> git(popen(command, "r"), pclose);
    char text[64] = "";
    if (!git || !std::fgets(text, sizeof text, git.get())) return "unknown";
    const std::string line = text;
    return line.substr(0, line.find('\n'));
}

std::string today() {
    const time_t now = time(nullptr);
    tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%d", &utc);
    return text;
}

} // namespace

void Report::add(std::string key, double value, std::string unit, std::optional<Budget> budget) {
    rows_.push_back({std::move(key), value, std::move(unit), budget});
}

void Report::print() const {
    std::printf("%-32s %12s  %-10s %10s\n", "name", "value", "unit", "budget");
    for (const Row& row : rows_) {
        std::string budget;
        if (row.budget)
            budget = (row.budget->at_least ? ">= " : "<= ") + short_number(row.budget->limit);
        const char* verdict = !row.budget ? "" : is_kept(*row.budget, row.value) ? "ok" : "over";
        std::printf("%-32s %12s  %-10s %10s  %s\n", row.key.c_str(),
                    short_number(row.value).c_str(), row.unit.c_str(), budget.c_str(), verdict);
    }
}

bool Report::write_json(const std::string& path) const {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code ignored; // Opening the file tells.
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    std::ofstream out(path);
    out << "{\n";
    for (const Row& row : rows_) out << "  \"" << row.key << "\": " << row.value << ",\n";
    double load = 0;
    if (getloadavg(&load, 1) != 1) load = 0;
    out << "  \"machine\": {\"cores\": " << std::thread::hardware_concurrency()
        << ", \"load\": " << load << ", \"compiler\": \"" << ANTEROOM_COMPILER
        << "\", \"commit\": \"" << commit() << "\", \"date\": \"" << today() << "\"}\n}\n";
    return out.flush().good();
}

} // namespace anteroom::bench
