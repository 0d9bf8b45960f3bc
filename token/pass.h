// Passes: the JWTs that the gate accepts. Outer pass = tier 1, entry pass = tier 2.
//
// Issuer and verifier copy their keys: after a rotation build new ones. A PassIssuer may be shared
// by threads; a PassVerifier belongs to one. Verifying with HS256 keys allocates nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "token/jwt.h"
#include "token/key_ring.h"
#include "token/refusal.h"

namespace anteroom::token {

enum class Tier : std::uint8_t { outer, entry };

struct OuterPass {
    std::string_view room;
    std::string_view visitor;
    std::optional<std::uint32_t> position = std::nullopt;
    std::string_view request_id = {}; // Left out when empty.
};

struct EntryPass {
    std::string_view room;
    std::string_view visitor;
    std::string_view pass_id = {}; // `jti`, for passes that can be used once; left out when empty.
};

class PassIssuer {
  public:
    explicit PassIssuer(const KeyRing& ring);

    // A fault when a name is not UTF-8, or so long that no verifier would take the pass.
    Result<std::string> issue(const OuterPass& pass, UnixSeconds now, Millis lifetime) const;
    Result<std::string> issue(const EntryPass& pass, UnixSeconds now, Millis lifetime) const;

  private:
    struct SigningKey {
        SigningKey(const Key& key, std::string_view type);
        Result<std::string> sign(std::string_view claims) const;

        std::string header; // Encoded, with its dot.
        std::variant<Hmac, Ed25519PrivateKey> material;
    };

    SigningKey outer_;
    SigningKey entry_;
};

struct Expect {
    std::optional<std::string_view> room;                   // Nothing: any room.
    std::optional<std::string_view> visitor = std::nullopt; // Nothing: any visitor.
    Tier tier;
};

// Views live until the verifier's next call.
struct VerifiedPass {
    std::string_view room;
    std::string_view visitor;
    UnixSeconds expires_at;
    std::optional<UnixSeconds> issued_at;
    std::optional<std::uint32_t> position; // Outer passes only.
    std::string_view request_id;           // Outer passes only.
    std::string_view pass_id;              // Entry passes only.
};

using PassVerdict = std::variant<VerifiedPass, Refusal>;

class PassVerifier {
  public:
    explicit PassVerifier(const KeyRing& ring);
    // For an edge that holds public keys only.
    PassVerifier(std::vector<VerifyKey> outer, std::vector<VerifyKey> entry);

    PassVerdict verify(std::string_view token, UnixSeconds now, const Expect& expected);

  private:
    JwtReader outer_;
    JwtReader entry_;
};

} // namespace anteroom::token
