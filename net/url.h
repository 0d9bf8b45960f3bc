// Percent-encoding, query strings and absolute http URLs (RFC 3986), read strictly.
//
// What does not decode to clean UTF-8 without control characters is refused as a whole:
// half-decoded text is how two programs come to see two different names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anteroom::net {

inline constexpr std::size_t query_parameters_max = 64;

enum class Plus : std::uint8_t { literal, space }; // What '+' means: a path, or a form.

// Empty: a broken escape, a control character (also NUL), or bytes that are no UTF-8.
std::optional<std::string> percent_decode(std::string_view text, Plus plus = Plus::literal);

class Query {
  public:
    // Empty: something does not decode, a name comes twice, or there are too many.
    static std::optional<Query> parse(std::string_view text);

    // Null: not there.
    const std::string* find(std::string_view name) const;
    std::size_t size() const { return parameters_.size(); }

  private:
    struct Parameter {
        std::string name;
        std::string value;
    };
    std::vector<Parameter> parameters_;
};

// Where an HTTP client goes: "https://example.org:8443/a?b".
struct Url {
    bool secure = false;
    std::string host; // Without brackets.
    std::uint16_t port = 80;
    std::string authority; // As the Host header wants it.
    std::string target;    // "/a?b"
};

// http and https only; no user, no fragment.
std::optional<Url> parse_url(std::string_view text);

} // namespace anteroom::net
