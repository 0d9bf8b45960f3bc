#include "dialects/hhplus/batch_body.h"

#include <boost/json.hpp>

namespace anteroom::hhplus {

namespace json = boost::json;

std::optional<double> read_qps(std::string_view body) {
    constexpr double qps_max = 1e9;
    json::parse_options options;
    options.max_depth = 4;
    json::error_code error;
    const json::value value =
        json::parse(json::string_view(body.data(), body.size()), error, {}, options);
    if (error || !value.is_object()) return std::nullopt;
    const json::value* given = value.get_object().if_contains("qps");
    if (!given || !given->is_number()) return std::nullopt;
    const auto qps = given->to_number<double>(error);
    if (error || !(qps > 0) || qps > qps_max) return std::nullopt;
    return qps;
}

} // namespace anteroom::hhplus
