// Rooms: the rooms of this process, found by id or index without a lock.
//
// The directory is an immutable snapshot; creating or removing a room publishes a new one. Rooms
// are few (thousands) and change seldom; they are looked up with every request.
//
// Threads: find and at need a slot of Quiet; what they return is good until the slot's next quiet
// point. share() keeps a room for longer.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/unique_function.h"
#include "service/hosted_room.h"
#include "service/quiet.h"

namespace anteroom {

namespace limits {
inline constexpr std::size_t rooms_max = 1'000; // Configurable; tickets can tell 65 536 apart.
inline constexpr std::uint32_t room_index_max = 65'535;
} // namespace limits

class Rooms {
  public:
    Rooms(Quiet& quiet, std::size_t rooms_max);
    ~Rooms();
    Rooms(const Rooms&) = delete;
    Rooms& operator=(const Rooms&) = delete;

    HostedRoom* find(std::string_view id) const;
    HostedRoom* at(std::uint32_t index) const;
    std::shared_ptr<HostedRoom> share(std::string_view id) const;
    std::vector<std::shared_ptr<HostedRoom>> all() const; // In order of ids.
    std::size_t count() const;

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
    // Where the rooms of several processes share the indexes: who gives them out. Nothing: there
    // is none to be had now.
    using NextIndex = UniqueFunction<std::optional<std::uint32_t>()>;
    void take_indexes_from(NextIndex next);
    // Whether another process may have made the room of this index a moment ago: it is higher than
    // any that was heard of here.
    bool may_come(std::uint32_t index) const;

    // A room that nobody can find before show(): it takes the place of the one with its id. Returns
    // that one, now removed, or null.
    std::shared_ptr<HostedRoom> draft(std::string_view id, std::uint32_t index,
                                      const Profile& profile);
    std::shared_ptr<HostedRoom> show(const std::shared_ptr<HostedRoom>& room);
    // The room that was removed, or null.
    std::shared_ptr<HostedRoom> remove(std::string_view id);

  private:
    struct Snapshot;
    void publish(std::unique_ptr<Snapshot> fresh);
    void add(std::shared_ptr<HostedRoom> room);

    Quiet& quiet_;
    const std::size_t rooms_max_;
    std::atomic<Snapshot*> snapshot_;
    mutable std::mutex writing_;
    std::uint32_t next_index_ = 0; // Above all that are known. Guarded by writing_, as is the next.
    NextIndex next_index_from_;
};

} // namespace anteroom
