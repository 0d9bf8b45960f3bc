#include "service/keeper.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "service/memory_store.h"

namespace anteroom {
namespace {

// Schedules rooms as Service does, and counts the ticks; a test may act before one.
struct TickedStore final : Store, StoreListener {
    TickedStore(const Clock& clock, Keeper*& keeper)
        : memory(clock, static_cast<StoreListener&>(*this)), keeper_(keeper) {}

    Result<void> load(Rooms&, Audit&) override { return {}; }
    void stop() override {}
    bool is_writable() const override { return true; }
    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                std::string_view who) override {
        const bool is_tick = std::holds_alternative<Tick>(command);
        if (is_tick && before_tick) before_tick();
        memory.submit(room, command, loop, std::move(done), who);
        if (!is_tick) return;
        ticks.fetch_add(1);
        ticks.notify_all();
    }
    void open_room(HostedRoom& room, const Settings& rules) override {
        memory.open_room(room, rules);
    }
    void remove_room(HostedRoom&, net::Loop*, net::Job) override {}
    void set_profile(HostedRoom&, Profile, net::Loop*, net::Job) override {}
    void note(const AuditEntry&) override {}

    void happened(HostedRoom&, std::span<const Fact>) override {}
    void due(HostedRoom& room, Instant at) override { keeper_->schedule(room, at); }

    void await_ticks(int count) const {
        for (int seen = ticks.load(); seen < count; seen = ticks.load()) ticks.wait(seen);
    }

    MemoryStore memory;
    std::function<void()> before_tick;
    std::atomic<int> ticks{0};

  private:
    Keeper*& keeper_;
};

struct KeeperTest : testing::Test {
    KeeperTest() {
        own = &keeper;
        rooms.make("r", {}, [&](HostedRoom& made) { store.open_room(made, {}); });
    }
    ~KeeperTest() override { keeper.stop(); }
    HostedRoom& room() { return *rooms.find("r"); }

    Clock clock;
    Quiet quiet{1};
    Rooms rooms{quiet, 10};
    Keeper* own = nullptr; // The store is made before the keeper.
    TickedStore store{clock, own};
    Keeper keeper{rooms, store, clock, quiet, 0, [](const std::shared_ptr<HostedRoom>&) {}};
};

TEST_F(KeeperTest, TicksARoomAtTheEarliestTimeThatWasAskedFor) {
    const Instant now = clock.now();
    keeper.schedule(room(), now + minutes(60));
    keeper.schedule(room(), now);
    keeper.schedule(room(), now + minutes(30)); // Later than what is set: nothing changes.
    keeper.start();
    store.await_ticks(1);
}

// While the keeper is about to tick, a command moves the deadline. The old time is gone by then, so
// the command's own time counts, and is not taken for one that is already set.
TEST_F(KeeperTest, ATimeThatIsAskedForWhileATickBeginsIsNotLost) {
    store.before_tick = [&] {
        if (store.ticks.load() > 0) return;
        std::thread([&] { keeper.schedule(room(), clock.now()); }).join();
    };
    keeper.schedule(room(), clock.now());
    keeper.start();
    store.await_ticks(2);
}

TEST_F(KeeperTest, ARoomThatWasRemovedIsNotScheduled) {
    const std::shared_ptr<HostedRoom> removed = rooms.remove("r");
    keeper.schedule(*removed, clock.now());
    rooms.make("s", {}, [&](HostedRoom& made) { store.open_room(made, {}); });
    keeper.forget(*removed);
    keeper.start();
    keeper.schedule(*rooms.find("s"), clock.now());
    store.await_ticks(1);
    keeper.stop();
    EXPECT_EQ(store.ticks.load(), 1);
}

TEST_F(KeeperTest, ThreadsThatScheduleAtOnceAgreeOnTheEarliestTime) {
    const Instant now = clock.now();
    std::latch begin{4};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            begin.arrive_and_wait();
            for (int i = 1'000; i >= 0; --i)
                keeper.schedule(room(), now + seconds(60 * i) + Millis{thread});
        });
    for (std::thread& thread : threads) thread.join();
    keeper.start();
    store.await_ticks(1);
}

} // namespace
} // namespace anteroom
