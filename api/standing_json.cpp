#include "api/standing_json.h"

#include "engine/poll.h"
#include "service/pulse_json.h"

namespace anteroom::api {
namespace {

void append_text(fmt::memory_buffer& out, std::string_view text) {
    out.append(text.data(), text.data() + text.size());
}

void append_wait(fmt::memory_buffer& out, const HostedRoom& room, const Standing& standing) {
    const std::optional<Wait> wait =
        is_in_line(standing.state) ? room.view().wait(standing.ahead) : std::nullopt;
    if (!wait) return append_text(out, R"("eta_seconds":null,)");
    fmt::format_to(fmt::appender(out), R"("eta_seconds":{{"p50":{},"p90":{}}},)", wait->p50_seconds,
                   wait->p90_seconds);
}

void append_optional(fmt::memory_buffer& out, std::string_view name, const std::string& text) {
    fmt::format_to(fmt::appender(out), R"("{}":)", name);
    if (text.empty())
        append_text(out, "null");
    else
        append_json_string(out, text);
    out.push_back(',');
}

} // namespace

void append_standing(fmt::memory_buffer& out, const HostedRoom& room, const Standing& standing,
                     Instant now, const StandingExtras& extras) {
    const bool in_line = is_in_line(standing.state);
    fmt::format_to(fmt::appender(out),
                   R"({{"room":"{}","state":"{}","number":{},"ahead":{},"behind":{},)", room.id(),
                   name(standing.state), standing.number, standing.ahead, standing.behind);
    append_wait(out, room, standing);
    fmt::format_to(fmt::appender(out), R"("poll_after_seconds":{},)",
                   poll_after_seconds(PollPolicy::native, in_line ? standing.ahead : 0));
    if (is_live(standing.state))
        fmt::format_to(fmt::appender(out), R"("line":{},"order":{},"joined_at":{},)", standing.line,
                       standing.order, standing.joined.ms);
    if (in_line)
        fmt::format_to(fmt::appender(out), R"("idle_seconds":{},)",
                       room.view().settings().idle.count / 1'000);
    const Profile& profile = room.profile();
    append_optional(out, "message", profile.message);
    append_optional(out, "target", profile.target);
    if (extras.pass)
        fmt::format_to(fmt::appender(out), R"("pass":"{}","pass_expires_in":{},)",
                       extras.pass->pass, extras.pass->expires_in_seconds);
    if (is_inside(standing.state))
        fmt::format_to(fmt::appender(out), R"("lease_expires_in":{},)",
                       std::max<std::int64_t>(0, (standing.until - now).count / 1'000));
    fmt::format_to(fmt::appender(out), R"("room_state":"{}","ticket":"{}"}})",
                   name(room.view().state()), extras.ticket);
}

} // namespace anteroom::api
