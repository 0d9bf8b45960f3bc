#include "dialects/tacos/figures.h"

#include <algorithm>

namespace anteroom::tacos {

void Figures::note_wait(std::uint32_t room, std::uint64_t number, std::int64_t seconds) {
    const std::lock_guard lock(mutex_);
    if (waits_.size() >= events_max && !waits_.contains(room)) return;
    WaitHistogram& waits = waits_[room];
    if (std::ranges::find(waits.last, number) != waits.last.end()) return;
    waits.last[waits.count % waits.last.size()] = number;
    const auto bound =
        std::lower_bound(WaitHistogram::bounds.begin(), WaitHistogram::bounds.end(), seconds);
    ++waits.counts[static_cast<std::size_t>(bound - WaitHistogram::bounds.begin())];
    waits.sum_seconds += seconds;
    ++waits.count;
}

std::vector<WaitHistogram> Figures::waits(const std::vector<std::uint32_t>& rooms) {
    const std::lock_guard lock(mutex_);
    std::vector<WaitHistogram> found;
    std::map<std::uint32_t, WaitHistogram> kept;
    for (const std::uint32_t room : rooms) {
        const auto waits = waits_.find(room);
        if (waits != waits_.end()) kept.insert(*waits);
        found.push_back(waits != waits_.end() ? waits->second : WaitHistogram{});
    }
    waits_ = std::move(kept);
    return found;
}

} // namespace anteroom::tacos
