// Question: the parts of a request that a decision may look at. Views of the request.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "net/request.h"

namespace anteroom::gate {

struct Question {
    std::string_view method;     // As it came: methods differ by case (RFC 9110, 9.1).
    std::string_view host;       // With or without a port.
    std::string_view target;     // The path, not decoded; a query may follow.
    std::string_view query = {}; // If the target is the path alone.
    std::span<const net::Header> headers;
    std::optional<std::string_view> body = {}; // Nothing: the caller does not have it.
};

inline Question question_of(const net::Request& request) {
    return {.method = request.method_text,
            .host = request.host,
            .target = request.path,
            .query = request.query,
            .headers = request.headers(),
            .body = request.body}; // Of one that streams: nothing yet, which no rule accepts.
}

// Without port and final dot. As it came, so compare ignoring case.
std::string_view host_name(const Question& question);

bool has_header(const Question& question, std::string_view name);
// The first cookie of that name, in any Cookie header.
std::optional<std::string_view> cookie_of(const Question& question, std::string_view name);

// Where clients show passes. The names are those of the first system that had them.
inline constexpr std::string_view outer_header = "x-vwr-token";
inline constexpr std::string_view outer_cookie = "urr-vwr-token";
inline constexpr std::string_view entry_header = "x-queue-entry-token";
inline constexpr std::string_view entry_cookie = "urr-entry-token";
inline constexpr std::string_view older_entry_cookie = "tiketi-entry-token";

// The tokens that a request shows; empty: none. When a header and a cookie disagree, the header
// counts. A header that comes twice gives a text that is no token: origins differ in which one they
// take.
std::string_view outer_token(const Question& question);
std::string_view entry_token(const Question& question);
// Of this name, whatever it is.
std::string_view header_token(const Question& question, std::string_view name);
std::string_view cookie_token(const Question& question, std::string_view name);
// "Authorization: Bearer …", else the cookie of the site's login.
std::string_view access_token(const Question& question);

} // namespace anteroom::gate
