// What /metrics tells, in the text format of Prometheus. A family is a row of a table: the server's
// own is app/metric_families.h, a dialect brings its own. docs/metrics.md is written from them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace anteroom {

enum class MetricType : std::uint8_t { counter, gauge, histogram };
std::string_view type_name(MetricType type);

struct MetricFamily {
    std::string_view name;
    MetricType type = MetricType::counter;
    std::string_view labels; // With spaces between them; `le` of a histogram is not named.
    std::string_view when;   // Empty: always.
    std::string_view meaning;
};

// The row of a name. A name that is not in the table does not compile.
consteval const MetricFamily& find_metric(const auto& families, std::string_view name) {
    for (const MetricFamily& family : families)
        if (family.name == name) return family;
    throw "there is no such metric in the table";
}

class MetricText {
  public:
    void family(const MetricFamily& family) {
        fmt::format_to(std::back_inserter(out_), "# HELP {0} {2}\n# TYPE {0} {1}\n", family.name,
                       type_name(family.type), family.meaning);
    }
    template <class Value>
    void sample(const MetricFamily& family, std::string_view labels, Value value) {
        line(family.name, "", labels, value);
    }
    // A family that is one figure.
    template <class Value>
    void single(const MetricFamily& one, Value value) {
        family(one);
        sample(one, "", value);
    }
    // `suffix`: _bucket, _sum or _count.
    template <class Value>
    void part(const MetricFamily& histogram, std::string_view suffix, std::string_view labels,
              Value value) {
        line(histogram.name, suffix, labels, value);
    }
    std::string take() { return std::move(out_); }

  private:
    template <class Value>
    void line(std::string_view name, std::string_view suffix, std::string_view labels,
              Value value) {
        fmt::format_to(std::back_inserter(out_), "{}{}{}{}{} {}\n", name, suffix,
                       labels.empty() ? "" : "{", labels, labels.empty() ? "" : "}", value);
    }

    std::string out_;
};

} // namespace anteroom
