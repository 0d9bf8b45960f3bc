#include "token/jwks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "token/base64.h"
#include "token/json_object.h"
#include "token/login_key.h"
#include "token/secret.h"
#include "token/whole_file.h"

namespace anteroom::token {
namespace {

using SecretBytes = std::vector<std::uint8_t, WipingAllocator<std::uint8_t>>;

// A valid key that is not for our signatures: skipped.
struct Skipped {
    std::string why;
};
using Reading = std::variant<VerifyKey, Skipped, Fault>;

constexpr std::array<std::string_view, 10> texts{"kty", "kid", "use", "alg", "crv",
                                                 "n",   "e",   "x",   "y",   "k"};
constexpr std::array<std::string_view, 8> private_members{"d",  "p",  "q",   "dp",
                                                          "dq", "qi", "oth", "k"};
constexpr std::array<std::string_view, 4> algorithms{"RS256", "ES256", "EdDSA", "HS256"};
constexpr std::size_t key_operations_max = 16;

std::string quoted(std::string_view text) {
    if (text.size() > jwk_kid_bytes_max) return "(a long text)";
    std::string out;
    append_json_string(out, text);
    return out;
}

// One key of the set. Its members are views of the text it was given.
class Jwk {
  public:
    explicit Jwk(std::string_view text) : buffer_(text), fault_(object_.parse(buffer_)) {}
    Jwk(const Jwk&) = delete;
    Jwk& operator=(const Jwk&) = delete;

    Reading read() const {
        if (std::optional<std::string> wrong = wrong_form()) return Fault{*std::move(wrong)};
        if (std::optional<std::string> why = other_purpose()) return Skipped{*std::move(why)};
        const std::optional<std::string_view> fixed = algorithm();
        if (!fixed) return Skipped{unknown_kind()};
        if (has("alg") && text("alg") != *fixed) {
            const std::string why = "alg is " + quoted(text("alg")) + ", not " + quoted(*fixed);
            // An `alg` that does not fit the kind of key allows algorithm confusion.
            if (std::ranges::find(algorithms, text("alg")) != algorithms.end()) return Fault{why};
            return Skipped{why};
        }
        Result<VerifyKey> key = material(*fixed);
        if (!key) return key.fault();
        return *std::move(key);
    }

    // Empty: it has none that could be used.
    std::string_view kid() const { return text("kid"); }

  private:
    bool has(std::string_view name) const { return object_.find(name) != nullptr; }

    std::string_view text(std::string_view name) const {
        const JsonValue* value = object_.find(name);
        return value != nullptr && value->kind == JsonKind::string ? value->text
                                                                   : std::string_view();
    }

    std::optional<SecretBytes> bytes(std::string_view name) const {
        SecretBytes out(base64_bytes_max(text(name).size()));
        const std::optional<std::size_t> size = read_base64url(text(name), out);
        if (!size || *size == 0) return std::nullopt;
        out.resize(*size);
        return out;
    }

    std::optional<std::string> wrong_form() const {
        if (fault_ == JsonFault::duplicate_member) return "a member stands twice";
        if (fault_ != JsonFault::none)
            return "it is no object of at most " + std::to_string(json_members_max) + " members";
        for (const std::string_view name : texts)
            if (has(name) && object_.find(name)->kind != JsonKind::string)
                return std::string(name) + " must be a text";
        if (!has("kty")) return "kty is missing";
        if (has("kid") && (kid().empty() || kid().size() > jwk_kid_bytes_max))
            return "kid must have 1 to " + std::to_string(jwk_kid_bytes_max) + " bytes";
        if (text("kty") == "oct") return std::nullopt;
        for (const std::string_view name : private_members)
            if (has(name))
                return "it holds a private key (" + std::string(name) +
                       "): publish only the public half, and make a new key";
        return std::nullopt;
    }

    std::optional<std::string> other_purpose() const {
        if (has("use") && text("use") != "sig")
            return "use is " + quoted(text("use")) + ", not \"sig\"";
        const JsonValue* operations = object_.find("key_ops");
        if (operations == nullptr) return std::nullopt;
        SecretText copy(operations->text);
        std::vector<JsonValue> values;
        if (parse_json_array(copy, key_operations_max, values) == JsonFault::none)
            for (const JsonValue& value : values)
                if (value.kind == JsonKind::string && value.text == "verify") return std::nullopt;
        return "key_ops is not a list with \"verify\"";
    }

    std::optional<std::string_view> algorithm() const {
        if (text("kty") == "RSA") return "RS256";
        if (text("kty") == "EC" && text("crv") == "P-256") return "ES256";
        if (text("kty") == "OKP" && text("crv") == "Ed25519") return "EdDSA";
        if (text("kty") == "oct") return "HS256";
        return std::nullopt;
    }

