#include "service/room_directory.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/check.h"

namespace anteroom {

struct RoomDirectory::Shard {
    struct Slot {
        std::size_t hash;
        HostedRoom* room;
    };
    std::vector<Slot> slots; // In order of hashes.

    const Slot* find(std::size_t hash, std::string_view id) const {
        auto slot = std::lower_bound(slots.begin(), slots.end(), hash,
                                     [](const Slot& a, std::size_t b) { return a.hash < b; });
        for (; slot != slots.end() && slot->hash == hash; ++slot)
            if (slot->room->id() == id) return &*slot;
        return nullptr;
    }
    // The same without the room of this id, and with `room` if it is not null.
    std::unique_ptr<Shard> with(std::size_t hash, std::string_view id, HostedRoom* room) const {
        auto fresh = std::make_unique<Shard>();
        fresh->slots.reserve(slots.size() + 1);
        const Slot* without = find(hash, id);
        for (const Slot& slot : slots)
            if (&slot != without) fresh->slots.push_back(slot);
        if (!room) return fresh;
        const auto after =
            std::upper_bound(fresh->slots.begin(), fresh->slots.end(), hash,
                             [](std::size_t a, const Slot& b) { return a < b.hash; });
        fresh->slots.insert(after, {hash, room});
        return fresh;
    }
};

struct RoomDirectory::Page {
    static constexpr std::size_t size = 256;
    std::array<std::atomic<HostedRoom*>, size> rooms{};
};

RoomDirectory::RoomDirectory(Quiet& quiet) : quiet_(quiet) {
    static_assert(pages * Page::size == index_max + 1);
}

RoomDirectory::~RoomDirectory() {
    for (const auto& shard : by_id_) delete shard.load(std::memory_order_relaxed);
    for (const auto& page : by_index_) delete page.load(std::memory_order_relaxed);
}

HostedRoom* RoomDirectory::find(std::string_view id) const {
    const std::size_t hash = std::hash<std::string_view>{}(id);
    const Shard* shard = by_id_[hash % shards].load(std::memory_order_acquire);
    const Shard::Slot* slot = shard ? shard->find(hash, id) : nullptr;
    return slot ? slot->room : nullptr;
}

HostedRoom* RoomDirectory::at(std::uint32_t index) const {
    if (index > index_max) return nullptr;
    const Page* page = by_index_[index / Page::size].load(std::memory_order_acquire);
    return page ? page->rooms[index % Page::size].load(std::memory_order_acquire) : nullptr;
}

void RoomDirectory::add(HostedRoom& room) {
    CHECK(room.index() <= index_max);
    std::atomic<Page*>& page = by_index_[room.index() / Page::size];
    if (!page.load(std::memory_order_relaxed))
        page.store(std::make_unique<Page>().release(), std::memory_order_release);
    page.load(std::memory_order_relaxed)
        ->rooms[room.index() % Page::size]
        .store(&room, std::memory_order_release);

    const std::size_t hash = std::hash<std::string_view>{}(room.id());
    std::atomic<Shard*>& shard = by_id_[hash % shards];
    const Shard* old = shard.load(std::memory_order_relaxed);
    publish(shard, (old ? *old : Shard{}).with(hash, room.id(), &room));
}

void RoomDirectory::remove(std::shared_ptr<HostedRoom> room) {
    const std::size_t hash = std::hash<std::string_view>{}(room->id());
    std::atomic<Shard*>& shard = by_id_[hash % shards];
    if (find(room->id()) == room.get()) // Or another room has its id by now.
        publish(shard, shard.load(std::memory_order_relaxed)->with(hash, room->id(), nullptr));
    if (at(room->index()) == room.get())
        by_index_[room->index() / Page::size]
            .load(std::memory_order_relaxed)
            ->rooms[room->index() % Page::size]
            .store(nullptr, std::memory_order_release);
    Retired retired;
    retired.add(std::make_unique<std::shared_ptr<HostedRoom>>(std::move(room)));
    quiet_.retire(std::move(retired));
}

void RoomDirectory::publish(std::atomic<Shard*>& shard, std::unique_ptr<Shard> fresh) {
    std::unique_ptr<Shard> old(shard.exchange(fresh.release(), std::memory_order_acq_rel));
    if (!old) return;
    Retired retired;
    retired.add(std::move(old));
    quiet_.retire(std::move(retired));
}

} // namespace anteroom
