#include "base/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace anteroom {
namespace heap {
namespace {

// Larger pieces (lists of facts, of rows) have pages of their own, which go back when they are
// freed. Without this, glibc raises the limit up to 32 MB as soon as such a piece was freed once.
constexpr int mapped_bytes_min = 1 << 20;
// Free bytes that each arena keeps at its end. With less, every batch would return pages and fetch
// them again.
constexpr int arena_end_bytes_max = 1 << 20;

} // namespace

void set_up() {
    mallopt(M_MMAP_THRESHOLD, mapped_bytes_min);
    mallopt(M_TRIM_THRESHOLD, arena_end_bytes_max);
}

Figures figures() {
    const struct mallinfo2 all = mallinfo2();
    return {.used = all.uordblks, .free = all.fordblks, .mapped = all.hblkhd};
}

std::uint64_t unused_resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::uint64_t of_files = 0;
    file >> size >> resident >> of_files;
    const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t own = (resident - std::min(resident, of_files)) * page;
    const Figures now = figures();
    return own - std::min(own, now.used + now.mapped);
}

} // namespace heap

bool HeapTrimmer::look() {
    // Less is not worth the calls: it is used again by the next batch.
    constexpr std::uint64_t worth_bytes = 4 << 20;
    const std::uint64_t unused = heap::unused_resident_bytes();
    left_ = std::min(left_, unused);
    if (unused < left_ + worth_bytes) return false;
    malloc_trim(0);
    left_ = heap::unused_resident_bytes();
    return true;
}

} // namespace anteroom
