// The hot path does not allocate: neither C++ nor libuv ask for memory while a warm server answers
// keep-alive requests. A program of its own, because it replaces operator new.
#include <gtest/gtest.h>
#include <uv.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "net/http_server.h"
#include "net/testing.h"

namespace {

std::atomic<long> allocations = 0;
thread_local bool counted = false; // Only the loop's thread is watched.

void* counting_malloc(std::size_t size) {
    if (counted) ++allocations;
    return std::malloc(size);
}

void* counting_realloc(void* old, std::size_t size) {
    if (counted) ++allocations;
    return std::realloc(old, size);
}

void* counting_calloc(std::size_t count, std::size_t size) {
    if (counted) ++allocations;
    return std::calloc(count, size);
}

} // namespace

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

namespace anteroom::net {

TEST(HotPath, AnswersWithoutAllocating) {
    ASSERT_EQ(uv_replace_allocator(counting_malloc, counting_realloc, counting_calloc, std::free),
              0);
    testing::TestServer server([](const Request& request, Exchange& exchange) {
        Answer answer = exchange.answer(Status::ok);
        answer.header("Content-Type", "application/json");
        answer.header("Cache-Control", "no-store");
        fmt::format_to(fmt::appender(answer.body()), R"({{"path":"{}","ahead":{}}})", request.path,
                       request.headers().size());
    });
    testing::Dial dial(server.port());
    const std::string one =
        "GET /v1/rooms/r/ticket HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer abc\r\n"
        "Accept: application/json\r\n\r\n";
    const std::string ten = one + one + one + one + one + one + one + one + one + one;
    const auto round = [&] {
        ASSERT_EQ(dial.ask(one).status, 200u);
        ASSERT_TRUE(dial.write(ten));
        for (int i = 0; i < 10; ++i) ASSERT_EQ(dial.read_response().status, 200u);
    };
    for (int i = 0; i < 10; ++i) round(); // Buffers grow to their working size.
    server.thread().call([] { counted = true; });
    allocations = 0;
    for (int i = 0; i < 100; ++i) round();
    const long seen = allocations;
    server.thread().call([] { counted = false; });
    EXPECT_EQ(seen, 0);
}

} // namespace anteroom::net
