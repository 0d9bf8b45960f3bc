#include "service/rooms.h"

#include <algorithm>
#include <utility>

namespace anteroom {

Rooms::Rooms(Quiet& quiet, std::size_t rooms_max)
    : quiet_(quiet), rooms_max_(rooms_max), directory_(quiet) {}

// A room that is removed at this moment lives until the caller's next quiet point, so that the
// weak_ptr can be locked.
std::shared_ptr<HostedRoom> Rooms::find_shared(std::string_view id) const {
    HostedRoom* room = find(id);
    return room ? room->weak_from_this().lock() : nullptr;
}

std::shared_ptr<HostedRoom> Rooms::share(std::string_view id) const {
    const std::lock_guard lock(writing_);
    const auto found = rooms_.find(id);
    return found == rooms_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<HostedRoom>> Rooms::all() const {
    const std::lock_guard lock(writing_);
    std::vector<std::shared_ptr<HostedRoom>> all;
    all.reserve(rooms_.size());
    for (const auto& [id, room] : rooms_) all.push_back(room);
    return all;
}

Rooms::Made Rooms::make(std::string_view id, const Profile& profile, const Prepare& prepare) {
    CHECK(is_room_id(id));
    const std::lock_guard lock(writing_);
    if (const auto found = rooms_.find(id); found != rooms_.end()) return {.room = found->second};
    if (rooms_.size() >= rooms_max_) return {};
    const std::optional<std::uint32_t> index =
        next_index_from_ ? next_index_from_() : std::optional(next_index_++);
    if (!index || *index > limits::room_index_max) return {};
    next_index_ = std::max(next_index_, *index + 1);
    auto room = std::make_shared<HostedRoom>(std::string(id), *index, profile, quiet_);
    if (prepare) prepare(*room);
    add(room);
    return {.room = std::move(room), .is_new = true};
}

std::shared_ptr<HostedRoom> Rooms::bring_back(std::string_view id, std::uint32_t index,
                                              const Profile& profile) {
    const std::lock_guard lock(writing_);
    if (find(id) || at(index)) return nullptr;
    auto room = std::make_shared<HostedRoom>(std::string(id), index, profile, quiet_);
    add(room);
    next_index_ = std::max(next_index_, index + 1);
    return room;
}

void Rooms::continue_at(std::uint32_t index) {
    const std::lock_guard lock(writing_);
    next_index_ = std::max(next_index_, index);
}

void Rooms::take_indexes_from(NextIndex next) {
    const std::lock_guard lock(writing_);
    next_index_from_ = std::move(next);
}

bool Rooms::may_come(std::uint32_t index) const {
    const std::lock_guard lock(writing_);
    return next_index_from_ && index >= next_index_;
}

std::shared_ptr<HostedRoom> Rooms::draft(std::string_view id, std::uint32_t index,
                                         const Profile& profile) {
    return std::make_shared<HostedRoom>(std::string(id), index, profile, quiet_);
}

std::shared_ptr<HostedRoom> Rooms::show(const std::shared_ptr<HostedRoom>& room) {
    const std::lock_guard lock(writing_);
    auto old = rooms_.extract(room->id()); // Its key is a view of the old room's id.
    add(room);                             // First: a reader finds one of the two at any time.
    if (!old.empty()) leave_directory(old.mapped());
    next_index_ = std::max(next_index_, room->index() + 1);
    return old.empty() ? nullptr : std::move(old.mapped());
}

void Rooms::add(const std::shared_ptr<HostedRoom>& room) {
    rooms_.emplace(room->id(), room);
    directory_.add(*room);
    count_.store(rooms_.size(), std::memory_order_relaxed);
}

std::shared_ptr<HostedRoom> Rooms::remove(std::string_view id) {
    const std::lock_guard lock(writing_);
    const auto found = rooms_.find(id);
    if (found == rooms_.end()) return nullptr;
    std::shared_ptr<HostedRoom> room = std::move(found->second);
    rooms_.erase(found);
    count_.store(rooms_.size(), std::memory_order_relaxed);
    leave_directory(room);
    return room;
}

void Rooms::leave_directory(const std::shared_ptr<HostedRoom>& room) {
    room->mark_removed();
    directory_.remove(room);
}

} // namespace anteroom
