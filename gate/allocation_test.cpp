// Who passes costs no allocation. A program of its own, because it replaces operator new.
#include <gtest/gtest.h>

#include <array>

#include "base/counted_memory_testing.h"
#include "gate/decide.h"
#include "gate/key_witness.h"
#include "token/test_keys.h"

namespace anteroom::gate {
namespace {

using counted::allocations_of;

TEST(Allocation, NoneForARequestThatPasses) {
    const token::KeyRing ring = token::test_ring();
    token::PassVerifier passes(ring);
    const Result<std::string> pass = token::PassIssuer(ring).issue(
        token::EntryPass{.room = token::test_room, .visitor = "user-1"}, token::test_now,
        minutes(5));
    ASSERT_TRUE(pass);
    KeyWitness witness(passes, token::test_now, {});
    witness.say_user("user-1", "user");
    const std::string target = "/api/v1/seats/events/" + std::string(token::test_room);
    const std::array<net::Header, 1> headers{{{"x-queue-entry-token", *pass}}};
    const Rules& rules = default_rules();
    const auto passes_at = [&](std::string_view path) {
        const Question question{
            .method = "GET", .host = "shop.example", .target = path, .headers = headers};
        CHECK(decide(rules, question, witness).verdict == Verdict::pass);
    };
    EXPECT_EQ(allocations_of([&] { passes_at(target); }), 0);
    EXPECT_EQ(allocations_of([&] { passes_at("/api/seats/reserve"); }), 0);
    EXPECT_EQ(allocations_of([&] { passes_at("/assets/a%20b.css"); }), 0);
}

} // namespace
} // namespace anteroom::gate
