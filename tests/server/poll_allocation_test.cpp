// A poll does not allocate: from the socket to the standing on the wire, neither C++ nor libuv nor
// OpenSSL ask for memory once the server is warm. A program of its own, because it replaces
// operator new.
#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <uv.h>

#include <cstdlib>
#include <string>

#include "base/counted_memory_testing.h"
#include "dialects/urr/test_event.h"

namespace {

// OpenSSL takes them only before its first allocation, so before main.
const int counting_openssl = CRYPTO_set_mem_functions(
    [](std::size_t size, const char*, int) { return anteroom::counted::malloc(size); },
    [](void* old, std::size_t size, const char*, int) {
        return anteroom::counted::realloc(old, size);
    },
    [](void* memory, const char*, int) { std::free(memory); });

} // namespace

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
        server.loop().post([on] { counted::watch_this_thread(on); });
        ask(1); // Answered after the turn that has switched.
    };
    ask(20); // Buffers grow to their working size.
    watch(true);
    const long before = counted::allocations();
    ask(300);
    const long seen = counted::allocations() - before;
    watch(false);
    return seen;
}

TEST(Poll, DoesNotAllocate) {
    ASSERT_EQ(counting_openssl, 1);
    ASSERT_EQ(uv_replace_allocator(counted::malloc, counted::realloc, counted::calloc, std::free),
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

TEST(Poll, OfSystemUDoesNotAllocate) {
    urr::TestEvent event;
    event.set_threshold(0);
    for (const char* user : {"a", "b", "the-third-user"}) event.inner("check", user);
    EXPECT_EQ(allocations_of(
                  event.server,
                  TestServer::text("GET", fmt::format("/api/v1/queue/status/{}", urr::event_id),
                                   urr::TestEvent::as_user("the-third-user"))),
              0);
    event.outer_admin("activate");
    const std::string id = event.request_id("anon-1x2y-ab12cd34");
    EXPECT_EQ(
        allocations_of(event.server, TestServer::text("GET", fmt::format("/vwr-api/vwr/check/{}/{}",
                                                                         urr::event_id, id))),
        0);
}

} // namespace
} // namespace anteroom::api
