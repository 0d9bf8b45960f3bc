// RedisStore: rooms that several processes share, on a Redis 7 server or Cluster.
//
// Every process has a copy of every room, and one of them writes it (room_log.h). Polls are
// answered from the copy and do not reach Redis.
//
// Threads: one of its own, with its own loop, does everything that concerns Redis.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "net/loop.h"
#include "service/clock.h"
#include "service/store.h"
#include "store/redis/client.h"
#include "store/shared/redis_options.h"
#include "store/shared/room_log.h"

namespace anteroom::shared {

// For /metrics; any thread.
struct RedisFigures {
    bool is_writable = false; // Redis, and every room that this process writes.
    std::uint64_t rooms = 0;
    std::uint64_t rooms_written = 0;      // By this process.
    std::uint64_t rooms_unreplicated = 0; // Of these: no replica confirms what is written.
    std::int64_t age_ms_max = 0;          // Of the oldest copy.
    std::int64_t skew_ms = 0;
    std::int64_t commits = 0, facts = 0, asks = 0, followed = 0, reloads = 0, snapshots = 0;
};

class RedisStore final : public Store, private LogContext::Owner {
  public:
    RedisStore(const Clock& clock, StoreListener& listener, RedisOptions options);
    ~RedisStore() override;

    Result<void> load(Rooms& rooms, Audit& audit) override;
    void stop() override;
    bool is_writable() const override { return is_writable_.load(std::memory_order_relaxed); }
    bool may_have(std::string_view id) const override;
    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                std::string_view who) override;
    void open_room(HostedRoom& room, const Settings& rules) override;
    void remove_room(HostedRoom& room, net::Loop* loop, net::Job done) override;
    void set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) override;
    void note(const AuditEntry& entry) override;

    RedisFigures figures() const;
    const redis::Counters& counters() const { return client_->counters(); }

  private:
    // Called by the rooms' logs, on the loop's thread.
    void on_live(HostedRoom& room) override;
    void on_lost(HostedRoom& room) override;
    void on_gone(HostedRoom& room) override;
    void on_opened(HostedRoom& room) override;

    void say(const std::string& line);
    void on_refused(const std::string& why);
    Result<void> check_keys();
    void read_registry();
    void on_registry(const CallResult& answer, Instant asked);
    void compare_registry(const std::vector<Reply>& ids_and_indexes);
    void enroll(const HostedRoom& room);
    void load_room(const std::string& id, std::uint32_t index);
    void begin_load(const std::string& id, std::uint32_t index);
    void watch(const std::shared_ptr<HostedRoom>& room);
    void look_after();
    void read_audit();
    void reserve_indexes();
    std::optional<std::uint32_t> next_index();

    const Clock& clock_;
    StoreListener& listener_;
    RedisOptions options_;
    Rooms* rooms_ = nullptr;
    Audit* audit_ = nullptr;

    net::Loop loop_;
    std::unique_ptr<Client> client_;
    std::unique_ptr<LogContext> context_;
    net::Alarm beat_;
    std::thread thread_;
    std::atomic<bool> is_writable_{false};

    // Of the loop's thread.
    std::map<std::string, std::shared_ptr<HostedRoom>> logs_; // Every room that has a log.
    std::string registry_version_ = "-";
    bool reads_registry_ = false;
    std::string last_audit_ = "0";
    bool reads_audit_ = false;
    std::uint64_t beats_ = 0;
    std::size_t next_look_ = 0;
    bool reserves_ = false;
    std::map<std::string, std::uint32_t> losses_; // In a row, by room.
    std::vector<net::Alarm> delayed_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::uint32_t> indexes_;         // Guarded by mutex_, as all that follows.
    std::set<std::string, std::less<>> loading_; // Rooms that have not been shown yet.
    bool registry_read_ = false;
    Instant registry_fresh_{}; // Rooms registered before this time are known here.
    std::string last_said_;
    std::string refusal_; // The last error with which Redis refused a command.
    RedisFigures figures_;
};

} // namespace anteroom::shared
