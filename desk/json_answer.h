// How most answers begin: JSON that nobody may store.
#pragma once

#include "desk/call.h"
#include "net/exchange.h"

namespace anteroom {

inline constexpr net::HeaderLines json_unstored =
    "Content-Type: application/json\r\nCache-Control: no-store\r\n";

inline net::Answer begin_json(Call& call, net::Status status) {
    net::Answer answer = call.begin(status);
    answer.headers(json_unstored);
    return answer;
}

} // namespace anteroom
