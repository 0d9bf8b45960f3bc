// The heap: what glibc's allocator has taken from the system, and the way back.
//
// By default it keeps nearly everything that was ever freed: after a crowd has gone, the process
// stays as large as it was. set_up() says which pieces get pages of their own, and a HeapTrimmer
// gives free pages back, now and then.
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

// Of the process: pages that are no file's and that the program does not use.
std::uint64_t unused_resident_bytes();

} // namespace anteroom::heap

namespace anteroom {

// Threads: one. It holds the arenas for some milliseconds, so not one that answers people.
class HeapTrimmer {
  public:
    // True when there was enough to give back, and it was done.
    bool look();

  private:
    std::uint64_t left_ = 0; // Unused after the last time: pages that are used in part.
};

} // namespace anteroom
