#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace anteroom {

void check_failed(const char* claim, const char* file, int line) noexcept {
    std::fprintf(stderr, "anteroom: CHECK failed: %s (%s:%d)\n", claim, file, line);
    std::abort();
}

} // namespace anteroom
