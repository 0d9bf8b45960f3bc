// CopyStore: every room of this process is a copy, and its writer is elsewhere: a second room that
// the adapters cannot see. A command goes to the writer; the copy hears of its facts unless the
// test says that it does not.
//
// Threads: any.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "service/apply.h"
#include "service/clock.h"
#include "service/store.h"

namespace anteroom {

// What the test says of the way to the writer.
struct CopyScript {
    std::atomic<bool> is_away{false};  // Commands do not reach the writer.
    std::atomic<bool> is_deaf{false};  // The copies do not hear of what the writer does.
    std::atomic<bool> may_have{false}; // A room that is not found may have been made elsewhere.
    std::atomic<int> asked{0};         // How often the writer was asked where a visitor stands.
};

class CopyStore final : public Store {
  public:
    CopyStore(const Clock& clock, StoreListener& listener, std::shared_ptr<CopyScript> script)
        : clock_(clock), listener_(listener), script_(std::move(script)) {}

    Result<void> load(Rooms& rooms, Audit&) override {
        rooms.take_indexes_from([this] { return std::optional(next_index_++); });
        return {};
    }
    void stop() override {}
    bool is_writable() const override { return !script_->is_away; }
    bool may_have(std::string_view) const override { return script_->may_have; }

    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                std::string_view) override {
        if (script_->is_away) return refuse({.loop = loop, .done = std::move(done)});
        if (std::holds_alternative<Touch>(command) || std::holds_alternative<Seek>(command))
            ++script_->asked;
        Applied applied;
        {
            const std::lock_guard lock(mutex_);
            {
                HostedRoom::Writing writing(*writers_.at(room.id()));
                applied = apply_command(writing, command, clock_.now(), Settles::at_once);
            }
            if (script_->is_deaf) applied.facts.clear();
            HostedRoom::Writing hearing(room);
            CHECK(replay_facts(hearing, applied.facts));
        }
        settle_facts(room, applied.facts, listener_);
        if (applied.due) listener_.due(room, *applied.due);
        deliver({.loop = loop, .done = std::move(done), .outcome = applied.outcome});
    }

    void open_room(HostedRoom& room, const Settings& rules) override {
        {
            const std::lock_guard lock(mutex_);
            writers_[room.id()] =
                std::make_shared<HostedRoom>(room.id(), room.index(), room.profile(), quiet_);
        }
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
    StoreListener& listener_;
    const std::shared_ptr<CopyScript> script_;
    std::atomic<std::uint32_t> next_index_{0};
    Quiet quiet_{1}; // Of the writers.
    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<std::string, std::shared_ptr<HostedRoom>, std::less<>> writers_;
};

} // namespace anteroom
