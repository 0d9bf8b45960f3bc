#include "service/pulse_news.h"

#include <algorithm>

namespace anteroom {
namespace {

constexpr Millis crowd_interval = seconds(5);
constexpr std::int64_t drift_seconds_max = 2;
constexpr std::int64_t drift_share = 20; // One part of so many.

bool is_drift(std::int64_t told, std::int64_t next) {
    const std::int64_t off = next < told ? told - next : next - told;
    return off <= std::max(drift_seconds_max, told / drift_share);
}

// Points that only one of them has lie behind everybody who waited when the shorter list was made.
bool is_drift(const std::vector<WaitPoint>& told, const std::vector<WaitPoint>& next) {
    if (told.empty() != next.empty()) return false;
    for (std::size_t i = 0; i < std::min(told.size(), next.size()); ++i) {
        if (told[i].ahead != next[i].ahead) return false;
        if (!is_drift(told[i].wait.p50_seconds, next[i].wait.p50_seconds)) return false;
        if (!is_drift(told[i].wait.p90_seconds, next[i].wait.p90_seconds)) return false;
    }
    return true;
}

bool has_same_doorman(const Pulse& told, const Pulse& next) {
    return told.state == next.state && told.serving == next.serving && told.active == next.active &&
           told.capacity == next.capacity && told.outer_active == next.outer_active &&
           told.outer_generation == next.outer_generation &&
           told.outer_serving == next.outer_serving;
}

bool has_same_lines(const Pulse& told, const Pulse& next) {
    const auto is_same = [](const PulseLine& a, const PulseLine& b) {
        return a.line == b.line && a.count == b.count && a.first == b.first && a.runs == b.runs &&
               a.marks == b.marks;
    };
    return std::equal(told.lines.begin(), told.lines.end(), next.lines.begin(), next.lines.end(),
                      is_same);
}

bool has_same_crowd(const Pulse& told, const Pulse& next) {
    return told.issued == next.issued && told.waiting == next.waiting &&
           told.outer_issued == next.outer_issued && has_same_lines(told, next);
}

// As many more wait as have joined, so nobody left. One who left and one who came back in the same
// moment look the same; that is told a few seconds later.
bool only_joined(const Pulse& told, const Pulse& next) {
    return next.issued >= told.issued && next.waiting >= told.waiting &&
           next.issued - told.issued == next.waiting - told.waiting &&
           (next.issued > told.issued || next.outer_issued > told.outer_issued);
}

} // namespace

PulseNews::Verdict PulseNews::judge(const PulseContent& next, Instant now) const {
    if (!told_) return Verdict::now;
    const bool is_still = has_same_doorman(told_->pulse, next.pulse) &&
                          told_->message == next.message && is_drift(told_->waits, next.waits);
    if (!is_still) return Verdict::now;
    if (has_same_crowd(told_->pulse, next.pulse)) return Verdict::nothing;
    if (!only_joined(told_->pulse, next.pulse)) return Verdict::now;
    return now - told_at_ >= crowd_interval ? Verdict::now : Verdict::later;
}

void PulseNews::tell(PulseContent content, Instant now) {
    told_ = std::move(content);
    told_at_ = now;
}

} // namespace anteroom
