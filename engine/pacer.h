// Pacer: how many may be called now, so that no window of time ever sees more than the pace allows.
//
// Two rules that hold together: at most `batch` calls in any window of one interval, and a rate.
// The rate is a token bucket (smooth: it holds a tenth of a second's worth, at least one call)
// behind an exact sliding window, because a bucket alone lets through its content on top of the
// rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/settings.h"

namespace anteroom {

class ByteReader;

// At most `max` calls in any half-open window of length `span`.
class CallWindow {
  public:
    void configure(std::int64_t max, Millis span);
    std::int64_t allowed(Instant now) const;
    // The first moment, not before now, at which a call is allowed.
    Instant next(Instant now) const;
    void record(Instant now);

    template <class Mix>
    void digest(Mix mix) const {
        for (std::size_t i = oldest_; i < calls_.size(); ++i) {
            mix(static_cast<std::uint64_t>(calls_[i].at.ms));
            mix(static_cast<std::uint64_t>(calls_[i].count));
        }
    }

    void write(std::string& out) const;
    [[nodiscard]] bool restore(ByteReader& in);

  private:
    static constexpr std::int64_t entries_max = 4'096; // Exact; as many again for the slices.
    struct Calls {
        Instant at;
        std::int64_t count;
    };
    bool is_over(const Calls& calls, Instant now) const { return calls.at + span_ <= now; }
    void forget(Instant now);
    bool belongs_to_last(Instant now) const;

    std::int64_t max_ = 0;
    Millis span_{1};
    std::vector<Calls> calls_; // In order of time, from `oldest_`: what lies before is over.
    std::size_t oldest_ = 0;
    std::int64_t used_ = 0; // Sum of the counts from oldest_.
};

class Pacer {
  public:
    void configure(const Settings& settings, Instant now);
    std::int64_t allowed(Instant now) const;
    Instant next(Instant now) const;
    void record(Instant now);

    template <class Mix>
    void digest(Mix mix) const {
        batch_.digest(mix);
        rate_.digest(mix);
        mix(static_cast<std::uint64_t>(level_));
        mix(static_cast<std::uint64_t>(level_at_.ms));
    }

    // For snapshots. False: it cannot be.
    void write(std::string& out) const;
    [[nodiscard]] bool restore(ByteReader& in, const Settings& settings);

  private:
    // Bucket levels count millionths of a call: a rate of calls per 1 000 s fills it by exactly
    // `rate` of them per millisecond.
    static constexpr std::int64_t one_call = 1'000'000;
    std::int64_t level(Instant now) const;

    CallWindow batch_;
    CallWindow rate_;
    std::int64_t rate_milli_ = 0;
    std::int64_t level_max_ = 0;
    std::int64_t level_ = 0;
    Instant level_at_;
};

} // namespace anteroom
