#include "service/room_counters.h"

#include "base/overload.h"

namespace anteroom {

void RoomCounters::note(const Fact& fact) {
    const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
        counter.fetch_add(by, std::memory_order_relaxed);
    };
    std::visit(Overload{
                   [&](const Joined&) { add(joined); },
                   [&](const Called& call) {
                       add(called);
                       if (const auto off = probes_.called(call.number, fact.at)) {
                           add(wait_error_seconds, *off);
                           add(wait_error_count);
                       }
                   },
                   [&](const Missed&) { add(missed); },
                   [&](const Finished&) { add(finished); },
                   [&](const Left&) { add(left); },
                   [&](const Expired&) { add(expired); },
                   [](const auto&) {},
               },
               fact.what);
}

} // namespace anteroom
