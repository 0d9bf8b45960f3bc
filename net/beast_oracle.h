// What Boost.Beast's parser makes of the same bytes: the second opinion for tests and fuzzing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace anteroom::net::testing {

struct BeastOpinion {
    bool accepted = false; // One complete request, whatever follows it.
    std::string method;
    std::string target;
    unsigned version = 0; // 10 or 11.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::size_t used_bytes = 0;
};

BeastOpinion ask_beast(std::string_view bytes);

} // namespace anteroom::net::testing
