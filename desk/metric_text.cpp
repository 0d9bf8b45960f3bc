#include "desk/metric_text.h"

namespace anteroom {

std::string_view type_name(MetricType type) {
    switch (type) {
        case MetricType::counter: return "counter";
        case MetricType::gauge: return "gauge";
        case MetricType::histogram: return "histogram";
    }
    return "";
}

} // namespace anteroom
