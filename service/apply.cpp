#include "service/apply.h"

namespace anteroom {

Applied apply_command(HostedRoom::Writing& writing, const Command& command, Instant now,
                      Settles settles, Facts facts) {
    Applied applied{.outcome = {}, .facts = std::move(facts), .due = {}};
    Unsettled& unsettled = writing.hosted().unsettled();
    if (settles == Settles::later) unsettled.changing();
    applied.outcome = writing.room().apply(command, now, applied.facts);
    if (settles == Settles::later) {
        unsettled.note(applied.facts);
        unsettled.changed();
    }
    applied.due = writing.room().next_deadline();
    return applied;
}

bool replay_facts(HostedRoom::Writing& writing, std::span<const Fact> facts) {
    Unsettled& unsettled = writing.hosted().unsettled();
    bool fits = true;
    unsettled.changing();
    for (std::size_t i = 0; fits && i < facts.size(); ++i) fits = writing.room().replay(facts[i]);
    unsettled.note(facts);
    unsettled.changed();
    return fits;
}

void settle_facts(HostedRoom& room, std::span<const Fact> facts, StoreListener& listener) {
    if (facts.empty()) return;
    room.unsettled().settled(facts);
    listener.happened(room, facts);
}

} // namespace anteroom
