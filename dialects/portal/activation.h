// What operators of system P send: which queue, and the three numbers of its activation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/portal/options.h"

namespace anteroom::portal {

struct FieldFault {
    std::string field;
    std::string message;
    std::string rejected = "null"; // As JSON.
};

struct Order {
    // Of the document's form, which has no queue in its path; from the body, else from the query.
    std::optional<std::string> type;
    std::optional<std::string> id; // Not read yet.
    std::optional<std::int64_t> capacity, batch, interval_seconds;
    std::vector<FieldFault> faults;
    bool is_readable = true; // False: the body is no JSON object.
};

Order read_order(std::string_view body, std::string_view query);

// What is missing comes from `known`; what is missing there, too, is a fault.
std::optional<Pace> pace_of(Order& order, const std::optional<Pace>& known);

// "details":[…]
std::string details_json(const std::vector<FieldFault>& faults);

} // namespace anteroom::portal
