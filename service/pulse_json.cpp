#include "service/pulse_json.h"

#include <fmt/format.h>

#include <array>

#include "engine/poll.h"
#include "engine/pulse.h"

namespace anteroom {
namespace {

// The length of the UTF-8 sequence at the front of text, or 0 when it is none (RFC 3629, 4).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;  // Overlong.
    if (first == 0xed && byte(1) >= 0xa0) return 0; // A surrogate.
    if (first == 0xf0 && byte(1) < 0x90) return 0;  // Overlong.
    if (first == 0xf4 && byte(1) >= 0x90) return 0; // Above U+10FFFF.
    return length;
}

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

template <class Out>
void append_quoted(Out& out, std::string_view text) {
    const auto append = [&](std::string_view part) {
        out.append(part.data(), part.data() + part.size());
    };
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const char c = text.front();
        if (length == 0) {
            append("\xef\xbf\xbd");
        } else if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
            append(text.substr(0, length));
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out.push_back('"');
}

} // namespace

void append_json_string(std::string& out, std::string_view text) {
    append_quoted(out, text);
}

void append_json_string(fmt::memory_buffer& out, std::string_view text) {
    append_quoted(out, text);
}

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
        fmt::format_to(std::back_inserter(out), "[{},{}],", ahead,
                       poll_after_seconds(PollPolicy::native, ahead));
    fmt::format_to(std::back_inserter(out), "[null,{}]",
                   poll_after_seconds(PollPolicy::native, UINT64_MAX));
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
