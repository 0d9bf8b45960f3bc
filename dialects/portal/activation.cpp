#include "dialects/portal/activation.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/json_text.h"
#include "net/url.h"

namespace anteroom::portal {
namespace {

namespace json = boost::json;

constexpr std::int64_t interval_seconds_max = limits::interval_max.count / 1'000;
constexpr std::size_t rejected_length_max = 200;

struct Field {
    const char* name;
    std::optional<std::int64_t> Order::*value;
    std::int64_t max;
};
constexpr Field fields[] = {
    {"maxCapacity", &Order::capacity, pace_count_max},
    {"entryBatchSize", &Order::batch, pace_count_max},
    {"entryIntervalSeconds", &Order::interval_seconds, interval_seconds_max},
};

std::string shown(const json::value& value) {
    std::string text = json::serialize(value);
    return text.size() <= rejected_length_max ? text : "null";
}

void read_number(const json::object& object, const Field& field, Order& order) {
    const json::value* value = object.if_contains(field.name);
    if (!value || value->is_null()) return;
    const std::int64_t* number = value->if_int64();
    if (number && *number >= 1 && *number <= field.max) {
        order.*field.value = *number;
        return;
    }
    std::string message = "must be a whole number";
    if (number && *number < 1) message = "must be greater than or equal to 1";
    if (number && *number > field.max)
        message = fmt::format("must be less than or equal to {}", field.max);
    order.faults.push_back(
        {.field = field.name, .message = std::move(message), .rejected = shown(*value)});
}

std::optional<std::string> read_text(const json::object& object, const char* name) {
    const json::value* value = object.if_contains(name);
    if (!value) return std::nullopt;
    if (const json::string* text = value->if_string())
        return std::string(text->data(), text->size());
    if (const std::int64_t* number = value->if_int64()) return std::to_string(*number);
    return std::nullopt;
}

} // namespace

Order read_order(std::string_view body, std::string_view query) {
    Order order;
    json::object object;
    if (!body.empty()) {
        json::parse_options options;
        options.max_depth = 4;
        json::error_code error;
        json::value value =
            json::parse(json::string_view(body.data(), body.size()), error, {}, options);
        order.is_readable = !error && value.is_object();
        if (!order.is_readable) return order;
        object = std::move(value.as_object());
    }
    for (const Field& field : fields) read_number(object, field, order);
    order.type = read_text(object, "eventType");
    order.id = read_text(object, "eventId");
    const std::optional<net::Query> asked = net::Query::parse(query);
    if (const std::string* type = asked ? asked->find("eventType") : nullptr; type && !order.type)
        order.type = *type;
    if (const std::string* id = asked ? asked->find("eventId") : nullptr; id && !order.id)
        order.id = *id;
    return order;
}

std::optional<Pace> pace_of(Order& order, const std::optional<Pace>& known) {
    const auto missing = [&](const Field& field) {
        for (const FieldFault& fault : order.faults)
            if (fault.field == field.name) return;
        order.faults.push_back({.field = field.name, .message = "must not be null"});
    };
    for (const Field& field : fields)
        if (!(order.*field.value) && !known) missing(field);
    if (!order.faults.empty()) return std::nullopt;
    const Pace before = known.value_or(Pace{});
    return Pace{.capacity = order.capacity.value_or(before.capacity),
                .batch = order.batch.value_or(before.batch),
                .interval_seconds = order.interval_seconds.value_or(before.interval_seconds)};
}

std::string details_json(const std::vector<FieldFault>& faults) {
    std::string out = R"("details":[)";
    for (const FieldFault& fault : faults) {
        if (out.back() != '[') out += ',';
        out += R"({"field":)";
        append_json_string(out, fault.field);
        out += R"(,"message":)";
        append_json_string(out, fault.message);
        out += R"(,"rejectedValue":)" + fault.rejected + "}";
    }
    return out + "]";
}

} // namespace anteroom::portal
