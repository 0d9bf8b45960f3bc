// The small tools of a benchmark: CPU time, medians of interleaved rounds, a table with budgets.
//
// Times are CPU time of the measuring thread, so that a busy machine disturbs them little; what
// still disturbs them (caches, memory bandwidth) the median over rounds takes out, and contestants
// are measured in turns within each round, so that a ratio compares like with like.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace anteroom::bench {

// CPU time of this thread.
double cpu_ns();

// Makes the compiler compute the value and read memory again.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

double median(std::vector<double> values);

// Calls work() once; returns ns per operation.
template <class Work>
double ns_per_op(std::uint64_t operations, Work work) {
    const double start = cpu_ns();
    work();
    return (cpu_ns() - start) / static_cast<double>(operations);
}

// Bytes that the allocator has handed out, and those that the process occupies.
double allocated_bytes();
double resident_bytes();

// Runs `measure` in a child process, so that what it allocates starts from a clean heap and is gone
// afterwards. Nothing when the child did not finish.
std::vector<double> in_child(const std::function<std::vector<double>()>& measure);

struct Budget {
    double limit;
    bool at_least = false;
};

class Report {
  public:
    void add(std::string key, double value, std::string unit,
             std::optional<Budget> budget = std::nullopt);
    void print() const;
    // False when the file cannot be written.
    bool write_json(const std::string& path) const;

  private:
    struct Row {
        std::string key;
        double value;
        std::string unit;
        std::optional<Budget> budget;
    };
    std::vector<Row> rows_;
};

// The arguments of a section: where its figures go, and how long it may measure.
class Run {
  public:
    Run(Report& to, bool is_quick) : report(to), quick(is_quick) {}
    Report& report;
    const bool quick;

    int rounds() const { return quick ? 1 : 5; }
    std::uint64_t samples() const { return quick ? 20'000 : 100'000; }
    // One line on stderr, for steps that take a while.
    static void progress(const std::string& step);
};

// The figures of several rounds; at the end their medians.
class Rounds {
  public:
    void add(const std::string& key, double ns);
    double median_of(const std::string& key) const;
    void report_to(Report& report, const std::string& unit) const;

  private:
    std::vector<std::pair<std::string, std::vector<double>>> figures_;
};

} // namespace anteroom::bench
