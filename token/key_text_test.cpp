#include "token/key_text.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "token/test_keys.h"

namespace anteroom::token {
namespace {

std::string rotated_text() {
    KeyRing ring = generated_ring();
    CHECK(ring.rotate(Purpose::entry, test_now, hours(1)));
    CHECK(ring.rotate(Purpose::outer, test_now, hours(1), Algorithm::ed25519));
    return key_text(ring);
}

std::string reason_for(std::string_view text) {
    const Result<KeyRing> ring = parse_key_text(text);
    return ring ? "accepted" : ring.fault().reason;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    CHECK(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

TEST(KeyText, ReadsBackWhatItWrote) {
    const std::string text = rotated_text();
    const Result<KeyRing> ring = parse_key_text(text);
    ASSERT_TRUE(ring);
    EXPECT_EQ(key_text(*ring), text);
    EXPECT_EQ(ring->keys(Purpose::entry).size(), 2u);
    EXPECT_EQ(ring->current(Purpose::outer).algorithm, Algorithm::ed25519);
}

TEST(KeyText, LeavesConfiguredSecretsOut) {
    const std::string text = key_text(test_ring());
    EXPECT_EQ(text.find(base64url(bytes_of(entry_secret))), std::string::npos);
    EXPECT_TRUE(parse_key_text(text));
}

TEST(KeyText, RefusesEveryTruncation) {
    const std::string text = rotated_text();
    for (std::size_t length = 0; length < text.size(); ++length)
        ASSERT_NE(reason_for(text.substr(0, length)), "accepted") << length;
}

TEST(KeyText, NoticesADamagedSecret) {
    const std::string text = rotated_text();
    std::size_t line = text.find("\nticket ");
    const std::size_t end = text.find('\n', line + 1);
    for (std::size_t at = end - 43; at < end; ++at) {
        std::string damaged = text;
        damaged[at] = damaged[at] == 'A' ? 'B' : 'A';
        ASSERT_NE(reason_for(damaged), "accepted");
    }
}

TEST(KeyText, SaysWhatIsWrong) {
    const std::string text = key_text(generated_ring());
    EXPECT_EQ(reason_for(""), "this is not a key file");
    EXPECT_EQ(reason_for("{\"version\":1}\n"), "this is not a key file");
    EXPECT_EQ(reason_for(replaced(text, "keys 1", "keys 2")),
              "key file: unknown format version, this program reads version 1");
    EXPECT_EQ(reason_for(replaced(text, "keys 1", "keys 01")),
              "key file: unknown format version, this program reads version 1");
    EXPECT_EQ(reason_for(replaced(text, "\nticket", "\nbicycle")),
              "key file, line 3: unknown purpose");
    EXPECT_EQ(reason_for(replaced(text, "HS256", "none")), "key file, line 3: unknown algorithm");
    EXPECT_EQ(reason_for(replaced(text, "ticket -", "ticket a/b")), "key file, line 3: bad key id");
    EXPECT_EQ(reason_for(replaced(text, "1700000000", "soon")),
              "key file, line 3: the time of creation is not a number");
    EXPECT_EQ(reason_for(replaced(text, "1700000000", "-5")),
              "key file, line 3: the time of creation is not a number");
    EXPECT_EQ(reason_for(replaced(text, "1700000000 -", "1700000000 never")),
              "key file, line 3: the time of retirement is not a number");
    EXPECT_EQ(reason_for(replaced(text, "HS256 ", "HS256 extra ")),
              "key file, line 3: expected seven fields");
    EXPECT_EQ(reason_for(replaced(text, "HS256 ", "")), "key file, line 3: expected seven fields");
    EXPECT_EQ(reason_for(replaced(text, "end 4", "end 3")),
              "key file, line 7: the number of keys is wrong");
    EXPECT_EQ(reason_for(text + "more\n"), "key file: text after its last line");
    EXPECT_EQ(reason_for(replaced(text, "\nticket", "\n\nticket")),
              "key file, line 3: expected seven fields");
}

TEST(KeyText, RefusesShortSecretsAndDoubleKeyIds) {
    const std::string text = key_text(generated_ring());
    const std::string head = text.substr(0, text.find("\nend ") + 1);
    EXPECT_EQ(reason_for(head + "entry old HS256 0 1 00000000 c2hvcnQ\nend 5\n"),
              "key file, line 7: a secret needs at least 32 bytes, this one has 5");
    EXPECT_EQ(reason_for(head + "entry old HS256 0 1 00000000 c2hvcnQ=\nend 5\n"),
              "key file, line 7: the secret is not base64url");
    const Secret other = *Secret::from_text(entry_secret);
    const std::string double_kid = head + "entry - HS256 0 1 " + to_hex(other.fingerprint()) + ' ' +
                                   base64url(other.bytes()) + "\nend 5\n";
    EXPECT_EQ(reason_for(double_kid), "key file: entry key: the key id is there twice");
}

} // namespace
} // namespace anteroom::token
