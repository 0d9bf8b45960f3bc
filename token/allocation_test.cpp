// The hot path allocates nothing: neither with operator new nor inside OpenSSL. A program of its
// own, because it replaces operator new.
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <cstdlib>

#include "base/counted_memory_testing.h"
#include "token/access.h"
#include "token/pass.h"
#include "token/test_logins.h"
#include "token/ticket.h"
#include "token/visitor_id.h"

namespace anteroom::token {
namespace {

using counted::allocations_of;

// OpenSSL takes them only before its first allocation, so before main.
const int counting_openssl = CRYPTO_set_mem_functions(
    [](std::size_t size, const char*, int) { return counted::malloc(size); },
    [](void* old, std::size_t size, const char*, int) { return counted::realloc(old, size); },
    [](void* memory, const char*, int) { std::free(memory); });

TEST(Allocation, IsCounted) {
    EXPECT_EQ(counting_openssl, 1);
    EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(8)); }), 100);
    EXPECT_GE(allocations_of([] { EVP_MD_CTX_free(EVP_MD_CTX_new()); }), 100);
}

TEST(Allocation, NoneToMintAndReadATicket) {
    TicketBook book(test_ring());
    const UuidTicket uuid = *book.mint_uuid({.number = 1});
    const NativeTicket native = book.mint_native({.number = 1});
    EXPECT_EQ(allocations_of([&] { CHECK(book.mint_uuid({.number = 2})); }), 0);
    EXPECT_EQ(allocations_of([&] { CHECK(book.mint_native({}).view().size() == 48); }), 0);
    EXPECT_EQ(allocations_of([&] { CHECK(book.read(uuid.view(), test_now).index() == 0); }), 0);
    EXPECT_EQ(allocations_of([&] { CHECK(book.read(native.view(), test_now).index() == 0); }), 0);
    EXPECT_EQ(allocations_of([&] { CHECK(book.read("forged", test_now).index() == 1); }), 0);
}

TEST(Allocation, NoneToReadAVisitorAndItsKey) {
    const VisitorBook book(test_ring());
    const SignedVisitorId visitor = book.sign(VisitorId{});
    EXPECT_EQ(allocations_of([&] { CHECK(book.read(visitor.view(), test_now).index() == 0); }), 0);
    EXPECT_EQ(allocations_of([&] { CHECK(book.key_of("user-1").size() == 16); }), 0);
}

TEST(Allocation, NoneToVerifyAPass) {
    KeyRing ring = generated_ring();
    CHECK(ring.rotate(Purpose::entry, test_now, hours(1)));
    PassVerifier verifier(ring);
    const std::string pass = *PassIssuer(ring).issue(
        EntryPass{.room = test_room, .visitor = "user-1"}, test_now, minutes(10));
    const Expect expected{.room = test_room, .visitor = "user-1", .tier = Tier::entry};
    const auto verdict = [&](std::string_view token) {
        return verifier.verify(token, test_now, expected).index();
    };
    std::string forged = pass;
    forged[forged.size() - 5] = forged[forged.size() - 5] == 'A' ? 'B' : 'A';
    EXPECT_EQ(allocations_of([&] { CHECK(verdict(pass) == 0); }), 0);
    EXPECT_EQ(allocations_of([&] { CHECK(verdict(forged) == 1); }), 0);
}

TEST(Allocation, NoneToVerifyAnAccessToken) {
    Result<AccessVerifier> verifier = AccessVerifier::from_secret(outer_secret);
    const std::string token = forge(
        R"({"alg":"HS256"})", R"({"userId":"u","type":"access","exp":1700000600})", outer_secret);
    EXPECT_EQ(allocations_of([&] { CHECK(verifier->verify(token, test_now).index() == 0); }), 0);

    // Nor beside keys of other kinds.
    const Result<JwkSet> set = parse_jwks(
        jwks_of({p256().jwk(R"(,"kid":"p")"), ed25519().jwk(R"(,"kid":"e")"), oct().jwk()}));
    Result<AccessVerifier> mixed = AccessVerifier::from_jwks(*set);
    EXPECT_EQ(allocations_of([&] { CHECK(mixed->verify(token, test_now).index() == 0); }), 0);
}

} // namespace
} // namespace anteroom::token
