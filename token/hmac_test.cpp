#include "token/hmac.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <random>

#include "base/text.h"
#include "token/ed25519.h"
#include "token/secret.h"

namespace anteroom::token {
namespace {

std::string random_text(std::mt19937& random, std::size_t size) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    return text;
}

TEST(Hmac, SignsAsRfc4231Says) {
    EXPECT_EQ(to_hex(Hmac(bytes_of("Jefe")).sign("what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(to_hex(Hmac(bytes_of(std::string(131, '\xaa')))
                         .sign("Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, AgreesWithOpenSslForKeysAndMessagesOfEveryLength) {
    std::mt19937 random(20);
    for (std::size_t size = 0; size < 300; ++size) {
        const std::string key = random_text(random, 1 + size % 140);
        const std::string message = random_text(random, size);
        Digest expected;
        unsigned length = 0;
        HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(message).data(),
             message.size(), expected.data(), &length);
        EXPECT_EQ(Hmac(bytes_of(key)).sign(message), expected) << size;
    }
}

TEST(Hmac, KeysOfDifferentUsesSignDifferently) {
    const Hmac root(bytes_of("a root key of which we derive some"));
    EXPECT_NE(root.derive("one").sign("x"), root.derive("two").sign("x"));
    EXPECT_NE(root.derive("one").sign("x"), root.sign("x"));
}

TEST(Hmac, DifferentSizesAreNeverEqual) {
    EXPECT_TRUE(equal_in_constant_time(bytes_of("same"), bytes_of("same")));
    EXPECT_FALSE(equal_in_constant_time(bytes_of("same"), bytes_of("samf")));
    EXPECT_FALSE(equal_in_constant_time(bytes_of("same"), bytes_of("sam")));
    EXPECT_FALSE(equal_in_constant_time(bytes_of("same"), bytes_of("")));
}

// RFC 8032, section 7.1, test 2.
TEST(Ed25519, SignsAsRfc8032Says) {
    const Ed25519Seed seed{0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3,
                           0x46, 0xec, 0x11, 0x4e, 0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab,
                           0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb};
    const Ed25519PrivateKey key(seed);
    EXPECT_EQ(to_hex(key.public_point()),
              "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
    const Ed25519Signature signature = key.sign(bytes_of("r"));
    EXPECT_EQ(to_hex(signature),
              "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
              "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    const Ed25519PublicKey open(key.public_point());
    EXPECT_TRUE(open.accepts(bytes_of("r"), signature));
    EXPECT_FALSE(open.accepts(bytes_of("s"), signature));
    EXPECT_FALSE(open.accepts(bytes_of("r"), ByteView(signature).first(63)));
}

} // namespace
} // namespace anteroom::token
