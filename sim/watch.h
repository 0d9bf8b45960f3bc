// Watch: one simulated sale as a picture in the terminal, many times faster than real. Where the
// output is not a terminal it is plain lines.
#pragma once

namespace anteroom::sim {

// Returns the exit code.
int watch_a_sale();

} // namespace anteroom::sim
