// One process with its rooms on some store, without a server around it: what a store must do can be
// asked of it command by command.
#pragma once

#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/testing.h"
#include "service/clock.h"
#include "service/rooms.h"
#include "service/store.h"

namespace anteroom::contract {

class Process final : public StoreListener {
  public:
    using MakeStore = UniqueFunction<std::unique_ptr<Store>(const Clock&, StoreListener&)>;

    // Awaits something that is not null, and of which no listener hears: what Redis holds, or a
    // room that was made elsewhere.
    template <class Look>
    static auto eventually(Look look) {
        decltype(look()) found{};
        CHECK(net::testing::eventually([&] { return bool(found = look()); }));
        return found;
    }

    explicit Process(const MakeStore& make_store) : store_(make_store(clock_, *this)) {
        quiet_.online(0);
        const Result<void> loaded = store_->load(rooms_, audit_);
        fault_ = loaded ? "" : loaded.fault().reason;
    }
    ~Process() override {
        store_->stop();
        store_.reset();
        quiet_.offline(0);
    }

    // Why the store could not be loaded; empty: it was.
    const std::string& fault() const { return fault_; }
    Store& store() { return *store_; }
    Rooms& rooms() { return rooms_; }
    const Clock& clock() const { return clock_; }

    std::shared_ptr<HostedRoom> make(std::string_view id, const RoomSettings& settings = {}) {
        return rooms_
            .make(id, settings.profile,
                  [&](HostedRoom& room) { store_->open_room(room, settings.rules); })
            .room;
    }
    // The room as this process has it now; made elsewhere, it comes in a moment.
    std::shared_ptr<HostedRoom> room(std::string_view id) {
        return eventually([&] { return rooms_.share(id); });
    }

    // The outcome, when it is settled.
    Outcome ask(std::string_view id, const Command& command, std::string_view who = {}) {
        std::promise<Outcome> done;
        std::future<Outcome> outcome = done.get_future();
        const std::shared_ptr<HostedRoom> held = room(id);
        store_->submit(
            *held, command, nullptr, [&](const Outcome& told) { done.set_value(told); }, who);
        return outcome.get();
    }
    // The same, again and again while the store says that it cannot now.
    Outcome insist(std::string_view id, const Command& command, std::string_view who = {}) {
        return *eventually([&]() -> std::shared_ptr<Outcome> {
            Outcome outcome = ask(id, command, who);
            const auto* refused = std::get_if<Refused>(&outcome);
            if (refused && refused->reason == Reason::unavailable) return nullptr;
            return std::make_shared<Outcome>(std::move(outcome));
        });
    }

    std::uint64_t digest(std::string_view id) {
        const std::shared_ptr<HostedRoom> held = room(id);
        HostedRoom::Writing writing(*held);
        return writing.room().digest();
    }
    std::uint64_t sequence(std::string_view id) {
        const std::shared_ptr<HostedRoom> held = room(id);
        HostedRoom::Writing writing(*held);
        return writing.room().sequence();
    }

    // Awaits so many facts of a room; all that were told, in order.
    Facts await_heard(std::string_view id, std::size_t count) {
        std::unique_lock lock(mutex_);
        const Facts& facts = heard_[std::string(id)];
        const bool came =
            told_.wait_for(lock, std::chrono::minutes(1), [&] { return facts.size() >= count; });
        CHECK(came);
        return facts;
    }

    void happened(HostedRoom& room, std::span<const Fact> facts) override {
        const std::lock_guard lock(mutex_);
        Facts& all = heard_[room.id()];
        all.insert(all.end(), facts.begin(), facts.end());
        told_.notify_all();
    }
    void due(HostedRoom&, Instant) override {}

  private:
    Clock clock_;
    Quiet quiet_{1};
    Rooms rooms_{quiet_, 1'000};
    Audit audit_;
    std::mutex mutex_;
    std::condition_variable told_;
    std::map<std::string, Facts> heard_; // Guarded by mutex_.
    std::unique_ptr<Store> store_;
    std::string fault_;
};

} // namespace anteroom::contract
