#include "service/rooms.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>

namespace anteroom {

struct Rooms::Snapshot {
    std::vector<std::shared_ptr<HostedRoom>> all; // In order of ids.
    boost::unordered_flat_map<std::string_view, HostedRoom*> by_id;
    boost::unordered_flat_map<std::uint32_t, HostedRoom*> by_index;

    explicit Snapshot(std::vector<std::shared_ptr<HostedRoom>> rooms) : all(std::move(rooms)) {
        std::sort(all.begin(), all.end(),
                  [](const auto& a, const auto& b) { return a->id() < b->id(); });
        for (const std::shared_ptr<HostedRoom>& room : all) {
            by_id.emplace(room->id(), room.get());
            by_index.emplace(room->index(), room.get());
        }
    }
};

Rooms::Rooms(Quiet& quiet, std::size_t rooms_max)
    : quiet_(quiet), rooms_max_(rooms_max), snapshot_(new Snapshot({})) {}

Rooms::~Rooms() {
    delete snapshot_.load(std::memory_order_relaxed);
}

HostedRoom* Rooms::find(std::string_view id) const {
    const Snapshot* snapshot = snapshot_.load(std::memory_order_acquire);
    const auto found = snapshot->by_id.find(id);
    return found == snapshot->by_id.end() ? nullptr : found->second;
}

HostedRoom* Rooms::at(std::uint32_t index) const {
    const Snapshot* snapshot = snapshot_.load(std::memory_order_acquire);
    const auto found = snapshot->by_index.find(index);
    return found == snapshot->by_index.end() ? nullptr : found->second;
}

std::shared_ptr<HostedRoom> Rooms::share(std::string_view id) const {
    const std::lock_guard lock(writing_);
    const HostedRoom* room = find(id);
    for (const auto& shared : snapshot_.load(std::memory_order_relaxed)->all)
        if (shared.get() == room) return shared;
    return nullptr;
}

std::vector<std::shared_ptr<HostedRoom>> Rooms::all() const {
    const std::lock_guard lock(writing_);
    return snapshot_.load(std::memory_order_relaxed)->all;
}

std::size_t Rooms::count() const {
    return snapshot_.load(std::memory_order_acquire)->all.size();
}

Rooms::Made Rooms::make(std::string_view id, const Profile& profile, const Prepare& prepare) {
    CHECK(is_room_id(id));
    const std::lock_guard lock(writing_);
    Snapshot* old = snapshot_.load(std::memory_order_relaxed);
    for (const auto& shared : old->all)
        if (shared->id() == id) return {.room = shared};
    if (old->all.size() >= rooms_max_) return {};
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
    std::vector<std::shared_ptr<HostedRoom>> rooms = snapshot_.load(std::memory_order_relaxed)->all;
    const auto found = std::find_if(rooms.begin(), rooms.end(),
                                    [&](const auto& there) { return there->id() == room->id(); });
    std::shared_ptr<HostedRoom> old;
    if (found == rooms.end()) {
        rooms.push_back(room);
    } else {
        old = std::exchange(*found, room);
        old->mark_removed();
    }
    publish(std::make_unique<Snapshot>(std::move(rooms)));
    next_index_ = std::max(next_index_, room->index() + 1);
    return old;
}

void Rooms::add(std::shared_ptr<HostedRoom> room) {
    std::vector<std::shared_ptr<HostedRoom>> rooms = snapshot_.load(std::memory_order_relaxed)->all;
    rooms.push_back(std::move(room));
    publish(std::make_unique<Snapshot>(std::move(rooms)));
}

std::shared_ptr<HostedRoom> Rooms::remove(std::string_view id) {
    const std::lock_guard lock(writing_);
    std::vector<std::shared_ptr<HostedRoom>> rooms = snapshot_.load(std::memory_order_relaxed)->all;
    const auto found = std::find_if(rooms.begin(), rooms.end(),
                                    [&](const auto& room) { return room->id() == id; });
    if (found == rooms.end()) return nullptr;
    std::shared_ptr<HostedRoom> room = *found;
    room->mark_removed();
    rooms.erase(found);
    publish(std::make_unique<Snapshot>(std::move(rooms)));
    return room;
}

void Rooms::publish(std::unique_ptr<Snapshot> fresh) {
    Retired retired;
    retired.add(
        std::unique_ptr<Snapshot>(snapshot_.exchange(fresh.release(), std::memory_order_acq_rel)));
    quiet_.retire(std::move(retired));
}

} // namespace anteroom
