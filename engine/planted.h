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
    wake_ignored,
    sweep_misses_returned,
    outer_turn_ignored,
    old_generation_accepted,
    leaving_without_grace,
    least_wait_ignored,
    replay_forgets_pace,
    pass_redeemed_twice,
    lease_set_ignored,
    absent_is_called,
    present_after_sweep,
    passed_over_for_ever,
    called_twice_on_return,
    ahead_grows_after_missed_call,
    called_for_ever,
    stream_brings_back_who_missed,
    count,
};

constexpr const char* name(Bug bug) {
    switch (bug) {
        case Bug::none: return "none";
        case Bug::capacity_off_by_one: return "capacity_off_by_one";
        case Bug::overtaking_after_sweep: return "overtaking_after_sweep";
        case Bug::rate_doubled_at_window_edge: return "rate_doubled_at_window_edge";
        case Bug::lease_slides_for_ever: return "lease_slides_for_ever";
        case Bug::number_reused_after_replay: return "number_reused_after_replay";
        case Bug::absent_head_blocks: return "absent_head_blocks";
        case Bug::return_loses_place: return "return_loses_place";
        case Bug::join_twice_two_places: return "join_twice_two_places";
        case Bug::unclaimed_call_keeps_slot: return "unclaimed_call_keeps_slot";
        case Bug::lower_lane_first: return "lower_lane_first";
        case Bug::outer_beyond_issued: return "outer_beyond_issued";
        case Bug::finish_keeps_slot: return "finish_keeps_slot";
        case Bug::pause_still_calls: return "pause_still_calls";
        case Bug::leaver_vanishes: return "leaver_vanishes";
        case Bug::wake_ignored: return "wake_ignored";
        case Bug::sweep_misses_returned: return "sweep_misses_returned";
        case Bug::outer_turn_ignored: return "outer_turn_ignored";
        case Bug::old_generation_accepted: return "old_generation_accepted";
        case Bug::leaving_without_grace: return "leaving_without_grace";
        case Bug::least_wait_ignored: return "least_wait_ignored";
        case Bug::replay_forgets_pace: return "replay_forgets_pace";
        case Bug::pass_redeemed_twice: return "pass_redeemed_twice";
        case Bug::lease_set_ignored: return "lease_set_ignored";
        case Bug::absent_is_called: return "absent_is_called";
        case Bug::present_after_sweep: return "present_after_sweep";
        case Bug::passed_over_for_ever: return "passed_over_for_ever";
        case Bug::called_twice_on_return: return "called_twice_on_return";
        case Bug::ahead_grows_after_missed_call: return "ahead_grows_after_missed_call";
        case Bug::called_for_ever: return "called_for_ever";
        case Bug::stream_brings_back_who_missed: return "stream_brings_back_who_missed";
        case Bug::count: break;
    }
    return "";
}

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
