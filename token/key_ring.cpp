#include "token/key_ring.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace anteroom::token {
namespace {

Fault fault_of(const Key& key, std::string_view reason) {
    std::string text(name(key.purpose));
    text += " key";
    if (!key.kid.empty()) text += " '" + key.kid + "'";
    return Fault{text + ": " + std::string(reason)};
}

Result<void> sound_key(const Key& key) {
    if (!key.kid.empty() && !is_key_id(key.kid)) return fault_of(key, "bad key id");
    if (key.created_at < UnixSeconds{0} || key.created_at > unix_seconds_max)
        return fault_of(key, "bad time of creation");
    if (key.retired_at && (*key.retired_at < key.created_at || *key.retired_at > unix_seconds_max))
        return fault_of(key, "bad time of retirement");
    if (key.algorithm == Algorithm::hs256) return {};
    if (key.purpose != Purpose::outer && key.purpose != Purpose::entry)
        return fault_of(key, "only passes can be signed with EdDSA");
    if (key.kid.empty()) return fault_of(key, "an EdDSA key needs a key id");
    if (key.secret.bytes().size() != 32) return fault_of(key, "an EdDSA seed has 32 bytes");
    return {};
}

// Native tickets name their key by its fingerprint.
Result<void> different_fingerprints(std::span<const Key> keys) {
    std::vector<Fingerprint> seen;
    for (const Key& key : keys) {
        const Fingerprint fingerprint = key.secret.fingerprint();
        if (std::ranges::count(seen, fingerprint) > 0)
            return fault_of(key, "another key has the same secret or the same fingerprint");
        seen.push_back(fingerprint);
    }
    return {};
}

Result<void> sound_purpose(Purpose purpose, std::span<const Key> keys) {
    const std::string who(name(purpose));
    const auto current = std::ranges::count_if(keys, [](const Key& k) { return !k.retired_at; });
    if (current == 0) return Fault{"no current " + who + " key"};
    if (current > 1) return Fault{"more than one current " + who + " key"};
    if (keys.size() > keys_per_purpose_max) return Fault{"too many " + who + " keys"};
    for (const Key& key : keys)
        if (Result<void> sound = sound_key(key); !sound) return sound;
    for (const Key& key : keys)
        if (std::ranges::count(keys, key.kid, &Key::kid) > 1)
            return fault_of(key, "the key id is there twice");
    return different_fingerprints(keys);
}

void current_first(std::vector<Key>& keys) {
    std::ranges::stable_sort(keys, [](const Key& left, const Key& right) {
        if (left.retired_at.has_value() != right.retired_at.has_value()) return !left.retired_at;
        return left.created_at > right.created_at;
    });
}

Result<Key> configured_key(Purpose purpose, std::string_view kid, std::string_view text) {
    Result<Secret> secret = Secret::from_text(text);
    if (!secret)
        return Fault{"configured " + std::string(name(purpose)) + " key: " + secret.fault().reason};
    return Key{.purpose = purpose,
               .kid = std::string(kid),
               .secret = *std::move(secret),
               .created_at = UnixSeconds{0}};
}

} // namespace

Result<KeyRing> KeyRing::generate(UnixSeconds now) {
    std::vector<Key> keys;
    for (const Purpose purpose : purposes) {
        Result<Secret> secret = Secret::random();
        if (!secret) return secret.fault();
        keys.push_back(
            {.purpose = purpose, .kid = "", .secret = *std::move(secret), .created_at = now});
    }
    return from_keys(std::move(keys));
}

Result<KeyRing> KeyRing::from_keys(std::vector<Key> keys) {
    KeyRing ring;
    for (Key& key : keys) ring.stored_[slot(key.purpose)].push_back(std::move(key));
    for (std::vector<Key>& of_purpose : ring.stored_) current_first(of_purpose);
    if (Result<void> sound = ring.sound(); !sound) return sound.fault();
    return ring;
}

Result<void> KeyRing::configure(Purpose purpose, std::string_view secret,
                                std::string_view previous) {
    Result<Key> key = configured_key(purpose, "", secret);
    if (!key) return key.fault();
    std::vector<Key> keys{*std::move(key)};
    if (!previous.empty()) {
        Result<Key> old = configured_key(purpose, "previous", previous);
        if (!old) return old.fault();
        old->retired_at = unix_seconds_max; // It goes when the operator takes it out.
        keys.push_back(*std::move(old));
    }
    KeyRing changed = *this;
    changed.configured_[slot(purpose)] = std::move(keys);
    if (Result<void> sound = changed.sound(); !sound) return sound;
    *this = std::move(changed);
    return {};
}

Result<std::string> KeyRing::rotate(Purpose purpose, UnixSeconds now, Millis overlap,
                                    Algorithm algorithm) {
    if (purpose == Purpose::visitor)
        return Fault{"the visitor key cannot rotate: the ledger stores what it hashes"};
    if (!configured_[slot(purpose)].empty())
        return Fault{"the " + std::string(name(purpose)) +
                     " key is configured: change it in the configuration"};
    Result<Secret> secret = Secret::random();
    if (!secret) return secret.fault();

    KeyRing changed = *this;
    std::vector<Key>& keys = changed.stored_[slot(purpose)];
    std::erase_if(keys, [&](const Key& key) { return !key.live(now); });
    // A clock that was set back must not make the old key end before it began.
    keys.front().retired_at =
        std::min(std::max(now, keys.front().created_at) + overlap, unix_seconds_max);
    std::string kid = to_hex(secret->fingerprint());
    keys.insert(keys.begin(), Key{.purpose = purpose,
                                  .kid = kid,
                                  .algorithm = algorithm,
                                  .secret = *std::move(secret),
                                  .created_at = now});
    if (Result<void> sound = changed.sound(); !sound) return sound.fault();
    *this = std::move(changed);
    return kid;
}

std::span<const Key> KeyRing::keys(Purpose purpose) const {
    const std::vector<Key>& configured = configured_[slot(purpose)];
    return configured.empty() ? stored_[slot(purpose)] : configured;
}

std::string KeyRing::masked() const {
    std::string out;
    for (const Purpose purpose : purposes) {
        for (const Key& key : keys(purpose)) {
            out += std::string(name(purpose)) + ' ' + (key.kid.empty() ? "-" : key.kid) + ' ' +
                   std::string(name(key.algorithm)) + ": " + key.secret.masked();
            if (key.retired_at) out += ", retires at " + std::to_string(key.retired_at->count);
            out += '\n';
        }
    }
    return out;
}

Result<void> KeyRing::sound() const {
    std::vector<const Key*> all;
    for (const Purpose purpose : purposes) {
        if (Result<void> sound = sound_purpose(purpose, keys(purpose)); !sound) return sound;
        for (const Key& key : keys(purpose)) all.push_back(&key);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!(all[i]->secret == all[j]->secret)) continue;
            return Fault{"the " + std::string(name(all[j]->purpose)) + " and the " +
                         std::string(name(all[i]->purpose)) +
                         " key have the same secret: each needs its own"};
        }
    }
    return {};
}

std::string_view name(Purpose purpose) {
    switch (purpose) {
        case Purpose::ticket: return "ticket";
        case Purpose::outer: return "outer";
        case Purpose::entry: return "entry";
        case Purpose::visitor: return "visitor";
    }
    CHECK(false);
}

std::string_view name(Algorithm algorithm) {
    return algorithm == Algorithm::hs256 ? "HS256" : "EdDSA";
}

bool is_key_id(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= key_id_length_max && text != "-" &&
           std::ranges::all_of(text, allowed);
}

} // namespace anteroom::token
