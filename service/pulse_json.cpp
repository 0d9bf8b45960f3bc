#include "service/pulse_json.h"

#include <fmt/format.h>

#include <array>

#include "base/json_text.h"
#include "engine/poll.h"
#include "engine/pulse.h"

namespace anteroom {
namespace {

void append_list(std::string& out, const std::vector<std::uint64_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        fmt::format_to(std::back_inserter(out), "{}{}", i > 0 ? "," : "", values[i]);
}

void append_lines(std::string& out, const Pulse& pulse) {
    for (std::size_t i = 0; i < pulse.lines.size(); ++i) {
        const PulseLine& line = pulse.lines[i];
        fmt::format_to(std::back_inserter(out), R"({}{{"line":{},"count":{},"first":{},"runs":[)",
                       i > 0 ? "," : "", line.line, line.count, line.first);
        append_list(out, line.runs);
        out += R"(],"marks":[)";
        // Differences are short and compress well; the orders themselves have ten digits.
        std::vector<std::uint64_t> steps;
        std::uint64_t previous = line.first;
        for (const std::uint64_t mark : line.marks)
            steps.push_back(mark - std::exchange(previous, mark));
        append_list(out, steps);
        out += "]}";
    }
}

std::vector<WaitPoint> wait_points(const Room& room) {
    constexpr std::array<std::uint64_t, 11> points{
        0, 10, 50, 200, 1'000, 5'000, 20'000, 100'000, 500'000, 2'000'000, 10'000'000};
    std::vector<WaitPoint> known;
    for (const std::uint64_t ahead : points) {
        const std::optional<Wait> wait = room.wait(ahead);
        if (!wait) continue;
        known.push_back({.ahead = ahead, .wait = *wait});
        if (ahead > room.waiting()) break;
    }
    return known;
}

void append_waits(std::string& out, const std::vector<WaitPoint>& points) {
    for (std::size_t i = 0; i < points.size(); ++i)
        fmt::format_to(std::back_inserter(out), "{}[{},{},{}]", i > 0 ? "," : "", points[i].ahead,
                       points[i].wait.p50_seconds, points[i].wait.p90_seconds);
}

} // namespace

PulseContent pulse_content(const HostedRoom& hosted) {
    return {.pulse = make_pulse(hosted.view()),
            .message = hosted.profile().message,
            .waits = wait_points(hosted.view())};
}

std::string pulse_json(const HostedRoom& hosted, const PulseContent& content, Instant now) {
    const Pulse& pulse = content.pulse;
    std::string out = fmt::format(
        R"({{"v":1,"room":"{}","state":"{}","at":{},"serving":{},"issued":{},"waiting":{},"active":{},"capacity":{},)",
        hosted.id(), name(pulse.state), now.ms, pulse.serving, pulse.issued, pulse.waiting,
        pulse.active, pulse.capacity);
    if (pulse.rate_per_second > 0)
        fmt::format_to(std::back_inserter(out), R"("rate_per_second":{:.3f},)",
                       pulse.rate_per_second);
    else
        out += R"("rate_per_second":null,)";
    out += R"("message":)";
    if (content.message.empty())
        out += "null";
    else
        append_json_string(out, content.message);
    out += R"(,"wait":[)";
    append_waits(out, content.waits);
    out += R"(],"poll":[)";
    for (const std::uint64_t ahead : {1'000ull, 5'000ull, 20'000ull})
        fmt::format_to(std::back_inserter(out), "[{},{}],", ahead, poll_after_seconds(ahead));
    fmt::format_to(std::back_inserter(out), "[null,{}]", poll_after_seconds(UINT64_MAX));
    if (pulse.outer_active)
        fmt::format_to(std::back_inserter(out),
                       R"(],"outer":{{"generation":{},"serving":{},"issued":{}}},"lines":[)",
                       pulse.outer_generation, pulse.outer_serving, pulse.outer_issued);
    else
        out += R"(],"lines":[)";
    append_lines(out, pulse);
    out += "]}";
    return out;
}

} // namespace anteroom
