// JwtReader: is this compact JWT (RFC 7519, RFC 7515) signed by one of our keys and in its time?
//
// The algorithm belongs to the key: the header may only agree with it. The header may hold `alg`,
// `typ` and `kid`, nothing else, so nothing in it can make us fetch, open or trust anything. The
// claims are looked at only after the signature has been found good.
//
// Thread rule: a reader belongs to one thread (it decodes into its own buffers). With HS256 keys
// reading allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "token/ed25519.h"
#include "token/hmac.h"
#include "token/json_object.h"
#include "token/key_ring.h"
#include "token/login_key.h"
#include "token/refusal.h"

namespace anteroom::token {

inline constexpr std::size_t jwt_bytes_max = 2'048;

// How far the signer's clock may be ahead of ours. No such grace for `exp`.
inline constexpr Millis clock_skew_max = seconds(60);

// A value; what it verifies may be verified by copies of it in other threads.
class VerifyKey {
  public:
    static VerifyKey from(const Key& key);
    static VerifyKey hs256(std::string kid, const Secret& secret);
    static VerifyKey ed25519(std::string kid, const Ed25519Point& point);
    static VerifyKey rs256(std::string kid, RsaPublicKey key);
    static VerifyKey es256(std::string kid, P256PublicKey key);

    std::string_view kid() const { return kid_; }
    std::string_view algorithm() const;
    bool retired(UnixSeconds now) const { return retired_at_ && now >= *retired_at_; }
    bool accepts(std::string_view message, ByteView signature) const;

  private:
    using Material = std::variant<Hmac, Ed25519PublicKey, RsaPublicKey, P256PublicKey>;
    VerifyKey(std::string kid, Material material)
        : kid_(std::move(kid)), material_(std::move(material)) {}

    std::string kid_;
    Material material_;
    std::optional<UnixSeconds> retired_at_;
};

std::vector<VerifyKey> verify_keys(const KeyRing& ring, Purpose purpose);

enum class KeyChoice : std::uint8_t {
    by_kid,        // A named key must be ours; a token without a name may be of any.
    every_key,     // The issuer's key ids are unknown to us: try all.
    without_doubt, // A named key must be ours; without a name, only one key may fit the algorithm.
};

struct JwtClaims {
    const JsonObject* members; // Lives until the reader's next call.
    UnixSeconds expires_at;
    std::optional<UnixSeconds> issued_at;
};

class JwtReader {
  public:
    explicit JwtReader(std::vector<VerifyKey> keys, KeyChoice choice = KeyChoice::by_kid)
        : keys_(std::move(keys)), choice_(choice) {}

    std::variant<JwtClaims, Refusal> read(std::string_view token, UnixSeconds now);

  private:
    struct Parts {
        std::string_view header, claims, signature, signed_text;
    };
    using Buffer = std::array<std::uint8_t, jwt_bytes_max / 4 * 3>;

    static std::optional<Parts> split(std::string_view token);
    static std::optional<Refusal> parse(std::string_view part, Buffer& buffer, JsonObject& object,
                                        Refusal otherwise);
    std::optional<Refusal> check_header() const;
    std::optional<Refusal> check_signature(const Parts& parts, UnixSeconds now) const;
    bool leaves_doubt(std::string_view algorithm) const;
    std::variant<JwtClaims, Refusal> timely_claims(UnixSeconds now) const;

    std::vector<VerifyKey> keys_;
    KeyChoice choice_;
    Buffer header_buffer_{};
    Buffer claims_buffer_{};
    JsonObject header_;
    JsonObject claims_;
};

} // namespace anteroom::token
