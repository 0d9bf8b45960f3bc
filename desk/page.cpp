#include "desk/page.h"

#include <fmt/format.h>

#include "net/header_values.h"

namespace anteroom {

using net::Status;

namespace {

constexpr std::int64_t timer_cache_seconds = 3600;

void answer_asset(Call& call, const assets::Asset& page, std::string_view type,
                  std::int64_t cache_seconds) {
    const std::string_view known = call.request().header("if-none-match").value_or("");
    const bool fresh = net::etag_matches(known, page.etag);
    net::Answer answer = call.begin(fresh ? Status::not_modified : Status::ok);
    answer.header("ETag", page.etag);
    answer.header("Cache-Control", fmt::format("public, max-age={}", cache_seconds));
    answer.header("Vary", "Accept-Encoding");
    answer.header("Content-Security-Policy", page_policy);
    answer.header("X-Content-Type-Options", "nosniff");
    answer.header("Referrer-Policy", "same-origin");
    if (fresh) return answer.send();
    answer.header("Content-Type", type);
    const std::string_view accepted = call.request().header("accept-encoding").value_or("");
    const bool compressed = accepted.find("gzip") != accepted.npos;
    if (compressed) answer.header("Content-Encoding", "gzip");
    net::append(answer.body(), compressed ? page.gzip : page.plain);
}

} // namespace

void answer_page(Call& call, const assets::Asset& page, std::int64_t cache_seconds) {
    answer_asset(call, page, "text/html; charset=utf-8", cache_seconds);
}

void answer_timer(Call& call) {
    answer_asset(call, assets::timer, "text/javascript; charset=utf-8", timer_cache_seconds);
}

} // namespace anteroom
