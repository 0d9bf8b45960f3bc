#include "token/ticket.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "token/base64.h"

namespace anteroom::token {
namespace {

constexpr std::uint64_t low_bits(unsigned count) {
    return (1ull << count) - 1;
}

// --- UUID: 60 bits of tag in front, 62 bits of encrypted content at the back.

std::optional<std::uint64_t> pack(const TicketContent& content) {
    if (content.room > uuid_room_max) return std::nullopt;
    if (content.generation > uuid_generation_max) return std::nullopt;
    if (content.number > uuid_number_max) return std::nullopt;
    return static_cast<std::uint64_t>(content.kind) << 61 |
           static_cast<std::uint64_t>(content.room) << 45 |
           static_cast<std::uint64_t>(content.generation) << 32 | content.number;
}

TicketContent unpack(std::uint64_t packed) {
    return {.kind = static_cast<TicketKind>(packed >> 61),
            .room = static_cast<std::uint32_t>(packed >> 45 & low_bits(16)),
            .generation = static_cast<std::uint32_t>(packed >> 32 & low_bits(13)),
            .number = packed & low_bits(32)};
}

// --- Native: version, fingerprint of the key, kind, room, generation, number, MAC of all before.

constexpr std::uint8_t native_version = 1;
constexpr std::size_t fingerprint_at = 1;
constexpr std::size_t kind_at = 5;
constexpr std::size_t room_at = 6;
constexpr std::size_t generation_at = 10;
constexpr std::size_t number_at = 14;
constexpr std::size_t mac_at = 20;
constexpr std::size_t native_bytes = 36;
static_assert(base64url_length(native_bytes) == sizeof(NativeTicket));

bool equal_tags(std::uint64_t left, std::uint64_t right) {
    return CRYPTO_memcmp(&left, &right, sizeof left) == 0;
}

} // namespace

TicketBook::LiveKey::LiveKey(const Key& key)
    : tag_cipher(cipher_under(Hmac(key.secret.bytes()).sign("anteroom/1 ticket uuid tag"))),
      mask_cipher(cipher_under(Hmac(key.secret.bytes()).sign("anteroom/1 ticket uuid mask"))),
      native_mac(Hmac(key.secret.bytes()).derive("anteroom/1 ticket native")),
      fingerprint(key.secret.fingerprint()),
      retired_at(key.retired_at) {}

TicketBook::TicketBook(const KeyRing& ring) {
    for (const Key& key : ring.keys(Purpose::ticket)) keys_.emplace_back(key);
    CHECK(!keys_.empty());
}

TicketBook::Cipher TicketBook::cipher_under(const Digest& key) {
    Cipher cipher(EVP_CIPHER_CTX_new());
    CHECK(cipher);
    CHECK(EVP_EncryptInit_ex2(cipher.get(), EVP_aes_128_ecb(), key.data(), nullptr, nullptr) == 1);
    CHECK(EVP_CIPHER_CTX_set_padding(cipher.get(), 0) == 1);
    return cipher;
}

// One block of AES: a pseudo-random function of 64 bits. 14 ns, where HMAC-SHA256 takes 120.
std::uint64_t TicketBook::encrypt(const Cipher& cipher, std::uint64_t half) {
    std::array<std::uint8_t, 16> block{};
    store_number<8>(block.data(), half);
    int size = 0;
    CHECK(EVP_EncryptUpdate(cipher.get(), block.data(), &size, block.data(), 16) == 1);
    CHECK(size == 16);
    return load_number<8>(block.data());
}

std::uint64_t TicketBook::LiveKey::uuid_tag(std::uint64_t content) const {
    return encrypt(tag_cipher, content) >> 4;
}

std::uint64_t TicketBook::LiveKey::uuid_mask(std::uint64_t tag) const {
    return encrypt(mask_cipher, tag) >> 2;
}

// SIV (RFC 5297) in small: the MAC of the content is the nonce that encrypts the content. Two
// contents share a nonce with probability 2^-60 each pair, and then tell only how they differ.
std::optional<UuidTicket> TicketBook::mint_uuid(const TicketContent& content) {
    const std::optional<std::uint64_t> packed = pack(content);
    if (!packed) return std::nullopt;
    const LiveKey& key = keys_.front();
    const std::uint64_t tag = key.uuid_tag(*packed);
    return Uuid::of(tag, *packed ^ key.uuid_mask(tag)).text();
}

NativeTicket TicketBook::mint_native(const TicketContent& content) const {
    CHECK(content.number <= native_number_max);
    const LiveKey& key = keys_.front();
    std::array<std::uint8_t, native_bytes> bytes{};
    bytes[0] = native_version;
    std::ranges::copy(key.fingerprint, &bytes[fingerprint_at]);
    bytes[kind_at] = static_cast<std::uint8_t>(content.kind);
    store_number<4>(&bytes[room_at], content.room);
    store_number<4>(&bytes[generation_at], content.generation);
    store_number<6>(&bytes[number_at], content.number);
    const Digest mac = key.native_mac.sign(ByteView(bytes).first(mac_at));
    std::copy_n(mac.begin(), native_bytes - mac_at, &bytes[mac_at]);

    NativeTicket text;
    write_base64url(bytes, text.characters.data());
    return text;
}

std::uint64_t TicketBook::unverified_number(std::string_view text) {
    constexpr std::size_t from = number_at / 3; // In groups of four characters, three bytes each.
    constexpr std::size_t to = (mac_at + 2) / 3;
    std::array<std::uint8_t, (to - from) * 3> bytes;
    if (text.size() != sizeof(NativeTicket)) return 0;
    if (!read_base64url(text.substr(from * 4, (to - from) * 4), bytes)) return 0;
    return load_number<6>(&bytes[number_at - from * 3]);
}

TicketVerdict TicketBook::read(std::string_view text, UnixSeconds now) {
    if (text.size() == sizeof(UuidTicket)) return read_uuid(text, now);
    if (text.size() == sizeof(NativeTicket)) return read_native(text, now);
    return Refusal::malformed;
}

TicketVerdict TicketBook::read(std::string_view text, UnixSeconds now,
                               const TicketExpectation& expected) {
    const bool is_shape = expected.shape == TicketShape::any || text.size() == sizeof(UuidTicket);
    if (!is_shape) return Refusal::malformed;
    const TicketVerdict verdict = read(text, now);
    const TicketContent* content = std::get_if<TicketContent>(&verdict);
    if (content == nullptr) return verdict;
    if (content->kind != expected.kind) return Refusal::wrong_kind;
    if (expected.room && content->room != *expected.room) return Refusal::wrong_room;
    const std::uint32_t above = content->generation - expected.generation; // Wraps when below.
    if (above >= expected.generations) return Refusal::wrong_generation;
    return verdict;
}

TicketVerdict TicketBook::read_uuid(std::string_view text, UnixSeconds now) {
    const std::optional<Uuid> uuid = Uuid::read(text);
    if (!uuid) return Refusal::malformed;
    const std::uint64_t tag = uuid->front();
    for (const LiveKey& key : keys_) {
        const std::uint64_t packed = uuid->back() ^ key.uuid_mask(tag);
        if (!equal_tags(key.uuid_tag(packed), tag)) continue;
        if (key.retired_at && now >= *key.retired_at) return Refusal::retired_key;
        return unpack(packed);
    }
    return Refusal::bad_signature;
}

TicketVerdict TicketBook::read_native(std::string_view text, UnixSeconds now) const {
    std::array<std::uint8_t, native_bytes> bytes;
    if (read_base64url(text, bytes) != native_bytes) return Refusal::malformed;
    if (bytes[0] != native_version || bytes[kind_at] > 1) return Refusal::malformed;

    const auto signed_by = [&](const LiveKey& key) {
        return std::ranges::equal(key.fingerprint, std::span(bytes).subspan<fingerprint_at, 4>());
    };
    const auto key = std::ranges::find_if(keys_, signed_by);
    if (key == keys_.end()) return Refusal::unknown_key;
    const Digest mac = key->native_mac.sign(ByteView(bytes).first(mac_at));
    if (!equal_in_constant_time(ByteView(mac).first(native_bytes - mac_at),
                                ByteView(bytes).subspan(mac_at)))
        return Refusal::bad_signature;
    if (key->retired_at && now >= *key->retired_at) return Refusal::retired_key;
    return TicketContent{
        .kind = static_cast<TicketKind>(bytes[kind_at]),
        .room = static_cast<std::uint32_t>(load_number<4>(&bytes[room_at])),
        .generation = static_cast<std::uint32_t>(load_number<4>(&bytes[generation_at])),
        .number = load_number<6>(&bytes[number_at])};
}

} // namespace anteroom::token
