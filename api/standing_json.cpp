#include "api/standing_json.h"

#include <algorithm>

#include "base/json_text.h"
#include "engine/poll.h"
#include "net/output.h"

namespace anteroom::api {
namespace {

using net::compose;

void append_wait(fmt::memory_buffer& out, const std::optional<Wait>& wait) {
    if (!wait) return compose(out, R"("eta_seconds":null,)");
    compose(out, R"("eta_seconds":{"p50":)", wait->p50_seconds, R"(,"p90":)", wait->p90_seconds,
            "},");
}

// field: the name in quotes, with its colon.
void append_optional(fmt::memory_buffer& out, std::string_view field, const std::string& text) {
    if (text.empty()) return compose(out, field, "null,");
    compose(out, field);
    append_json_string(out, text);
    compose(out, ",");
}

void append_words(fmt::memory_buffer& out, const Profile& profile) {
    if (profile.message.empty() && profile.target.empty())
        return compose(out, R"("message":null,"target":null,)");
    append_optional(out, R"("message":)", profile.message);
    append_optional(out, R"("target":)", profile.target);
}

} // namespace

void append_standing(fmt::memory_buffer& out, const HostedRoom& room, const Standing& standing,
                     Instant now, const StandingExtras& extras) {
    const bool in_line = is_in_line(standing.state);
    compose(out, R"({"room":")", room.id(), R"(","state":")", name(standing.state),
            R"(","number":)", standing.number, R"(,"ahead":)", standing.ahead, R"(,"behind":)",
            standing.behind, ",");
    // The absent ahead delay nobody: who is next but for them asks as often as who is next.
    const std::uint64_t calls_before = in_line ? room.view().callable_ahead(standing) : 0;
    append_wait(out, in_line ? room.view().wait_for_calls(calls_before) : std::nullopt);
    const std::int64_t told = poll_after_seconds(calls_before);
    compose(out, R"("poll_after_seconds":)", room.tell_to_ask_in(told, standing, now), ",");
    if (is_live(standing.state))
        compose(out, R"("line":)", standing.line, R"(,"order":)", standing.order,
                R"(,"joined_at":)", standing.joined.ms, ",");
    if (in_line) compose(out, R"("idle_seconds":)", room.view().settings().idle.count / 1'000, ",");
    if (in_line && standing.missed > 0) compose(out, R"("missed_calls":)", standing.missed, ",");
    append_words(out, room.profile());
    if (extras.pass)
        compose(out, R"("pass":")", extras.pass->pass, R"(","pass_expires_in":)",
                extras.pass->expires_in_seconds, ",");
    if (is_inside(standing.state))
        compose(out, R"("lease_expires_in":)",
                std::max<std::int64_t>(0, (standing.until - now).count / 1'000), ",");
    if (const Millis age = room.age(now); age > limits::age_untold) [[unlikely]]
        compose(out, R"("stale_seconds":)", age.count / 1'000, ",");
    compose(out, R"("room_state":")", name(room.view().state()), R"(","ticket":")", extras.ticket,
            R"("})");
}

} // namespace anteroom::api
