#include "base/counted_memory_testing.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace anteroom::counted {
namespace {

std::atomic<long> counted_allocations{0};
std::atomic<std::size_t> held{0};
thread_local bool watched = false;

void count() {
    if (watched) counted_allocations.fetch_add(1, std::memory_order_relaxed);
}

void* take(std::size_t size) {
    void* memory = counted::malloc(size);
    if (memory != nullptr) held.fetch_add(malloc_usable_size(memory), std::memory_order_relaxed);
    return memory;
}

void give_back(void* memory) {
    held.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed);
    std::free(memory);
}

} // namespace

void watch_this_thread(bool on) {
    watched = on;
}

long allocations() {
    return counted_allocations.load(std::memory_order_relaxed);
}

std::size_t bytes_held() {
    return held.load(std::memory_order_relaxed);
}

void* malloc(std::size_t size) {
    count();
    return std::malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
    count();
    return std::calloc(number, size);
}

void* realloc(void* old, std::size_t size) {
    count();
    return std::realloc(old, size);
}

} // namespace anteroom::counted

// Not inlined, or g++ sees a free() of what came from operator new and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = anteroom::counted::take(size);
    if (memory == nullptr) std::abort();
    return memory;
}

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return anteroom::counted::take(size);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    anteroom::counted::give_back(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    anteroom::counted::give_back(memory);
}

// libstdc++'s array forms call the ones above; those of AddressSanitizer do not.
void* operator new[](std::size_t size) {
    return operator new(size);
}

void operator delete[](void* memory) noexcept {
    operator delete(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
    operator delete(memory);
}
