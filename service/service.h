// Service: the rooms of this process with everything that keeps them going. What the adapters talk
// to.
//
//   find / make_room   which room is meant
//   submit             a command for it; the answer comes when it is durable
//   hub                the event streams of a loop
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/job.h"
#include "service/audit.h"
#include "service/clock.h"
#include "service/hub.h"
#include "service/keeper.h"
#include "service/quiet.h"
#include "service/rooms.h"
#include "service/store.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom {

struct ServiceOptions {
    RoomSettings defaults; // Of a room that is created by first use.
    bool create_on_first_use = true;
    // Rooms that have settings of their own, whoever comes first, and are created by first use in
    // any case.
    std::map<std::string, RoomSettings, std::less<>> named = {};
    // Ids of rooms that are made by operators only, whatever is said of first use.
    std::function<bool(std::string_view id)> is_reserved = {};
    std::size_t rooms_max = limits::rooms_max;
    std::size_t loops = 1;
};

class Service final : public StoreListener {
  public:
    using MakeStore = UniqueFunction<std::unique_ptr<Store>(const Clock&, StoreListener&)>;

    // Without `make_store` rooms live in memory only.
    explicit Service(ServiceOptions options, const MakeStore& make_store = {});
    ~Service() override;
    // Before start(): brings back what the store kept.
    Result<void> load();

    // Before start(): a loop that serves requests. Its slot is its number, from 0.
    void attach(std::size_t slot, net::Loop& loop);
    void start();
    void stop();  // After it nobody is called any more; loops may still answer.
    void close(); // After the loops have ended.

    const Clock& clock() const { return clock_; }
    const ServiceOptions& options() const { return options_; }
    Rooms& rooms() { return rooms_; }
    Audit& audit() { return audit_; }
    Hub& hub(std::size_t slot) { return *hubs_[slot]; }
    Quiet& quiet() { return quiet_; }

    // The room of this id; made with `usual` settings if rooms may be created by first use. Null:
    // there is none, or there are too many. Takes no lock if the room is there.
    // REQUIRES: is_room_id(id), and a slot of Quiet, as Rooms::find_shared.
    std::shared_ptr<HostedRoom> find_or_make(std::string_view id, const RoomSettings& usual);
    std::shared_ptr<HostedRoom> find_or_make(std::string_view id) {
        return find_or_make(id, options_.defaults);
    }
    // Those of a room of this id that is yet to be made.
    const RoomSettings& settings_for(std::string_view id) const;
    Rooms::Made make_room(std::string_view id, const RoomSettings& settings);
    // Runs `done` on `loop`'s thread when it is durable, also when there is no such room.
    void remove_room(std::string_view id, net::Loop* loop, net::Job done);

    bool is_writable() const { return store_->is_writable(); }
    // Of a room that rooms() does not find: as Store::may_have.
    bool may_have(std::string_view id) const { return store_->may_have(id); }
    void submit(HostedRoom& room, const Command& command, net::Loop* loop, OnOutcome done,
                std::string_view who = {}) {
        store_->submit(room, command, loop, std::move(done), who);
    }
    // A sign of life that nobody waits for an answer to.
    void see(HostedRoom& room, Number number) {
        const bool is_seen = room.touch(number, clock_.now());
        const bool waits = room.view().standing(number).state == VisitorState::waiting;
        if (!is_seen && waits) submit(room, Touch{.number = number}, nullptr, {});
    }
    void set_profile(HostedRoom& room, Profile profile, net::Loop* loop, net::Job done) {
        store_->set_profile(room, std::move(profile), loop, std::move(done));
    }
    void note(AuditEntry entry);

    // A visitor's stream of this number has begun, on whichever loop.
    void supersede_streams(const std::shared_ptr<HostedRoom>& room, Number number,
                           std::uint64_t newer);

    // Makes the room's pulse now, and sends it if there is news in it.
    void publish(const std::shared_ptr<HostedRoom>& room);

    void happened(HostedRoom& room, std::span<const Fact> facts) override;
    void due(HostedRoom& room, Instant at) override { keeper_.schedule(room, at); }
    void gone(HostedRoom& room) override;

  private:
    const ServiceOptions options_;
    Clock clock_;
    Quiet quiet_;
    Rooms rooms_;
    Audit audit_;
    std::vector<std::unique_ptr<Hub>> hubs_;
    std::unique_ptr<Store> store_;
    Keeper keeper_;
};

} // namespace anteroom