    std::string unknown_kind() const {
        const bool curved = text("kty") == "EC" || text("kty") == "OKP";
        if (!curved) return "kty " + quoted(text("kty")) + " is not known here";
        return "the curve " + quoted(text("crv")) + " is not known here";
    }

    Result<VerifyKey> material(std::string_view algorithm) const {
        if (algorithm == "HS256") return shared_secret();
        if (algorithm == "RS256") return rsa();
        return algorithm == "ES256" ? p256() : ed25519();
    }

    Result<VerifyKey> shared_secret() const {
        const std::optional<SecretBytes> k = bytes("k");
        if (!k) return Fault{"k is not base64url"};
        const Result<Secret> secret = Secret::from_bytes(*k);
        if (!secret) return secret.fault();
        return VerifyKey::hs256(std::string(kid()), *secret);
    }

    Result<VerifyKey> rsa() const {
        const std::optional<SecretBytes> n = bytes("n");
        const std::optional<SecretBytes> e = bytes("e");
        if (!n || !e) return Fault{"n or e is not base64url"};
        Result<RsaPublicKey> key = RsaPublicKey::from_numbers(*n, *e);
        if (!key) return key.fault();
        return VerifyKey::rs256(std::string(kid()), *std::move(key));
    }

    Result<VerifyKey> p256() const {
        const std::optional<SecretBytes> x = bytes("x");
        const std::optional<SecretBytes> y = bytes("y");
        if (!x || !y) return Fault{"x or y is not base64url"};
        Result<P256PublicKey> key = P256PublicKey::from_point(*x, *y);
        if (!key) return key.fault();
        return VerifyKey::es256(std::string(kid()), *std::move(key));
    }

    Result<VerifyKey> ed25519() const {
        const std::optional<SecretBytes> x = bytes("x");
        Ed25519Point point{};
        if (!x || x->size() != point.size()) return Fault{"x is not base64url of 32 bytes"};
        std::copy(x->begin(), x->end(), point.begin());
        return VerifyKey::ed25519(std::string(kid()), point);
    }

    SecretText buffer_;
    JsonObject object_;
    JsonFault fault_;
};

std::string name_of(std::size_t at, std::string_view kid) {
    return "key " + std::to_string(at + 1) + (kid.empty() ? "" : " " + quoted(kid));
}

Result<std::vector<JsonValue>> elements_of(std::string_view text, SecretText& buffer) {
    buffer = text;
    JsonObject set;
    const JsonFault fault = set.parse(buffer);
    if (fault == JsonFault::duplicate_member) return Fault{"a member stands twice"};
    if (fault != JsonFault::none) return Fault{"it is not one JSON object"};
    const JsonValue* keys = set.find("keys");
    if (keys == nullptr || keys->kind != JsonKind::array)
        return Fault{"it has no list \"keys\", so it is no JWK Set"};
    buffer = SecretText(keys->text);
    std::vector<JsonValue> elements;
    if (parse_json_array(buffer, jwks_keys_max, elements) != JsonFault::none)
        return Fault{"it has more than " + std::to_string(jwks_keys_max) + " keys"};
    return elements;
}

std::string nothing_left(const JwkSet& set) {
    std::string out = "it has no key that could be used";
    for (const std::string& line : set.skipped) out += "; " + line;
    return out;
}

} // namespace

Result<JwkSet> parse_jwks(std::string_view text) {
    SecretText buffer;
    const Result<std::vector<JsonValue>> elements = elements_of(text, buffer);
    if (!elements) return elements.fault();

    JwkSet set;
    std::vector<std::string> kids;
    for (std::size_t at = 0; at < elements->size(); ++at) {
        const JsonValue& element = (*elements)[at];
        if (element.kind != JsonKind::object) return Fault{name_of(at, {}) + ": it is no object"};
        const Jwk jwk(element.text);
        const std::string name = name_of(at, jwk.kid());
        Reading reading = jwk.read();
        if (const Fault* fault = std::get_if<Fault>(&reading))
            return Fault{name + ": " + fault->reason};
        if (!jwk.kid().empty()) {
            if (std::ranges::find(kids, jwk.kid()) != kids.end())
                return Fault{name + ": its kid stands twice"};
            kids.emplace_back(jwk.kid());
        }
        if (const Skipped* skipped = std::get_if<Skipped>(&reading))
            set.skipped.push_back(name + ": " + skipped->why);
        else
            set.keys.push_back(std::get<VerifyKey>(std::move(reading)));
    }
    if (set.keys.empty()) return Fault{nothing_left(set)};
    return set;
}

Result<JwkSet> load_jwks(const std::string& path) {
    const Result<WholeFile> file = read_whole_file(path, jwks_bytes_max);
    if (!file) return file.fault();
    Result<JwkSet> set = parse_jwks(file->text);
    if (!set) return Fault{path + ": " + set.fault().reason};
    return set;
}

} // namespace anteroom::token
