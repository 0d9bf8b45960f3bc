// VisitorId: the id of an anonymous visitor, issued and signed by the server (the cookie's value);
// and the key under which any visitor, anonymous or known, is found in a room.
//
// VisitorBook is immutable after construction: any number of threads may use one. It copies its
// keys: after a rotation build a new one. Signing and reading allocate nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "token/bytes.h"
#include "token/hmac.h"
#include "token/key_ring.h"
#include "token/refusal.h"

namespace anteroom::token {

struct VisitorId {
    std::array<std::uint8_t, 16> bytes{};
    FixedText<22> text() const; // How logs, passes and rooms name this visitor.
    friend bool operator==(const VisitorId&, const VisitorId&) = default;
};

using VisitorKey = std::array<std::uint8_t, 16>;
using SignedVisitorId = FixedText<50>;
using VisitorVerdict = std::variant<VisitorId, Refusal>;

// A keyed hash of a visitor's id: without the secret one can neither choose two ids that collide
// nor find the id behind a key.
VisitorKey visitor_key(const Hmac& visitor_hash, std::string_view id);

class VisitorBook {
  public:
    explicit VisitorBook(const KeyRing& ring);

    // A new random id. Nothing when the system gives no random bytes.
    static std::optional<VisitorId> new_visitor();

    SignedVisitorId sign(const VisitorId& visitor) const;
    VisitorVerdict read(std::string_view text, UnixSeconds now) const;

    VisitorKey key_of(std::string_view id) const { return visitor_key(hash_, id); }

  private:
    struct LiveKey {
        Hmac mac;
        Fingerprint fingerprint;
        std::optional<UnixSeconds> retired_at;
    };

    std::vector<LiveKey> keys_; // The current one first.
    Hmac hash_;
};

} // namespace anteroom::token
