// For tests: counts the allocations of the program and the bytes that it holds.
//
// Linking `base_counting` replaces operator new, so such tests are programs of their own. malloc,
// calloc and realloc below count for libraries whose allocator can be set (OpenSSL, libuv).
#pragma once

#include <cstddef>

namespace anteroom::counted {

// Whether allocations of this thread are counted from now on.
void watch_this_thread(bool on);
// By watched threads, since the start of the program.
long allocations();
// Bytes that operator new gave out to any thread and that were not freed.
std::size_t bytes_held();

void* malloc(std::size_t size);
void* calloc(std::size_t number, std::size_t size);
void* realloc(void* old, std::size_t size);

// Of this thread in a hundred calls.
template <class Work>
long allocations_of(Work work) {
    work(); // Allocations of the first call (caches, tables) are not counted.
    const long before = allocations();
    watch_this_thread(true);
    for (int i = 0; i < 100; ++i) work();
    watch_this_thread(false);
    return allocations() - before;
}

} // namespace anteroom::counted
