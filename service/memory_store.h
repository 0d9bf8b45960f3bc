// MemoryStore: rooms in this process's memory and nowhere else.
#pragma once

#include "service/clock.h"
#include "service/store.h"

namespace anteroom {

class MemoryStore final : public Store {
  public:
    MemoryStore(const Clock& clock, Listener& listener) : clock_(clock), listener_(listener) {}

    void submit(HostedRoom& room, const Command& command, net::Loop*, OnOutcome done) override {
        thread_local Facts facts; // Kept for its capacity; never used across calls.
        Facts mine = std::move(facts);
        mine.clear();
        const HostedRoom::Applied applied = room.apply(command, clock_.now(), mine);
        if (!mine.empty()) listener_.happened(room, mine);
        if (applied.due) listener_.due(room, *applied.due);
        facts = std::move(mine);
        if (done) done(applied.outcome);
    }

  private:
    const Clock& clock_;
    Listener& listener_;
};

} // namespace anteroom
