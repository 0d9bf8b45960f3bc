// MemoryStore: rooms in this process's memory and nowhere else. For tests of everything above it.
#pragma once

#include "service/apply.h"
#include "service/clock.h"
#include "service/store.h"

namespace anteroom {

class MemoryStore final : public Store {
  public:
    MemoryStore(const Clock& clock, Listener& listener) : clock_(clock), listener_(listener) {}

    Result<void> load(Rooms&, Audit&) override { return {}; }
    void stop() override {}
    bool is_writable() const override { return true; }

    void submit(HostedRoom& room, const Command& command, net::Loop*, OnOutcome done,
                std::string_view) override {
        thread_local Facts spare; // Kept for its capacity; `done` may submit again.
        Applied applied;
        {
            HostedRoom::Writing writing(room);
            applied =
                apply_command(writing, command, clock_.now(), Settles::at_once, std::move(spare));
        }
        if (!applied.facts.empty()) listener_.happened(room, applied.facts);
        if (applied.due) listener_.due(room, *applied.due);
        spare = std::move(applied.facts);
        spare.clear();
        if (done) done(applied.outcome);
    }

    void open_room(HostedRoom& room, const Settings& rules) override {
        submit(room, Configure{rules}, nullptr, {}, {});
    }
    void remove_room(HostedRoom&, net::Loop*, net::Job done) override {
        if (done) done();
    }
    void set_profile(HostedRoom& room, Profile profile, net::Loop*, net::Job done) override {
        room.set_profile(std::move(profile));
        if (done) done();
    }
    void note(const AuditEntry&) override {}

  private:
    const Clock& clock_;
    Listener& listener_;
};

} // namespace anteroom
