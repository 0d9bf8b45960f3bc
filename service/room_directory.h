// RoomDirectory: which room has this id or this index. Finding takes no lock.
//
// Ids are spread over shards, each an immutable list; adding or removing a room publishes a new
// list for its shard alone. Indexes lie in an array of pages. So a change costs about as much with
// a thousand rooms as with one.
//
// Threads: find and at by any thread that holds a slot of Quiet; add and remove by one thread at a
// time. What was unlinked goes to Quiet.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "service/hosted_room.h"
#include "service/quiet.h"

namespace anteroom {

class RoomDirectory {
  public:
    explicit RoomDirectory(Quiet& quiet);
    ~RoomDirectory();
    RoomDirectory(const RoomDirectory&) = delete;
    RoomDirectory& operator=(const RoomDirectory&) = delete;

    // Null: there is none.
    HostedRoom* find(std::string_view id) const;
    HostedRoom* at(std::uint32_t index) const;

    // Takes the place of a room that has the same id or the same index.
    void add(HostedRoom& room);
    // Readers may still look at the room: it is kept for them.
    void remove(std::shared_ptr<HostedRoom> room);

    static constexpr std::uint32_t index_max = 65'535;

  private:
    struct Shard;
    struct Page;
    static constexpr std::size_t shards = 256;
    static constexpr std::size_t pages = 256;

    void publish(std::atomic<Shard*>& shard, std::unique_ptr<Shard> fresh);

    Quiet& quiet_;
    std::array<std::atomic<Shard*>, shards> by_id_{};  // Null: no room.
    std::array<std::atomic<Page*>, pages> by_index_{}; // Null: no room. Pages stay.
};

} // namespace anteroom
