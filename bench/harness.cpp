#include "bench/harness.h"

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>

#include "base/check.h"

namespace anteroom::bench {

double cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    CHECK(!values.empty());
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    if (values.size() % 2 == 1) return values[middle];
    return (values[middle - 1] + values[middle]) / 2;
}

double allocated_bytes() {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}

double resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    double total_pages = 0;
    double resident_pages = 0;
    statm >> total_pages >> resident_pages;
    return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::vector<double> in_child(const std::function<std::vector<double>()>& measure) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    std::fflush(nullptr);
    malloc_trim(0); // Memory freed by earlier sections would serve the child without being counted.
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const std::vector<double> figures = measure();
        const std::size_t bytes = figures.size() * sizeof(double);
        const bool written = write(ends[1], figures.data(), bytes) == static_cast<ssize_t>(bytes);
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    std::vector<double> figures;
    for (double figure = 0; read(ends[0], &figure, sizeof figure) == sizeof figure;)
        figures.push_back(figure);
    close(ends[0]);
    int status = 0;
    const bool ended = waitpid(child, &status, 0) == child && status == 0;
    return ended ? figures : std::vector<double>{};
}

void Run::progress(const std::string& step) {
    std::fprintf(stderr, "bench: %s\n", step.c_str());
}

void Rounds::add(const std::string& key, double ns) {
    for (auto& [name, values] : figures_)
        if (name == key) return values.push_back(ns);
    figures_.emplace_back(key, std::vector<double>{ns});
}

double Rounds::median_of(const std::string& key) const {
    for (const auto& [name, values] : figures_)
        if (name == key) return median(values);
    CHECK(false);
}

void Rounds::report_to(Report& report, const std::string& unit) const {
    for (const auto& [name, values] : figures_) report.add(name, median(values), unit);
}

} // namespace anteroom::bench
