#include "sim/watch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>

#include "sim/plan.h"
#include "sim/world.h"

namespace anteroom::sim {
namespace {

constexpr std::int64_t frame_every_seconds = 10; // Of simulated time.
constexpr std::int64_t line_every_seconds = 120;

// A sale as one would wish to see it: a rush at the opening, two lanes, no trouble but people.
Plan make_sale() {
    Plan plan{.seed = 1, .length = minutes(40), .lateness_max = Millis{20}};
    plan.settings.capacity = 250;
    plan.settings.admit_batch = 20;
    plan.settings.lanes = 2;
    plan.settings.idle = minutes(3);
    plan.settings.lease = minutes(5);
    plan.load = {.visitors_per_hour = 3'000, .rush = 4'000, .rush_length = seconds(90)};
    plan.habits = {.no_show = 8, .vanish = 30, .sleep = 1, .refresh = 2};
    plan.habits.patience = minutes(30);
    plan.habits.stay = minutes(2);
    return plan;
}

std::string wait_of_the_last(const Room& room) {
    if (room.waiting() == 0) return "-";
    const std::optional<Wait> wait = room.wait(room.waiting() - 1);
    if (!wait) return "unknown";
    const auto in_minutes = [](std::int64_t count) {
        return std::to_string(count / 60) + ":" + (count % 60 < 10 ? "0" : "") +
               std::to_string(count % 60);
    };
    return in_minutes(wait->p50_seconds) + " / " + in_minutes(wait->p90_seconds);
}

std::string bar_of(std::uint64_t count, std::uint64_t full) {
    constexpr std::uint64_t width = 40;
    const std::uint64_t filled = std::min(width, (count * width + full - 1) / full);
    return std::string(filled, '#') + std::string(width - filled, '.');
}

void print_row(const Room& room, std::int64_t second) {
    std::printf("%3lld:%02lld  %7llu %7llu %7llu %7llu  %-15s [%s]",
                static_cast<long long>(second / 60), static_cast<long long>(second % 60),
                static_cast<unsigned long long>(room.waiting()),
                static_cast<unsigned long long>(room.called()),
                static_cast<unsigned long long>(room.active()),
                static_cast<unsigned long long>(room.totals().finished),
                wait_of_the_last(room).c_str(), bar_of(room.waiting(), 4'000).c_str());
}

void pause_a_moment() {
    const timespec span{.tv_sec = 0, .tv_nsec = 15'000'000};
    nanosleep(&span, nullptr);
}

} // namespace

int watch_a_sale() {
    const bool is_terminal = isatty(STDOUT_FILENO) == 1;
    const Plan plan = make_sale();
    std::printf("  time  waiting  called  active  served  wait p50 / p90  the line\n");
    std::int64_t second = 0;
    const Watch watch = [&](const Driver& driver) {
        ++second;
        const bool keep = second % line_every_seconds == 0;
        if (!keep && (!is_terminal || second % frame_every_seconds != 0)) return true;
        if (is_terminal) std::printf("\r\x1b[2K");
        print_row(driver.room(), second);
        if (keep) std::printf("\n");
        std::fflush(stdout);
        if (is_terminal) pause_a_moment();
        return true;
    };
    const Report report = run_world(plan, watch);
    std::printf("%s%s\n", is_terminal ? "\r\x1b[2K" : "", summary_of(report).c_str());
    if (report.violation) std::printf("%s\n", report.violation->what.c_str());
    return report.violation ? 1 : 0;
}

} // namespace anteroom::sim
