// How most answers begin: JSON that nobody may store.
#pragma once

#include "desk/desk.h"

namespace anteroom {

inline constexpr net::HeaderLines json_unstored =
    "Content-Type: application/json\r\nCache-Control: no-store\r\n";

// `when`: now, or an answer that was put off.
inline net::Answer begin_json(Desk& desk, auto& when, net::Status status) {
    net::Answer answer = desk.begin(when, status);
    answer.headers(json_unstored);
    return answer;
}

} // namespace anteroom
