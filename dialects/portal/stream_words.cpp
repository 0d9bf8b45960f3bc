#include "dialects/portal/stream_words.h"

#include <fmt/format.h>

#include "base/text.h"
#include "dialects/portal/entry_status.h"
#include "dialects/portal/poll.h"

namespace anteroom::portal {
namespace {

constexpr Millis interval = seconds(poll_seconds);
constexpr Millis interval_min = seconds(1); // Also when the place changes all the time.
constexpr Millis heartbeat_interval = seconds(15);
// Looks are a second apart, give or take a moment: the third one counts although it is early.
constexpr Millis early{-500};
constexpr std::string_view retry = "retry: 3000\n";

} // namespace

PortalWords::PortalWords(std::string token, Millis life, std::string_view last_id)
    : token_(std::move(token)), life_(life) {
    // An id that does not fit was not written here.
    id_ = parse_leading_number<std::uint32_t>(last_id).value_or(0);
}

std::string PortalWords::event(std::string_view name, std::string_view members, Instant now,
                               bool is_last) {
    return fmt::format(
        "event: {}\nid: {}{}\n"
        R"(data: {{"type":"{}","data":{{{}}},"timestamp":"{}Z",{}}})"
        "\n\n",
        name, ++id_, is_last ? end_mark : "", name, members, iso_time(now), members);
}

StreamWords::Said PortalWords::say(const HostedRoom& room, Number number, Instant now) {
    const Standing standing = room.view().standing(number);
    if (standing.state == VisitorState::unknown) return {};
    if (!room.may_tell(standing)) return {.is_owed = true}; // Not durable yet.
    told_ = now;
    told_ahead_ = standing.ahead;
    const std::string members = status_members(room, standing, token_);
    const bool is_in = is_inside(standing.state);
    const bool is_last = !is_in_line(standing.state);
    std::string text = event("queue-status", members, now, is_last);
    if (is_in) text += event("queue-entered", members, now, true);
    return {.frame = net::make_frame(std::move(text)), .is_last = is_last};
}

StreamWords::Said PortalWords::begin(const HostedRoom& room, Number number, Instant now) {
    opened_ = beaten_ = now;
    Said first = say(room, number, now);
    first.frame =
        net::make_frame(std::string(retry) + (first.frame ? *first.frame : std::string("\n")));
    return first;
}

StreamWords::Said PortalWords::news(const HostedRoom& room, Number number, Instant now) {
    return say(room, number, now);
}

StreamWords::Said PortalWords::look(const HostedRoom& room, Number number, Instant now) {
    const bool over = now - opened_ >= life_;
    const Standing standing = room.view().standing(number);
    const bool moved = standing.ahead != told_ahead_ && now - told_ >= interval_min + early;
    const bool due =
        over || !is_in_line(standing.state) || moved || now - told_ >= interval + early;
    Said said = due ? say(room, number, now) : Said{};
    said.is_last = said.is_last || over; // The client comes back for the next one.
    if (now - beaten_ < heartbeat_interval + early) return said;
    beaten_ = now;
    said.frame = net::make_frame(*heartbeat() + (said.frame ? *said.frame : std::string()));
    return said;
}

// Without data no event reaches the page, but the browser remembers the id: it does not fight with
// the newer stream for the place.
net::Frame PortalWords::replaced() {
    return net::make_frame(
        fmt::format(": replaced by a newer stream\nid: {}{}\n\n", ++id_, end_mark));
}

} // namespace anteroom::portal
