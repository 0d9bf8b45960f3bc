// For tests: what this program allocates, and what it holds.
//
// Whoever links `base_counting` has its operator new replaced, so it is a program of its own. The
// functions below count for libraries that let one choose their allocator (OpenSSL, libuv).
#pragma once

#include <cstddef>

namespace anteroom::counted {

// From now on allocations of this thread count, or do not.
void watch_this_thread(bool on);
// By watched threads, since the start of the program.
long allocations();
// What operator new has given out and was not given back, by any thread.
std::size_t bytes_held();

void* malloc(std::size_t size);
void* calloc(std::size_t number, std::size_t size);
void* realloc(void* old, std::size_t size);

// Of this thread in a hundred calls.
template <class Work>
long allocations_of(Work work) {
    work(); // What is set up at the first call does not count.
    const long before = allocations();
    watch_this_thread(true);
    for (int i = 0; i < 100; ++i) work();
    watch_this_thread(false);
    return allocations() - before;
}

} // namespace anteroom::counted
