// WaitProbes: are the waiting times we tell true? Now and then notes what the last in line was
// told, and compares it with what happened when that visitor is called.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/time.h"
#include "engine/visitor.h"

namespace anteroom {

class WaitProbes {
  public:
    void tell(Number number, std::int64_t seconds, Instant now) {
        const std::lock_guard lock(mutex_);
        // One question at a time per visitor, and a bounded number: the oldest answer is given up.
        if (!probes_.empty() && probes_.back().number == number) return;
        if (probes_.size() >= probes_max) probes_.erase(probes_.begin());
        probes_.push_back({number, now + Millis{seconds * 1'000}});
    }

    // By how many seconds the visitor's time was wrong; nothing when it was not noted.
    std::optional<std::uint64_t> called(Number number, Instant now) {
        const std::lock_guard lock(mutex_);
        for (auto probe = probes_.begin(); probe != probes_.end(); ++probe) {
            if (probe->number != number) continue;
            const std::int64_t off = (now - probe->expected).count / 1'000;
            probes_.erase(probe);
            return static_cast<std::uint64_t>(off < 0 ? -off : off);
        }
        return std::nullopt;
    }

  private:
    static constexpr std::size_t probes_max = 64;
    struct Probe {
        Number number;
        Instant expected;
    };
    std::mutex mutex_;
    std::vector<Probe> probes_;
};

} // namespace anteroom
