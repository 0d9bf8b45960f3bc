// MemoryStore: rooms in this process's memory and nowhere else: for a store_url that begins with
// "memory:", and for tests.
#pragma once

#include "service/apply.h"
#include "service/clock.h"
#include "service/store.h"

namespace anteroom {

class MemoryStore final : public Store {
  public:
    MemoryStore(const Clock& clock, StoreListener& listener) : clock_(clock), listener_(listener) {}

    Result<void> load(Rooms&, Audit&) override { return {}; }
    void stop() override {}
    bool is_writable() const override { return true; }

    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
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
        deliver({.loop = loop, .done = std::move(done), .outcome = applied.outcome});
    }

    void open_room(HostedRoom& room, const Settings& rules) override {
        submit(room, Configure{rules}, nullptr, {}, {});
    }
    void remove_room(HostedRoom&, net::Loop* loop, net::Job done) override {
        tell(loop, std::move(done));
    }
    void set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) override {
        room.set_profile(std::move(profile));
        tell(loop, std::move(done));
    }
    void note(const AuditEntry&) override {}

  private:
    static void tell(net::Loop* loop, net::Job done) {
        if (done)
            deliver({.loop = loop, .done = [done = std::move(done)](const Outcome&) { done(); }});
    }

    const Clock& clock_;
    StoreListener& listener_;
};

} // namespace anteroom
