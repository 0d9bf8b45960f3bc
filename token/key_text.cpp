#include "token/key_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "token/base64.h"

namespace anteroom::token {
namespace {

constexpr std::string_view format_word = "anteroom-keys ";
constexpr std::string_view format_version = "1";
constexpr std::string_view absent = "-";
constexpr std::size_t field_count = 7;

using Fields = std::array<std::string_view, field_count>;

std::optional<std::int64_t> number(std::string_view text) {
    const auto value = parse_whole_number<std::int64_t>(text);
    return value && *value >= 0 ? value : std::nullopt;
}

// The text up to the mark; the mark is taken off too. Nothing when it is not there.
std::optional<std::string_view> cut(std::string_view& text, char mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view head = text.substr(0, at);
    text.remove_prefix(at + 1);
    return head;
}

std::optional<Fields> split(std::string_view line) {
    Fields fields;
    for (std::size_t i = 0; i + 1 < field_count; ++i) {
        const std::optional<std::string_view> field = cut(line, ' ');
        if (!field) return std::nullopt;
        fields[i] = *field;
    }
    if (line.find(' ') != std::string_view::npos) return std::nullopt;
    fields.back() = line;
    return fields;
}

template <class Named, std::size_t Count>
std::optional<Named> named(std::string_view text, const std::array<Named, Count>& values) {
    for (const Named value : values)
        if (name(value) == text) return value;
    return std::nullopt;
}

Result<Secret> secret_of(std::string_view text, std::string_view fingerprint) {
    std::vector<std::uint8_t, WipingAllocator<std::uint8_t>> bytes(base64_bytes_max(text.size()));
    const std::optional<std::size_t> size = read_base64url(text, bytes);
    if (!size) return Fault{"the secret is not base64url"};
    Result<Secret> secret = Secret::from_bytes(ByteView(bytes).first(*size));
    if (secret && to_hex(secret->fingerprint()) != fingerprint)
        return Fault{"the secret does not fit its fingerprint: the file is damaged"};
    return secret;
}

Result<Key> key_of(std::string_view line) {
    const std::optional<Fields> fields = split(line);
    if (!fields) return Fault{"expected seven fields"};
    const auto& [purpose_text, kid, algorithm_text, created, retired, fingerprint, secret_text] =
        *fields;

    const std::optional<Purpose> purpose = named(purpose_text, purposes);
    if (!purpose) return Fault{"unknown purpose"};
    const std::optional<Algorithm> algorithm =
        named(algorithm_text, std::array{Algorithm::hs256, Algorithm::ed25519});
    if (!algorithm) return Fault{"unknown algorithm"};
    if (kid != absent && !is_key_id(kid)) return Fault{"bad key id"};
    const std::optional<std::int64_t> created_at = number(created);
    if (!created_at) return Fault{"the time of creation is not a number"};
    const std::optional<std::int64_t> retired_at = number(retired);
    if (!retired_at && retired != absent) return Fault{"the time of retirement is not a number"};
    Result<Secret> secret = secret_of(secret_text, fingerprint);
    if (!secret) return secret.fault();

    Key key{.purpose = *purpose,
            .kid = std::string(kid == absent ? "" : kid),
            .algorithm = *algorithm,
            .secret = *std::move(secret),
            .created_at = UnixSeconds{*created_at}};
    if (retired_at) key.retired_at = UnixSeconds{*retired_at};
    return key;
}

Fault at_line(std::size_t line, const Fault& fault) {
    return Fault{"key file, line " + std::to_string(line) + ": " + fault.reason};
}

Result<void> check_first_line(std::string_view& text) {
    const std::optional<std::string_view> line = cut(text, '\n');
    if (!line || !line->starts_with(format_word)) return Fault{"this is not a key file"};
    if (line->substr(format_word.size()) != format_version)
        return Fault{"key file: unknown format version, this program reads version 1"};
    return {};
}

std::string line_of(const Key& key) {
    std::string line(name(key.purpose));
    line += ' ' + (key.kid.empty() ? std::string(absent) : key.kid) + ' ';
    line += name(key.algorithm);
    line += ' ' + std::to_string(key.created_at.count) + ' ';
    line += key.retired_at ? std::to_string(key.retired_at->count) : std::string(absent);
    line += ' ' + to_hex(key.secret.fingerprint()) + ' ';
    append_base64url(line, key.secret.bytes());
    return line + '\n';
}

} // namespace

std::string key_text(const KeyRing& ring) {
    std::string text(format_word);
    text += format_version;
    text += "\n# purpose kid algorithm created retired fingerprint secret\n";
    std::size_t count = 0;
    for (const Purpose purpose : purposes) {
        for (const Key& key : ring.stored(purpose)) {
            text += line_of(key);
            ++count;
        }
    }
    return text + "end " + std::to_string(count) + '\n';
}

Result<KeyRing> parse_key_text(std::string_view text) {
    if (Result<void> first = check_first_line(text); !first) return first.fault();
    std::vector<Key> keys;
    for (std::size_t number_of_line = 2;; ++number_of_line) {
        const std::optional<std::string_view> line = cut(text, '\n');
        if (!line) return Fault{"key file: cut off before its last line"};
        if (line->starts_with('#')) continue;
        if (line->starts_with("end ")) {
            if (line->substr(4) != std::to_string(keys.size()))
                return at_line(number_of_line, Fault{"the number of keys is wrong"});
            break;
        }
        Result<Key> key = key_of(*line);
        if (!key) return at_line(number_of_line, key.fault());
        keys.push_back(*std::move(key));
    }
    if (!text.empty()) return Fault{"key file: text after its last line"};
    Result<KeyRing> ring = KeyRing::from_keys(std::move(keys));
    if (!ring) return Fault{"key file: " + ring.fault().reason};
    return ring;
}

} // namespace anteroom::token
