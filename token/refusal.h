// Refusal: why a ticket, a pass or an access token was not accepted.
//
// For logs and counters. A refused client is told only that it was refused.
#pragma once

#include <cstdint>
#include <string_view>

namespace anteroom::token {

enum class Refusal : std::uint8_t {
    oversized,
    malformed,
    bad_encoding,
    bad_header,
    unexpected_header,
    critical_header,
    wrong_algorithm,
    unknown_key,
    retired_key,
    bad_signature,
    bad_claims,
    duplicate_member,
    bad_time,
    expired,
    not_yet_valid,
    wrong_tier,
    wrong_room,
    wrong_visitor,
    wrong_audience,
    wrong_issuer,
    wrong_token_type,
    wrong_kind,
    wrong_generation,
};

// A stable word of [a-z_], fit for a log field or a metric label.
std::string_view reason(Refusal refusal);

} // namespace anteroom::token
