// Planted bugs: what would happen if the rules were a little wrong? Compiled in only with
// ANTEROOM_PLANTED_BUGS; the simulator must find every one of them (sim/planted_test.cpp).
#pragma once

namespace anteroom {

enum class Bug {
    none,
    capacity_off_by_one,
    overtaking_after_sweep,
    rate_doubled_at_window_edge,
    lease_slides_for_ever,
    number_reused_after_replay,
    absent_head_blocks,
    return_loses_place,
    join_twice_two_places,
    unclaimed_call_keeps_slot,
    lower_lane_first,
    outer_beyond_issued,
    finish_keeps_slot,
    pause_still_calls,
    leaver_vanishes,
    count_,
};

#ifdef ANTEROOM_PLANTED_BUGS
inline Bug planted_bug = Bug::none;
inline bool planted(Bug bug) {
    return planted_bug == bug;
}
#else
constexpr bool planted(Bug) {
    return false;
}
#endif

} // namespace anteroom
