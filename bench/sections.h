// The sections of the benchmark, one per file. A new one is declared here and listed in main.cpp.
#pragma once

#include "bench/harness.h"

namespace anteroom::bench {

void bench_line(Run& run);   // Order statistics against the GNU tree and std::set.
void bench_room(Run& run);   // Commands, polls, ticks, pulse, digest and replay of a whole room.
void bench_memory(Run& run); // Bytes per number and per visitor.
void bench_token(Run& run);  // Passes, and the gate's decision.

} // namespace anteroom::bench
