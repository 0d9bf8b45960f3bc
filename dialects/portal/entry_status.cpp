#include "dialects/portal/entry_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace anteroom::portal {
namespace {

std::int64_t whole_seconds(Millis span) {
    return (span.count + 999) / 1'000;
}

struct Words {
    std::string_view status;
    std::string_view message;
};

// Of a visitor that waits no more. REQUIRES: the state is known.
Words words_of(VisitorState state) {
    if (is_inside(state)) return {"ENTERED", "입장이 완료되었습니다."};
    CHECK(state != VisitorState::unknown);
    if (state == VisitorState::expired) return {"EXPIRED", "대기열이 만료되었습니다."};
    return {"LEFT", "대기열에서 나갔습니다."};
}

} // namespace

std::int64_t estimated_seconds(std::uint64_t position, std::int64_t batch, Millis interval) {
    const auto size = static_cast<std::uint64_t>(batch);
    const std::uint64_t batches = position / size + (position % size != 0 ? 1 : 0);
    return saturating_multiply(static_cast<std::int64_t>(batches), whole_seconds(interval));
}

std::string status_members(const HostedRoom& room, const Standing& standing,
                           std::string_view token) {
    if (is_in_line(standing.state)) {
        const Settings& rules = room.view().settings();
        const std::uint64_t position = standing.ahead + 1;
        const std::int64_t wait =
            estimated_seconds(position, rules.admit_batch, rules.admit_interval);
        // Counted a moment apart, and still never fewer than stand before.
        const std::uint64_t total = std::max(room.view().waiting(), position);
        return fmt::format(
            R"("entryToken":"{}","status":"WAITING","position":{},"estimatedWaitSeconds":{},)"
            R"("totalWaiting":{},"message":"현재 {}번째 대기 중입니다. 예상 대기 시간: {}초")",
            token, position, wait, total, position, wait);
    }
    const auto [status, message] = words_of(standing.state);
    return fmt::format(R"("entryToken":"{}","status":"{}","position":0,"estimatedWaitSeconds":0,)"
                       R"("totalWaiting":0,"message":"{}")",
                       token, status, message);
}

std::string status_json(const HostedRoom& room, const Standing& standing, std::string_view token) {
    return "{" + status_members(room, standing, token) + "}";
}

std::string iso_time(Instant at) {
    using namespace std::chrono;
    const sys_time<milliseconds> time{milliseconds(at.ms)};
    const sys_days day = floor<days>(time);
    const year_month_day date(day);
    const hh_mm_ss clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

} // namespace anteroom::portal
