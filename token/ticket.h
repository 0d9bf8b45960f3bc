// Tickets: the signed proof of a place, resolved without any table.
//
// A ticket is a function of its content and the key: the same place always gives the same text, so
// repeated answers need no memory either. Two shapes: a UUID for dialects whose clients insist on
// one, and the native ticket with wider fields and a longer MAC. docs/formats-token.md has the
// bits.
//
// Thread rule: a TicketBook belongs to one thread (OpenSSL's cipher contexts are not shared). It
// copies its keys: after a rotation build a new one. Minting and reading allocate nothing.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "token/bytes.h"
#include "token/hmac.h"
#include "token/key_ring.h"
#include "token/refusal.h"
#include "token/uuid.h"

namespace anteroom::token {

enum class TicketKind : std::uint8_t { outer = 0, inner = 1 };

struct TicketContent {
    TicketKind kind = TicketKind::outer;
    std::uint32_t room = 0;       // The room's index, not its id.
    std::uint32_t generation = 0; // Of the room: tickets of a cleared line are void.
    std::uint64_t number = 0;
    friend bool operator==(const TicketContent&, const TicketContent&) = default;
};

// Native tickets hold numbers below 2^48. A UUID has 122 free bits: 60 for the MAC and 62 for kind
// (1), room (16: 65 536 rooms), generation (13: 8 192 times cleared) and number (32: 4.29 billion).
inline constexpr std::uint64_t native_number_max = (1ull << 48) - 1;
inline constexpr std::uint32_t uuid_room_max = (1u << 16) - 1;
inline constexpr std::uint32_t uuid_generation_max = (1u << 13) - 1;
inline constexpr std::uint64_t uuid_number_max = (1ull << 32) - 1;

using UuidTicket = UuidText;
using NativeTicket = FixedText<48>;
using TicketVerdict = std::variant<TicketContent, Refusal>;

enum class TicketShape : std::uint8_t { any, uuid };

// What a ticket must be. Every system's tickets have a kind and generations of their own, so that
// none of them is valid as another's.
struct TicketExpectation {
    TicketKind kind;
    std::optional<std::uint32_t> room; // Nothing: of any room; the ticket says of which.
    std::uint32_t generation;
    TicketShape shape = TicketShape::any;
    std::uint32_t generations = 1; // So many are accepted, from `generation` on.
};

class TicketBook {
  public:
    explicit TicketBook(const KeyRing& ring);

    // Nothing when the content does not fit into 62 bits.
    std::optional<UuidTicket> mint_uuid(const TicketContent& content);

    // REQUIRES: content.number <= native_number_max.
    NativeTicket mint_native(const TicketContent& content) const;

    // The number that a native ticket claims, for fetching memory ahead and nothing else: it is not
    // verified. 0: none.
    static std::uint64_t unverified_number(std::string_view text);

    // What a ticket of either shape says; the shapes are told apart by length. Servers read tickets
    // by what they expect of them.
    TicketVerdict read(std::string_view text, UnixSeconds now);
    TicketVerdict read(std::string_view text, UnixSeconds now, const TicketExpectation& expected);

  private:
    struct FreeCipher {
        void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
    };
    using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

    struct LiveKey {
        explicit LiveKey(const Key& key);
        std::uint64_t uuid_tag(std::uint64_t content) const;
        std::uint64_t uuid_mask(std::uint64_t tag) const;

        Cipher tag_cipher;
        Cipher mask_cipher;
        Hmac native_mac;
        Fingerprint fingerprint;
        std::optional<UnixSeconds> retired_at;
    };

    static Cipher cipher_under(const Digest& key);
    static std::uint64_t encrypt(const Cipher& cipher, std::uint64_t half);
    TicketVerdict read_uuid(std::string_view text, UnixSeconds now);
    TicketVerdict read_native(std::string_view text, UnixSeconds now) const;

    std::vector<LiveKey> keys_; // The current one first.
};

} // namespace anteroom::token
