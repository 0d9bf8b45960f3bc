// DialectInfo: what the folder of a dialect says of itself before anything is configured. One
// constant per folder; app/dialects.cpp lists them.
#pragma once

#include <span>
#include <string_view>

#include "desk/metric_text.h"

namespace anteroom {

struct DialectInfo {
    std::string_view name;   // As dialects.enabled and the profiles of rooms have it.
    std::string_view system; // As documents call it: "U".
    std::span<const MetricFamily> metrics = {};
};

} // namespace anteroom
