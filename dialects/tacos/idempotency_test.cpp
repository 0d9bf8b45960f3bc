#include "dialects/tacos/idempotency.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "dialects/tacos/test_event.h"

namespace anteroom::tacos {
namespace {

using Book = IdempotencyBook;
constexpr std::string_view key_text = "0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01";
const IdempotencyKey key = *parse_uuid(key_text);
const Instant start{1'000'000};

IdempotencyKey numbered(std::uint64_t n) {
    IdempotencyKey result{};
    token::store_number<8>(result.data(), n);
    return result;
}

TEST(TacosIdempotency, AKeyIsAUuidInAnySpelling) {
    for (const std::string_view text :
         {"0B6F1D4E-2F52-4D0A-9A38-0C6F6C1F2A01", "0b6f1d4e2f524d0a9a380c6f6c1f2a01",
          "urn:uuid:0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01",
          "{0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a01}"})
        EXPECT_EQ(parse_uuid(text), key) << text;
    for (const std::string_view text :
         {"", "abc", "0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a0", "0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a0g",
          "0b6f1d4e 2f52-4d0a-9a38-0c6f6c1f2a01", "{0b6f1d4e2f524d0a9a380c6f6c1f2a01}",
          "0b6f1d4e2-f52-4d0a-9a38-0c6f6c1f2a01"})
        EXPECT_FALSE(parse_uuid(text)) << text;
}

TEST(TacosIdempotency, EveryPartOfACallCounts) {
    const auto book = Book::open(minutes(5), {});
    const auto first = book->fingerprint("POST", "/p", "q", "b", "u");
    EXPECT_EQ(first, book->fingerprint("POST", "/p", "q", "b", "u"));
    EXPECT_NE(first, book->fingerprint("POST", "/p", "q", "bu", ""));
    EXPECT_NE(first, book->fingerprint("POST", "/p", "", "qb", "u"));
    EXPECT_NE(first, book->fingerprint("PATCH", "/p", "q", "b", "u"));
}

TEST(TacosIdempotency, TheSameCallWaitsForTheFirstAndThenGetsItsAnswer) {
    const auto book = Book::open(minutes(5), {});
    const auto print = book->fingerprint("POST", "/p", "", "b", "");
    auto first = book->begin(key, print, start, {});
    ASSERT_TRUE(std::holds_alternative<Book::Lock>(first));
    std::string heard;
    auto second = book->begin(key, print, start, [&](const auto& answer) { heard = answer->body; });
    EXPECT_TRUE(std::holds_alternative<Book::Waits>(second));
    const auto other = book->fingerprint("POST", "/p", "", "c", "");
    EXPECT_TRUE(std::holds_alternative<Book::Conflict>(book->begin(key, other, start, {})));
    std::get<Book::Lock>(first).answer(net::Status::accepted, "done", start);
    EXPECT_EQ(heard, "done");
    auto third = book->begin(key, print, start + seconds(299), {});
    const auto* answer = std::get_if<std::shared_ptr<const Book::Answer>>(&third);
    ASSERT_TRUE(answer);
    EXPECT_EQ((*answer)->status, net::Status::accepted);
    EXPECT_EQ((*answer)->body, "done");
    EXPECT_TRUE(std::holds_alternative<Book::Conflict>(book->begin(key, other, start, {})));
    EXPECT_TRUE(
        std::holds_alternative<Book::Lock>(book->begin(key, other, start + seconds(300), {})));
}

TEST(TacosIdempotency, WhoWasRefusedMayTryAgain) {
    const auto book = Book::open(minutes(5), {});
    const auto print = book->fingerprint("POST", "/p", "", "b", "");
    auto first = book->begin(key, print, start, {});
    std::get<Book::Lock>(first).answer(net::Status::forbidden, "no", start);
    EXPECT_EQ(book->size(), 0u);
    bool told = false;
    {
        auto second = book->begin(key, print, start, {});
        ASSERT_TRUE(std::holds_alternative<Book::Lock>(second));
        book->begin(key, print, start, [&](const auto& answer) { told = answer == nullptr; });
    }
    EXPECT_TRUE(told) << "who waits for a call that is given up is told";
    EXPECT_EQ(book->size(), 0u);
}

TEST(TacosIdempotency, TheBookIsBounded) {
    const auto print = token::Digest{};
    const auto few = Book::open(minutes(5), {.calls_max = 3, .waiting_max = 1});
    for (std::uint64_t n = 0; n < 10; ++n) {
        auto verdict = few->begin(numbered(n), print, start, {});
        std::get<Book::Lock>(verdict).answer(net::Status::ok, "x", start);
        EXPECT_LE(few->size(), 3u);
    }
    auto oldest = few->begin(numbered(0), print, start, {});
    EXPECT_TRUE(std::holds_alternative<Book::Lock>(oldest)) << "forgotten";
    EXPECT_TRUE(std::holds_alternative<Book::Waits>(
        few->begin(numbered(0), print, start, [](const auto&) {})));
    EXPECT_TRUE(std::holds_alternative<Book::Crowded>(few->begin(numbered(0), print, start, {})));

    const auto narrow = Book::open(minutes(5), {.bytes_max = 10'000});
    for (std::uint64_t n = 0; n < 100; ++n) {
        auto verdict = narrow->begin(numbered(n), print, start, {});
        std::get<Book::Lock>(verdict).answer(net::Status::ok, std::string(1'000, 'x'), start);
    }
    EXPECT_LE(narrow->size(), 10u);
    EXPECT_GE(narrow->size(), 1u);

    const auto busy = Book::open(minutes(5), {.calls_max = 1});
    auto held = busy->begin(numbered(1), print, start, {});
    EXPECT_TRUE(std::holds_alternative<Book::Full>(busy->begin(numbered(2), print, start, {})));
}

TEST(TacosIdempotency, OfManyThreadsOneIsFirst) {
    const auto book = Book::open(minutes(5), {.waiting_max = 1'000});
    const token::Digest print{};
    for (std::uint64_t round = 0; round < 200; ++round) {
        std::atomic<int> executed{0}, answered{0};
        const auto run = [&] {
            auto verdict =
                book->begin(numbered(round), print, start, [&](const auto&) { ++answered; });
            if (auto* lock = std::get_if<Book::Lock>(&verdict)) {
                ++executed;
                lock->answer(net::Status::ok, "x", start);
                ++answered;
            } else if (!std::holds_alternative<Book::Waits>(verdict)) {
                ++answered;
            }
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back(run);
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(executed, 1);
        ASSERT_EQ(answered, 4);
    }
}

// The ninth conformance vector.
TEST(TacosIdempotency, OnTheWire) {
    TestEvent event;
    const std::string header = TestEvent::key_header(key_text);
    EXPECT_ERROR(event.join({}, TestEvent::key_header("abc")), 400, "INVALID_IDEMPOTENCY_KEY",
                 "Idempotency-Key must be a valid UUID v4");
    EXPECT_ERROR(event.join({}, header + header), 400, "INVALID_IDEMPOTENCY_KEY",
                 "Idempotency-Key must be a valid UUID v4");
    const auto first = event.join({}, header);
    EXPECT_EQ(first.status, 202u);
    EXPECT_EQ(first.header("x-idempotency-cached"), "");
    const auto again = event.join({}, header);
    EXPECT_EQ(again.status, 202u);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.header("x-idempotency-cached"), "true");
    EXPECT_EQ(again.header("content-type"), "application/json");
    EXPECT_ERROR(event.join("u1", header), 409, "IDEMPOTENCY_CONFLICT",
                 "Request body differs from original request with same Idempotency-Key");
    EXPECT_ERROR(event.enter("73bf3da3-04bb-47e2-9455-03bf5455ab81", header), 409,
                 "IDEMPOTENCY_CONFLICT",
                 "Request body differs from original request with same Idempotency-Key");
    EXPECT_EQ(event.room()->view().waiting(), 1u);
}

// A first call that takes its time: the test is it.
struct SlowFirst {
    explicit SlowFirst(TestEvent& event) : book(*event.shared().book) {
        const std::string body = fmt::format(R"({{"event_id":"{}"}})", event_id);
        const auto print = book.fingerprint("POST", "/api/v1/queue/join", "", body, "");
        auto verdict = book.begin(key, print, event.server.service.clock().now(), {});
        lock.emplace(std::get<Book::Lock>(std::move(verdict)));
        for (net::testing::Dial& dial : dials) {
            dial.connect(event.server.port());
            dial.write(TestServer::text("POST", "/api/v1/queue/join",
                                        TestEvent::key_header(key_text), body));
        }
        EXPECT_TRUE(net::testing::eventually([&] { return book.waiting(key) == dials.size(); }));
    }
    Book& book;
    std::optional<Book::Lock> lock;
    std::array<net::testing::Dial, 3> dials;
};

TEST(TacosIdempotency, AConcurrentDuplicateWaitsOnTheWire) {
    TestEvent event;
    SlowFirst slow(event);
    slow.lock->answer(net::Status::accepted, R"({"of":"the first"})",
                      event.server.service.clock().now());
    for (net::testing::Dial& dial : slow.dials) {
        const auto answer = dial.read_response();
        EXPECT_EQ(answer.status, 202u);
        EXPECT_EQ(answer.body, R"({"of":"the first"})");
        EXPECT_EQ(answer.header("x-idempotency-cached"), "true");
    }
    EXPECT_EQ(event.room(), nullptr) << "nobody else joined";
}

TEST(TacosIdempotency, ADuplicateOfACallThatCameToNothingIsToldSo) {
    TestEvent event;
    SlowFirst slow(event);
    slow.lock.reset();
    for (net::testing::Dial& dial : slow.dials)
        EXPECT_ERROR(dial.read_response(), 409, "DUPLICATE_REQUEST",
                     "This request has already been processed");
}

TEST(TacosIdempotency, OnlySuccessIsKept) {
    TestEvent event;
    const std::string header = TestEvent::key_header(key_text);
    const std::string token = event.token();
    EXPECT_EQ(event.enter(token, header).status, 403u);
    event.call(1);
    const auto granted = event.enter(token, header);
    EXPECT_EQ(granted.status, 200u);
    const auto again = event.enter(token, header);
    EXPECT_EQ(again.body, granted.body);
    EXPECT_EQ(again.header("x-idempotency-cached"), "true");
}

TEST(TacosIdempotency, AGrantIsRepeatedOnlyAsLongAsItLives) {
    TestEvent event;
    const std::string header = TestEvent::key_header(key_text);
    const std::string token = event.token();
    event.call(1);
    EXPECT_EQ(event.enter(token, header).status, 200u);
    event.leave(token);
    const auto late = event.enter(token, header);
    EXPECT_ERROR(late, 404, "TOKEN_NOT_FOUND", "Waiting token not found or expired");
    EXPECT_EQ(late.header("x-idempotency-cached"), "");

    const std::string other = TestEvent::key_header("0b6f1d4e-2f52-4d0a-9a38-0c6f6c1f2a02");
    const std::string again = event.token();
    event.call(1);
    const auto granted = event.enter(again, other);
    event.verify(fmt::format(R"({{"event_id":"{}","reservation_token":"{}"}})", event_id,
                             TestServer::text_of(TestServer::json(granted), "reservation_token")));
    EXPECT_EQ(event.enter(again, other).status, 404u) << "spent";
}

TEST(TacosIdempotency, WhenTooManyCallsAreUnderWayANewOneIsToldToComeAgain) {
    TestEvent event;
    Book& book = *event.shared().book;
    const Instant now = event.server.service.clock().now();
    std::vector<Book::Verdict> held;
    for (std::uint64_t n = 0; n < Book::Limits{}.calls_max; ++n)
        held.push_back(book.begin(numbered(n), {}, now, {}));
    const std::string header = TestEvent::key_header(key_text);
    const auto refused = event.join({}, header);
    EXPECT_ERROR(refused, 503, "QUEUE_ERROR", "Failed to join queue");
    EXPECT_EQ(refused.header("retry-after"), "5");
    EXPECT_ERROR(event.enter("x", header), 503, "QUEUE_ERROR", "Failed to grant admission");
    EXPECT_ERROR(event.verify("{}", header), 503, "QUEUE_ERROR",
                 "Failed to verify reservation token");
    held.clear();
    EXPECT_EQ(event.join({}, header).status, 202u);
}

TEST(TacosIdempotency, RepeatedCallsAreCountedHoweverTheyAreAnswered) {
    TestEvent event;
    Figures& figures = event.shared().figures;
    {
        SlowFirst slow(event);
        slow.lock->answer(net::Status::accepted, "{}", event.server.service.clock().now());
        for (net::testing::Dial& dial : slow.dials) dial.read_response();
    }
    EXPECT_EQ(figures.operations(Operation::join, true), 3u) << "those that waited";
    event.join({}, TestEvent::key_header(key_text));
    EXPECT_EQ(figures.operations(Operation::join, true), 4u) << "one from the book";
    EXPECT_EQ(figures.replayed, 4u);
}

TEST(TacosIdempotency, TheKeyCanBeRequired) {
    Options options = options_of(stopped());
    options.requires_idempotency_key = true;
    TestEvent event(std::move(options));
    EXPECT_ERROR(event.join(), 400, "IDEMPOTENCY_REQUIRED",
                 "Idempotency-Key header is required for POST requests");
    EXPECT_ERROR(event.enter("x"), 400, "IDEMPOTENCY_REQUIRED",
                 "Idempotency-Key header is required for POST requests");
    EXPECT_ERROR(event.join({}, TestEvent::key_header("")), 400, "IDEMPOTENCY_REQUIRED",
                 "Idempotency-Key header is required for POST requests");
    EXPECT_EQ(event.join({}, TestEvent::key_header(key_text)).status, 202u);
    EXPECT_EQ(event.leave("x").status, 200u);
    EXPECT_EQ(event.verify("{}").status, 400u) << "origins need not know the custom";
}

// What a second process would do: it has the room, but not this process's book.
TEST(TacosIdempotency, ARepeatedJoinIsOnePlaceWithoutTheBook) {
    Options options = options_of(stopped());
    options.idempotency = Millis{0};
    TestEvent event(std::move(options));
    const std::string header = TestEvent::key_header(key_text);
    const auto first = event.join({}, header);
    const auto again = event.join({}, header);
    EXPECT_EQ(again.header("x-idempotency-cached"), "");
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(event.room()->view().waiting(), 1u);
}

} // namespace
} // namespace anteroom::tacos
