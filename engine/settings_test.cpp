#include "engine/settings.h"

#include <gtest/gtest.h>

#include <functional>

#include "engine/test_world.h"

namespace anteroom {
namespace {

struct Impossible {
    const char* what;
    std::function<void(Settings&)> make;
    Reason reason;
};

const Impossible impossible[] = {
    {"negative capacity", [](Settings& s) { s.capacity = -1; }, Reason::bad_capacity},
    {"capacity of 2^32", [](Settings& s) { s.capacity = 0x1'0000'0000; }, Reason::bad_capacity},
    {"batch of nobody", [](Settings& s) { s.admit_batch = 0; }, Reason::bad_batch},
    {"negative outer batch", [](Settings& s) { s.outer_batch = -5; }, Reason::bad_batch},
    {"interval 0", [](Settings& s) { s.admit_interval = Millis{0}; }, Reason::bad_interval},
    {"negative interval", [](Settings& s) { s.admit_interval = Millis{-1}; }, Reason::bad_interval},
    {"outer interval 0", [](Settings& s) { s.outer_interval = Millis{0}; }, Reason::bad_interval},
    {"sweep interval 0", [](Settings& s) { s.sweep_interval = Millis{0}; }, Reason::bad_interval},
    {"interval of a day", [](Settings& s) { s.admit_interval = hours(24); }, Reason::bad_interval},
    {"negative rate", [](Settings& s) { s.rate_milli = -1; }, Reason::bad_rate},
    {"absurd rate", [](Settings& s) { s.rate_milli = INT64_MAX; }, Reason::bad_rate},
    {"no lease", [](Settings& s) { s.lease = Millis{0}; }, Reason::bad_lease},
    {"maximum below the lease", [](Settings& s) { s.lease_max = seconds(1); }, Reason::bad_lease},
    {"negative claim window", [](Settings& s) { s.claim_window = Millis{-1}; }, Reason::bad_lease},
    {"a lease that never starts",
     [](Settings& s) {
         s.lease_start = LeaseStart::at_claim;
         s.claim_window = Millis{0};
     },
     Reason::bad_lease},
    {"negative minimum wait", [](Settings& s) { s.wait_min = Millis{-1}; }, Reason::bad_wait},
    {"idle 0", [](Settings& s) { s.idle = Millis{0}; }, Reason::bad_wait},
    {"negative grace", [](Settings& s) { s.leave_grace = Millis{-1}; }, Reason::bad_wait},
    {"negative memory", [](Settings& s) { s.ended_memory = Millis{-1}; }, Reason::bad_wait},
    {"outer lifetime 0", [](Settings& s) { s.outer_lifetime = Millis{0}; }, Reason::bad_wait},
    {"idle of a thousand years", [](Settings& s) { s.idle = hours(9'000'000); }, Reason::bad_wait},
    {"negative called_max", [](Settings& s) { s.called_max = -1; }, Reason::bad_limit},
    {"negative waiting_max", [](Settings& s) { s.waiting_max = -1; }, Reason::bad_limit},
    {"no lane", [](Settings& s) { s.lanes = 0; }, Reason::bad_lanes},
    {"nine lanes", [](Settings& s) { s.lanes = 9; }, Reason::bad_lanes},
};

TEST(Settings, ImpossibleOnesAreRefusedWithAReasonAndChangeNothing) {
    for (const Impossible& row : impossible) {
        World world;
        const std::uint64_t before = world.room.digest();
        Settings settings;
        row.make(settings);
        EXPECT_EQ(world.refusal(Configure{settings}), row.reason) << row.what;
        EXPECT_EQ(world.room.digest(), before) << row.what;
        EXPECT_NE(std::string(name(row.reason)), "");
    }
}

TEST(Settings, ALaneCannotBeTakenAwayFromThoseWhoStandInIt) {
    Settings settings;
    settings.capacity = 0;
    settings.lanes = 3;
    World world(settings);
    const Number last = world.join("ann", 2);
    settings.lanes = 2;
    EXPECT_EQ(world.refusal(Configure{settings}), Reason::lane_in_use);
    world.apply(Leave{last});
    EXPECT_EQ(world.refusal(Configure{settings}), Reason::lane_in_use); // May still come back.
    world.pass(settings.leave_grace);
    EXPECT_EQ(world.refusal(Configure{settings}), Reason::none);
}

} // namespace
} // namespace anteroom
