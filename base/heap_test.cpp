#include "base/heap.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace anteroom {
namespace {

// Keeps the compiler from leaving out an allocation that is not read.
char* volatile seen = nullptr;

std::unique_ptr<char[]> large_piece(std::size_t bytes) {
    auto piece = std::make_unique<char[]>(bytes);
    seen = piece.get();
    return piece;
}

// A sanitizer brings an allocator of its own, of which glibc's account knows nothing.
bool has_own_allocator() {
    const std::uint64_t before = heap::figures().mapped;
    const auto large = large_piece(64 << 20);
    return heap::figures().mapped == before;
}

constexpr std::size_t piece_bytes = 12'000; // About a chunk of records.
constexpr std::size_t crowd_bytes = 48 << 20;

// The memory that a crowd leaves behind: many freed pieces, each followed by a small one in use.
struct Crowd {
    std::vector<std::unique_ptr<char[]>> pieces;
    std::vector<std::unique_ptr<char[]>> stays;

    void come() {
        for (std::size_t bytes = 0; bytes < crowd_bytes; bytes += piece_bytes) {
            pieces.emplace_back(new char[piece_bytes]());
            stays.emplace_back(new char[100]());
        }
    }
};

TEST(Heap, PagesOfACrowdThatHasGoneAreGivenBack) {
    if (has_own_allocator()) GTEST_SKIP() << "glibc does not allocate here";
    heap::set_up();
    HeapTrimmer trimmer;
    Crowd crowd;
    std::thread([&] { crowd.come(); }).join(); // In another arena than ours, as in a server.
    trimmer.look();
    const std::uint64_t before = heap::unused_resident_bytes();
    EXPECT_GE(heap::figures().used, crowd_bytes);

    crowd.pieces.clear();
    EXPECT_GE(heap::unused_resident_bytes(), before + crowd_bytes / 2);
    EXPECT_TRUE(trimmer.look());
    EXPECT_LT(heap::unused_resident_bytes(), before + crowd_bytes / 2);
    EXPECT_FALSE(trimmer.look()) << "what cannot be had is not tried for again and again";
}

TEST(Heap, ALargePieceGoesBackWhenItIsFreed) {
    if (has_own_allocator()) GTEST_SKIP() << "glibc does not allocate here";
    heap::set_up();
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t before = heap::figures().mapped;
        const auto large = large_piece(8 << 20);
        EXPECT_GE(heap::figures().mapped, before + (8 << 20)) << i;
    }
}

} // namespace
} // namespace anteroom
