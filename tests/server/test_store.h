// A store that can be away: rooms in memory, and commands refused for as long as the test says.
#pragma once

#include <atomic>
#include <memory>

#include "service/memory_store.h"

namespace anteroom {

class FlakyStore final : public Store {
  public:
    FlakyStore(const Clock& clock, StoreListener& listener,
               std::shared_ptr<std::atomic<bool>> is_away, bool is_unnoticed)
        : memory_(clock, listener), is_away_(std::move(is_away)), is_unnoticed_(is_unnoticed) {}

    Result<void> load(Rooms& rooms, Audit& audit) override { return memory_.load(rooms, audit); }
    void stop() override {}
    bool is_writable() const override { return is_unnoticed_ || !*is_away_; }
    bool may_have(std::string_view) const override { return *is_away_; }
    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                std::string_view who) override {
        if (!*is_away_) return memory_.submit(room, command, loop, std::move(done), who);
        if (done) done(Refused{Reason::unavailable});
    }
    void open_room(HostedRoom& room, const Settings& rules) override {
        memory_.open_room(room, rules);
    }
    void remove_room(HostedRoom& room, net::Loop* loop, net::Job done) override {
        memory_.remove_room(room, loop, std::move(done));
    }
    void set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) override {
        memory_.set_profile(room, std::move(profile), loop, std::move(done));
    }
    void note(const AuditEntry& entry) override { memory_.note(entry); }

  private:
    MemoryStore memory_;
    std::shared_ptr<std::atomic<bool>> is_away_;
    const bool is_unnoticed_;
};

} // namespace anteroom
