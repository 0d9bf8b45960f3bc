// The hot path does not allocate: neither C++ nor libuv ask for memory while a warm server answers
// keep-alive requests. A program of its own, because it replaces operator new.
#include <gtest/gtest.h>
#include <uv.h>

#include <cstdlib>
#include <string>

#include "base/counted_memory_testing.h"
#include "net/http_server.h"
#include "net/testing.h"

namespace anteroom::net {

TEST(HotPath, AnswersWithoutAllocating) {
    ASSERT_EQ(uv_replace_allocator(counted::malloc, counted::realloc, counted::calloc, std::free),
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
    server.thread().call([] { counted::watch_this_thread(true); });
    const long before = counted::allocations();
    for (int i = 0; i < 100; ++i) round();
    const long seen = counted::allocations() - before;
    server.thread().call([] { counted::watch_this_thread(false); });
    EXPECT_EQ(seen, 0);
}

} // namespace anteroom::net
