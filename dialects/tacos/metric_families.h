// The metrics that dashboards of system T ask for.
#pragma once

#include <array>

#include "desk/metric_text.h"

namespace anteroom::tacos {

inline constexpr std::string_view when_spoken = "dialect `tacos`";
inline constexpr std::array metric_families{
    MetricFamily{"queue_operations_total", MetricType::counter, "operation status", when_spoken,
                 "Calls of the queue; status is success or failure."},
    MetricFamily{"queue_wait_time_seconds", MetricType::histogram, "event_id", when_spoken,
                 "How long visitors who entered had waited."},
    MetricFamily{"queue_admissions_total", MetricType::counter, "event_id", when_spoken,
                 "Visitors who entered through this process."},
    MetricFamily{"queue_depth", MetricType::gauge, "event_id", when_spoken,
                 "Visitors who have not entered, ready ones included."},
    MetricFamily{"ratelimit_dropped_total", MetricType::counter, "key_type", when_spoken,
                 "Calls over the limit of their address."},
    MetricFamily{"idempotency_hits_total", MetricType::counter, "type", when_spoken,
                 "Calls with an Idempotency-Key; type is hit when the answer was kept, else miss."},
};

consteval const MetricFamily& metric(std::string_view name) {
    return find_metric(metric_families, name);
}

} // namespace anteroom::tacos
