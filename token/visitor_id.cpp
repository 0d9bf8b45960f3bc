#include "token/visitor_id.h"

#include <openssl/rand.h>

#include <algorithm>

#include "token/base64.h"

namespace anteroom::token {
namespace {

// Version, fingerprint of the key, the id, MAC of all before. The version is not a ticket's.
constexpr std::uint8_t visitor_version = 0x41;
constexpr std::size_t id_fingerprint_at = 1;
constexpr std::size_t id_at = 5;
constexpr std::size_t id_mac_at = 21;
constexpr std::size_t signed_bytes = 37;
static_assert(base64url_length(signed_bytes) == sizeof(SignedVisitorId));

Hmac root(const Key& key) {
    return Hmac(key.secret.bytes());
}

} // namespace

FixedText<22> VisitorId::text() const {
    FixedText<22> text;
    write_base64url(bytes, text.characters.data());
    return text;
}

VisitorKey visitor_key(const Hmac& visitor_hash, std::string_view id) {
    const Digest digest = visitor_hash.sign(id);
    VisitorKey key;
    std::copy_n(digest.begin(), key.size(), key.begin());
    return key;
}

VisitorBook::VisitorBook(const KeyRing& ring)
    : hash_(root(ring.current(Purpose::visitor)).derive("anteroom/1 visitor key")) {
    for (const Key& key : ring.keys(Purpose::ticket))
        keys_.push_back({.mac = root(key).derive("anteroom/1 visitor id"),
                         .fingerprint = key.secret.fingerprint(),
                         .retired_at = key.retired_at});
}

std::optional<VisitorId> VisitorBook::new_visitor() {
    VisitorId visitor;
    if (RAND_bytes(visitor.bytes.data(), static_cast<int>(visitor.bytes.size())) != 1)
        return std::nullopt;
    return visitor;
}

SignedVisitorId VisitorBook::sign(const VisitorId& visitor) const {
    const LiveKey& key = keys_.front();
    std::array<std::uint8_t, signed_bytes> bytes{};
    bytes[0] = visitor_version;
    std::ranges::copy(key.fingerprint, &bytes[id_fingerprint_at]);
    std::ranges::copy(visitor.bytes, &bytes[id_at]);
    const Digest mac = key.mac.sign(ByteView(bytes).first(id_mac_at));
    std::copy_n(mac.begin(), signed_bytes - id_mac_at, &bytes[id_mac_at]);

    SignedVisitorId text;
    write_base64url(bytes, text.characters.data());
    return text;
}

VisitorVerdict VisitorBook::read(std::string_view text, UnixSeconds now) const {
    std::array<std::uint8_t, signed_bytes> bytes;
    if (text.size() != sizeof(SignedVisitorId)) return Refusal::malformed;
    if (read_base64url(text, bytes) != signed_bytes) return Refusal::malformed;
    if (bytes[0] != visitor_version) return Refusal::malformed;

    const auto signed_by = [&](const LiveKey& key) {
        return std::ranges::equal(key.fingerprint,
                                  std::span(bytes).subspan<id_fingerprint_at, 4>());
    };
    const auto key = std::ranges::find_if(keys_, signed_by);
    if (key == keys_.end()) return Refusal::unknown_key;
    const Digest mac = key->mac.sign(ByteView(bytes).first(id_mac_at));
    if (!equal_in_constant_time(ByteView(mac).first(signed_bytes - id_mac_at),
                                ByteView(bytes).subspan(id_mac_at)))
        return Refusal::bad_signature;
    if (key->retired_at && now >= *key->retired_at) return Refusal::retired_key;
    VisitorId visitor;
    std::copy_n(&bytes[id_at], visitor.bytes.size(), visitor.bytes.begin());
    return visitor;
}

} // namespace anteroom::token
