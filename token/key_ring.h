// KeyRing: every key that the server signs with, by purpose.
//
// Invariants: each purpose has exactly one current key (never retired) and it stands first; no
// secret serves twice, so that nothing signed for one purpose can pass for another; key ids are
// unique within a purpose. A value without I/O: key_file.h keeps it on disk. Not for concurrent
// change: signers and verifiers copy what they need, so a rotation means building new ones.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "token/secret.h"
#include "token/unix_seconds.h"

namespace anteroom::token {

enum class Purpose : std::uint8_t {
    ticket,  // Tickets and anonymous visitor ids.
    outer,   // Outer passes.
    entry,   // Entry passes.
    visitor, // Hashes visitor ids into keys that the ledger stores, so it never rotates.
};
inline constexpr std::array purposes{Purpose::ticket, Purpose::outer, Purpose::entry,
                                     Purpose::visitor};

enum class Algorithm : std::uint8_t { hs256, ed25519 };

inline constexpr std::size_t key_id_length_max = 16;
inline constexpr std::size_t keys_per_purpose_max = 8;

struct Key {
    Purpose purpose;
    std::string kid; // Of [A-Za-z0-9_-]; empty for the first key, whose passes name no key.
    Algorithm algorithm = Algorithm::hs256;
    Secret secret;
    UnixSeconds created_at;
    std::optional<UnixSeconds> retired_at = std::nullopt; // From then on it verifies nothing.

    bool live(UnixSeconds now) const { return !retired_at || now < *retired_at; }
};

class KeyRing {
  public:
    static Result<KeyRing> generate(UnixSeconds now);
    static Result<KeyRing> from_keys(std::vector<Key> keys);

    // A configured secret stands in for the stored keys of its purpose. The previous one still
    // verifies, so that a secret can be changed without refusing tokens that are in use.
    Result<void> configure(Purpose purpose, std::string_view secret,
                           std::string_view previous = {});

    // A new current key; the old one verifies for as long as the overlap. Returns the new key's id.
    Result<std::string> rotate(Purpose purpose, UnixSeconds now, Millis overlap,
                               Algorithm algorithm = Algorithm::hs256);

    // The keys in force, the current one first.
    std::span<const Key> keys(Purpose purpose) const;
    const Key& current(Purpose purpose) const { return keys(purpose).front(); }

    // What belongs into the key file: everything but configured secrets.
    std::span<const Key> stored(Purpose purpose) const { return stored_[slot(purpose)]; }

    // One line for each key in force, without its secret.
    std::string masked() const;

  private:
    using ByPurpose = std::array<std::vector<Key>, purposes.size()>;
    static constexpr std::size_t slot(Purpose purpose) { return static_cast<std::size_t>(purpose); }

    KeyRing() = default;
    Result<void> sound() const;

    ByPurpose stored_;
    ByPurpose configured_;
};

std::string_view name(Purpose purpose);
std::string_view name(Algorithm algorithm); // As JWT headers write it.

// 1 to 16 of [A-Za-z0-9_-].
bool is_key_id(std::string_view text);

} // namespace anteroom::token
