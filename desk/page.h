// Pages: one file each, the same bytes for every room.
#pragma once

#include "desk/assets.h"
#include "desk/desk.h"

namespace anteroom {

// Nothing from elsewhere, nothing embedded, no frame around it: a page that asks people to wait
// must not be dressed up by others.
inline constexpr std::string_view page_policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
    "worker-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

// Compressed if the browser can read it, and not at all if it has it already.
void answer_page(Call& call, const assets::Asset& page, std::int64_t cache_seconds);

// The script of a page's worker, beside the page: wherever the page is served, its worker is, too.
void answer_timer(Call& call);

} // namespace anteroom
