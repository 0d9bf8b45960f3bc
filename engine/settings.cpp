#include "engine/settings.h"

namespace anteroom {
namespace {

bool within(std::int64_t value, std::int64_t min, std::int64_t max) {
    return min <= value && value <= max;
}

bool within(Millis value, Millis min, Millis max) {
    return min <= value && value <= max;
}

} // namespace

Reason fault_of(const Settings& s) {
    using namespace limits;
    constexpr Millis none{0};
    constexpr Millis shortest{1};
    if (!within(s.capacity, 0, count_max)) return Reason::bad_capacity;
    if (!within(s.admit_batch, 1, count_max)) return Reason::bad_batch;
    if (!within(s.outer_batch, 1, count_max)) return Reason::bad_batch;
    if (!within(s.admit_interval, shortest, interval_max)) return Reason::bad_interval;
    if (!within(s.outer_interval, shortest, interval_max)) return Reason::bad_interval;
    if (!within(s.sweep_interval, shortest, interval_max)) return Reason::bad_interval;
    if (!within(s.rate_milli, 0, rate_milli_max)) return Reason::bad_rate;
    if (!within(s.lease, shortest, span_max)) return Reason::bad_lease;
    if (!within(s.lease_max, s.lease, span_max)) return Reason::bad_lease;
    if (!within(s.claim_window, none, span_max)) return Reason::bad_lease;
    if (s.lease_start > LeaseStart::at_claim) return Reason::bad_lease;
    // A lease that starts at the claim would never start, nor end, without a window for the claim.
    if (s.lease_start == LeaseStart::at_claim && s.claim_window == none) return Reason::bad_lease;
    if (!within(s.wait_min, none, span_max)) return Reason::bad_wait;
    if (!within(s.idle, shortest, span_max)) return Reason::bad_wait;
    if (s.presence != none && !within(s.presence, presence_min, span_max))
        return Reason::bad_presence;
    if (!within(s.leave_grace, none, span_max)) return Reason::bad_wait;
    if (!within(s.ended_memory, none, span_max)) return Reason::bad_wait;
    if (!within(s.outer_lifetime, shortest, span_max)) return Reason::bad_wait;
    if (!within(s.called_max, 0, count_max)) return Reason::bad_limit;
    if (!within(s.waiting_max, 0, count_max)) return Reason::bad_limit;
    if (s.lanes < 1 || s.lanes > lanes_max) return Reason::bad_lanes;
    return Reason::none;
}

} // namespace anteroom
