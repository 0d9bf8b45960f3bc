// The heap: how much memory glibc's allocator has taken from the system, and how it goes back.
//
// By default glibc keeps nearly all freed memory: after a crowd has gone, the process stays as
// large as it was. set_up() chooses which allocations get pages of their own, and a HeapTrimmer
// returns free pages when there are enough of them.
#pragma once

#include <cstdint>

namespace anteroom::heap {

// Once, before there is a second thread.
void set_up();

// In bytes.
struct Figures {
    std::uint64_t used = 0;   // By the program, in the arenas.
    std::uint64_t free = 0;   // In the arenas; its pages may have been given back.
    std::uint64_t mapped = 0; // By the program, in pages of their own.
};
Figures figures();

// Resident bytes of the process that belong to no file and to no live allocation.
std::uint64_t unused_resident_bytes();

} // namespace anteroom::heap

namespace anteroom {

// Threads: one, which serves no requests: look() locks the arenas for some milliseconds.
class HeapTrimmer {
  public:
    // True when there was enough to give back, and it was done.
    bool look();

  private:
    std::uint64_t left_ = 0; // Unused after the last time: pages that are used in part.
};

} // namespace anteroom
