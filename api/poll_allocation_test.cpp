// A poll does not allocate: from the socket to the standing on the wire, neither C++ nor libuv nor
// OpenSSL ask for memory once the server is warm. A program of its own, because it replaces
// operator new.
#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <uv.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "api/test_server.h"

namespace {

std::atomic<long> allocations = 0;
thread_local bool watched = false; // Only the server's loop is.

void* counting_malloc(std::size_t size) {
    if (watched) ++allocations;
    return std::malloc(size);
}

void* counting_realloc(void* old, std::size_t size) {
    if (watched) ++allocations;
    return std::realloc(old, size);
}

void* counting_calloc(std::size_t count, std::size_t size) {
    if (watched) ++allocations;
    return std::calloc(count, size);
}

// OpenSSL takes them only before its first allocation, so before main.
const int counting_openssl = CRYPTO_set_mem_functions(
    [](std::size_t size, const char*, int) { return counting_malloc(size); },
    [](void* old, std::size_t size, const char*, int) { return counting_realloc(old, size); },
    [](void* memory, const char*, int) { std::free(memory); });

} // namespace

// Not inlined, or g++ sees a free() of what came from operator new and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = counting_malloc(size);
    if (!memory) std::abort();
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace anteroom::api {
namespace {

using net::testing::Dial;

// Allocations of the server's thread for the same request some hundred times on one connection.
long allocations_of(TestServer& server, const std::string& request) {
    Dial dial(server.port());
    const auto ask = [&](int times) {
        for (int i = 0; i < times; ++i) EXPECT_EQ(dial.ask(request).status, 200u);
    };
    const auto watch = [&](bool on) {
        server.loop().post([on] {
            watched = on;
            allocations = 0;
        });
        ask(1); // Answered after the turn that has switched.
    };
    ask(20); // Buffers grow to their working size.
    watch(true);
    ask(300);
    const long seen = allocations;
    watch(false);
    return seen;
}

TEST(Poll, DoesNotAllocate) {
    ASSERT_EQ(counting_openssl, 1);
    ASSERT_EQ(uv_replace_allocator(counting_malloc, counting_realloc, counting_calloc, std::free),
              0);
    // Nobody is called: all of them wait, and their standings are all that is asked for.
    RoomSettings settings;
    settings.rules.capacity = 0;
    settings.profile.message = "The sale begins at noon; \"your\" place is kept.";
    TestServer server({.defaults = settings});
    const std::string room = "the-autumn-sale-of-2026";
    const std::string path = fmt::format("/v1/rooms/{}/ticket", room);
    for (int i = 0; i < 10; ++i) server.join(room, fmt::format("visitor-{}", i));
    const std::string ticket = TestServer::text_of(server.join(room, "one-more"), "ticket");

    const auto poll = [&](const std::string& headers) {
        return TestServer::text("GET", path, headers);
    };
    EXPECT_EQ(allocations_of(server, poll(TestServer::bearer(ticket))), 0);
    EXPECT_EQ(allocations_of(server, poll(TestServer::bearer(ticket) +
                                          "X-Request-ID: 0b5f3e9a-6c55-4c11-9b26-d3a1c6e0f4aa\r\n"
                                          "X-Forwarded-For: 203.0.113.7\r\n")),
              0);
    EXPECT_GT(
        allocations_of(server, TestServer::text("GET", "/v1/admin/rooms", TestServer::as_admin())),
        0)
        << "nothing is counted";
    EXPECT_EQ(allocations_of(server, poll("Cookie: a=b; anteroom-" + room + "=" + ticket + "\r\n")),
              0);
}

} // namespace
} // namespace anteroom::api
