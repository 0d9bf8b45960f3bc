// The hot path allocates nothing: neither with operator new nor inside OpenSSL.
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "token/access.h"
#include "token/pass.h"
#include "token/test_logins.h"
#include "token/ticket.h"
#include "token/visitor_id.h"

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size) {
    ++allocations;
    return std::malloc(size);
}

void* counted_openssl(std::size_t size, const char*, int) {
    return counted(size);
}

void* counted_openssl_again(void* old, std::size_t size, const char*, int) {
    ++allocations;
    return std::realloc(old, size);
}

void release_openssl(void* memory, const char*, int) {
    std::free(memory);
}

// OpenSSL takes them only before its first allocation, so before main.
const int counting_openssl =
    CRYPTO_set_mem_functions(counted_openssl, counted_openssl_again, release_openssl);

} // namespace

// Not inlined, or g++ sees a free() of what came from operator new and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = counted(size);
    if (memory == nullptr) std::abort();
    return memory;
}

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return counted(size);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace anteroom::token {
namespace {

template <class Work>
long allocations_of(Work work) {
    work(); // What is set up at the first call does not count.
    const long before = allocations;
    for (int i = 0; i < 100; ++i) work();
    return allocations - before;
}

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
