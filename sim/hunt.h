// Hunt: does the simulator find a planted bug, and how soon? Only in the planted build.
//
// Every hunt runs in a process of its own: a bug may also trip one of the engine's own checks, and
// a failed CHECK ends the process. That counts as found.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "engine/planted.h"

namespace anteroom::sim {

struct Hunt {
    bool found = false;
    std::uint64_t seed = 0; // Where it was found, or the last one tried.
    std::string what;
};

#ifdef ANTEROOM_PLANTED_BUGS
Hunt hunt(Bug bug, std::uint64_t first, std::uint64_t last, Millis length);
#endif

} // namespace anteroom::sim
