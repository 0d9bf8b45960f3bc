// OriginLoad: how many visitors an origin stands, by what each of them asks of it (the calculation
// of system H).
#pragma once

#include <cstdint>

#include "base/time.h"

namespace anteroom {

struct OriginLoad {
    double queries_per_second = 0; // Where it still works well.
    double queries = 1;            // Of one call.
    double calls = 1;              // Of one visitor.
    double retry = 1;              // 1.5: every second call is made twice.
};

// How many visitors a second it takes; `margin` (0 to below 1) of it is kept back.
double visitors_per_second(const OriginLoad& load, double margin);

// The whole visitors of one interval; a hair below a whole number is that number. What is too much
// for the type is its maximum.
std::int64_t batch_of(double per_second, Millis interval);

} // namespace anteroom
