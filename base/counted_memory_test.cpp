#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <thread>

#include "base/counted_memory_testing.h"

namespace anteroom {
namespace {

TEST(CountedMemory, CountsEveryWayToAllocate) {
    EXPECT_EQ(counted::allocations_of([] { ::operator delete(::operator new(8)); }), 100);
    EXPECT_EQ(counted::allocations_of([] { ::operator delete(::operator new(8, std::nothrow)); }),
              100);
    EXPECT_EQ(counted::allocations_of([] { ::operator delete[](::operator new[](8)); }), 100);
    EXPECT_EQ(counted::allocations_of([] { std::free(counted::malloc(8)); }), 100);
    EXPECT_EQ(counted::allocations_of([] { std::free(counted::calloc(1, 8)); }), 100);
    EXPECT_EQ(counted::allocations_of([] { std::free(counted::realloc(counted::malloc(8), 16)); }),
              200);
    EXPECT_EQ(counted::allocations_of([] {}), 0);
}

TEST(CountedMemory, CountsOnlyThreadsThatAreWatched) {
    const long before = counted::allocations();
    std::thread([] { ::operator delete(::operator new(8)); }).join();
    EXPECT_EQ(counted::allocations(), before);
    std::thread([] {
        counted::watch_this_thread(true);
        ::operator delete(::operator new(8));
    }).join();
    EXPECT_EQ(counted::allocations(), before + 1);
}

TEST(CountedMemory, KnowsWhatIsHeld) {
    const std::size_t before = counted::bytes_held();
    void* memory = ::operator new(1'000);
    EXPECT_GE(counted::bytes_held(), before + 1'000);
    ::operator delete(memory);
    EXPECT_EQ(counted::bytes_held(), before);
}

} // namespace
} // namespace anteroom
