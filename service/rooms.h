// Rooms: the rooms of this process, found by id or index without a lock.
//
// Creating or removing a room costs the same however many there are (room_directory.h).
//
// Threads: find, find_shared and at need a slot of Quiet and take no lock; what find and at return
// is good until the slot's next quiet point, what find_shared returns for longer. Everything else
// may be called by any thread and takes the mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "service/hosted_room.h"
#include "service/quiet.h"
#include "service/room_directory.h"

namespace anteroom {

namespace limits {
inline constexpr std::size_t rooms_max = 1'000; // Configurable; tickets can tell 65 536 apart.
inline constexpr std::uint32_t room_index_max = RoomDirectory::index_max;
} // namespace limits

class Rooms {
  public:
    Rooms(Quiet& quiet, std::size_t rooms_max);
    Rooms(const Rooms&) = delete;
    Rooms& operator=(const Rooms&) = delete;

    HostedRoom* find(std::string_view id) const { return directory_.find(id); }
    std::shared_ptr<HostedRoom> find_shared(std::string_view id) const;
    HostedRoom* at(std::uint32_t index) const { return directory_.at(index); }
    // As find_shared(), without a slot of Quiet.
    std::shared_ptr<HostedRoom> share(std::string_view id) const;
    std::vector<std::shared_ptr<HostedRoom>> all() const; // In order of ids.
    std::size_t count() const { return count_.load(std::memory_order_relaxed); }

    // The room of this id, made if it was not there; null when there are too many. `prepare` sees a
    // new one before anybody can find it. REQUIRES: is_room_id(id).
    struct Made {
        std::shared_ptr<HostedRoom> room;
        bool is_new = false;
    };
    using Prepare = UniqueFunction<void(HostedRoom&)>;
    Made make(std::string_view id, const Profile& profile, const Prepare& prepare = {});
    // A room of an earlier life, with the index that its tickets name. Null: there is one already.
    std::shared_ptr<HostedRoom> bring_back(std::string_view id, std::uint32_t index,
                                           const Profile& profile);
    // New rooms get this index or a higher one.
    void continue_at(std::uint32_t index);
    // For rooms that several processes share: the function that hands out indexes which no other
    // process has. Returns nothing if there is none at the moment.
    using NextIndex = UniqueFunction<std::optional<std::uint32_t>()>;
    void take_indexes_from(NextIndex next);
    // Whether another process may have made the room of this index a moment ago: it is higher than
    // any that was heard of here.
    bool may_come(std::uint32_t index) const;

    // draft() makes a room that find() does not know before show(). show() replaces the room with
    // the same id, and returns that one, now removed, or null.
    std::shared_ptr<HostedRoom> draft(std::string_view id, std::uint32_t index,
                                      const Profile& profile);
    std::shared_ptr<HostedRoom> show(const std::shared_ptr<HostedRoom>& room);
    // The room that was removed, or null.
    std::shared_ptr<HostedRoom> remove(std::string_view id);

  private:
    // By the id that the room holds.
    using ById = std::map<std::string_view, std::shared_ptr<HostedRoom>>;
    void add(const std::shared_ptr<HostedRoom>& room);
    void leave_directory(const std::shared_ptr<HostedRoom>& room);

    Quiet& quiet_;
    const std::size_t rooms_max_;
    RoomDirectory directory_;
    std::atomic<std::size_t> count_{0};
    mutable std::mutex writing_; // Guards all that follows, and changes of the directory.
    ById rooms_;
    std::uint32_t next_index_ = 0; // Above all that are known.
    NextIndex next_index_from_;
};

} // namespace anteroom
