// The metrics that dashboards of system U ask for.
#pragma once

#include <array>

#include "desk/metric_text.h"

namespace anteroom::urr {

inline constexpr std::string_view when_spoken = "dialect `urr`";
inline constexpr std::array metric_families{
    MetricFamily{"business_queue_joined_total", MetricType::counter, "", when_spoken,
                 "Places taken, in all events."},
    MetricFamily{"business_queue_admitted_total", MetricType::counter, "", when_spoken,
                 "Users admitted, at once or from the queue, in all events."},
    MetricFamily{"business_queue_left_total", MetricType::counter, "", when_spoken,
                 "Users who left, in all events."},
};

consteval const MetricFamily& metric(std::string_view name) {
    return find_metric(metric_families, name);
}

} // namespace anteroom::urr
