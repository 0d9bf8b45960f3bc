// Header values that handlers ask about: cookies, entity tags, languages. Pure, without allocation.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace anteroom::net {

// The first cookie of that name in a Cookie header (RFC 6265, 4.2), without quotes. A pair that
// breaks the grammar is skipped, like a cookie of another site's.
std::optional<std::string_view> find_cookie(std::string_view header, std::string_view name);

// Whether If-None-Match names the tag, compared weakly (RFC 9110, 13.1.2). etag with its quotes.
bool etag_matches(std::string_view if_none_match, std::string_view etag);

// The supported language that Accept-Language wants most (RFC 4647, 3.4: "de-CH" finds "de"); the
// first supported one when nothing fits. REQUIRES: supported is not empty, tags in lower case.
std::string_view negotiate_language(std::string_view accept_language,
                                    std::span<const std::string_view> supported);

} // namespace anteroom::net
