#include "gate/edge_stamp.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "net/output.h"
#include "net/text.h"
#include "token/base64.h"
#include "token/secret.h"

namespace anteroom::gate {
namespace {

constexpr std::string_view version = "v1";

// An empty query is none: not every program on the way keeps its question mark.
std::string_view without_empty_query(std::string_view target) {
    const bool is_empty = target.ends_with('?') && target.find('?') == target.size() - 1;
    if (is_empty) target.remove_suffix(1);
    return target;
}

net::Output signed_text(const Question& question, std::string_view seconds) {
    net::Output text;
    net::compose(text, version, "\n", seconds, "\n", question.method, "\n");
    for (const char c : question.host) text.push_back(net::to_lower(c));
    net::compose(text, "\n", without_empty_query(question.target));
    if (!question.query.empty()) net::compose(text, "?", question.query);
    return text;
}

token::Digest sign(const token::Hmac& key, const net::Output& text) {
    return key.sign(std::string_view(text.data(), text.size()));
}

struct Stamp {
    std::string_view seconds; // As it stands: this is what was signed.
    std::int64_t count = 0;
    token::Digest signature{};
};

// One spelling only: no sign, no leading zero, canonical base64url.
std::optional<Stamp> read(std::string_view text) {
    constexpr std::size_t digits_max = 12;
    const std::size_t first = text.find('.'), last = text.rfind('.');
    if (first == text.npos || first == last || text.substr(0, first) != version)
        return std::nullopt;
    Stamp stamp{.seconds = text.substr(first + 1, last - first - 1)};
    if (stamp.seconds.empty() || stamp.seconds.size() > digits_max || stamp.seconds.front() == '0')
        return std::nullopt;
    const auto count = parse_whole_number<std::uint64_t>(stamp.seconds);
    if (!count) return std::nullopt;
    stamp.count = static_cast<std::int64_t>(*count);
    if (token::read_base64url(text.substr(last + 1), stamp.signature) != stamp.signature.size())
        return std::nullopt;
    return stamp;
}

} // namespace

std::string_view name(StampFault fault) {
    switch (fault) {
        case StampFault::none: return "none";
        case StampFault::missing: return "missing";
        case StampFault::twice: return "twice";
        case StampFault::malformed: return "malformed";
        case StampFault::untimely: return "untimely";
        case StampFault::wrong: return "wrong";
    }
    CHECK(false);
}

Result<EdgeKeys> EdgeKeys::from_texts(std::span<const std::string> secrets) {
    if (secrets.empty()) return Fault{"there is no secret"};
    if (secrets.size() > edge_keys_max)
        return Fault{"there are more than " + std::to_string(edge_keys_max) + " secrets"};
    std::vector<token::Hmac> keys;
    std::vector<token::Secret> known;
    for (const std::string& text : secrets) {
        Result<token::Secret> secret = token::Secret::from_text(text);
        if (!secret) return secret.fault();
        for (const token::Secret& other : known)
            if (other == *secret) return Fault{"the same secret is there twice"};
        keys.emplace_back(secret->bytes());
        known.push_back(*std::move(secret));
    }
    return EdgeKeys(std::move(keys));
}

std::string EdgeKeys::stamp_testing(const Question& question, token::UnixSeconds now) const {
    const std::string seconds = std::to_string(now.count);
    const token::Digest signature = sign(keys_.front(), signed_text(question, seconds));
    return std::string(version) + '.' + seconds + '.' + token::base64url(signature);
}

StampFault EdgeKeys::check(const Question& question, token::UnixSeconds now) const {
    std::optional<std::string_view> shown;
    for (const net::Header& header : question.headers) {
        if (!net::equals_ignoring_case(header.name, stamp_header)) continue;
        if (shown) return StampFault::twice;
        shown = header.value;
    }
    if (!shown) return StampFault::missing;
    const std::optional<Stamp> stamp = read(*shown);
    if (!stamp) return StampFault::malformed;
    if (stamp->count > now.count + stamp_seconds_max ||
        stamp->count < now.count - stamp_seconds_max)
        return StampFault::untimely;
    const net::Output text = signed_text(question, stamp->seconds);
    bool fits = false;
    for (const token::Hmac& key : keys_)
        fits = token::equal_in_constant_time(sign(key, text), stamp->signature) || fits;
    return fits ? StampFault::none : StampFault::wrong;
}

} // namespace anteroom::gate
