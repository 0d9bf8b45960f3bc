#include "service/hub.h"

#include <fmt/format.h>

namespace anteroom {
namespace {

// Sockets served in one go: between two slices the loop looks after everybody else.
constexpr std::size_t slice = 500;

} // namespace

void Hub::add(const std::shared_ptr<HostedRoom>& room, Number number, net::EventStream stream) {
    std::shared_ptr<Audience>& audience = audiences_[room.get()];
    if (!audience) audience = std::make_shared<Audience>(Audience{.room = room});
    const auto [event, state] = standing_event(*room, number, true);
    if (!stream.send(event)) return;
    if (const HostedRoom::PulseFrames pulse = room->pulse(); pulse.event) stream.send(pulse.event);

    std::uint32_t slot = 0;
    if (audience->free.empty()) {
        slot = static_cast<std::uint32_t>(audience->slots.size());
        audience->slots.emplace_back();
    } else {
        slot = audience->free.back();
        audience->free.pop_back();
    }
    audience->slots[slot] = std::make_unique<Subscriber>(Subscriber{number, std::move(stream)});
    audience->by_number.emplace(number, slot);
    room->streams.fetch_add(1, std::memory_order_relaxed);
    const std::weak_ptr<Audience> held = audience;
    audience->slots[slot]->stream.on_close([this, held, slot] {
        if (const std::shared_ptr<Audience> there = held.lock()) remove(*there, slot);
    });
    if (state != VisitorState::unknown && !is_live(state)) tell(*audience, slot);
}

void Hub::remove(Audience& audience, std::uint32_t slot) {
    if (!audience.slots[slot]) return;
    const auto [first, last] = audience.by_number.equal_range(audience.slots[slot]->number);
    for (auto entry = first; entry != last; ++entry) {
        if (entry->second != slot) continue;
        audience.by_number.erase(entry);
        break;
    }
    audience.slots[slot].reset();
    audience.free.push_back(slot);
    audience.room->streams.fetch_sub(1, std::memory_order_relaxed);
}

void Hub::broadcast(std::shared_ptr<HostedRoom> room, net::Frame frame) {
    loop_.post([this, room = std::move(room), frame = std::move(frame)] {
        const auto found = audiences_.find(room.get());
        if (found == audiences_.end()) return;
        const bool empty = found->second->by_number.empty();
        if (empty && room->removed.load(std::memory_order_acquire))
            audiences_.erase(found);
        else if (!empty)
            send_slice(found->second, frame, 0);
    });
}

void Hub::send_slice(std::shared_ptr<Audience> audience, net::Frame frame, std::size_t from) {
    const Instant now = clock_.now();
    const std::size_t end = std::min(audience->slots.size(), from + slice);
    for (std::size_t i = from; i < end; ++i) {
        Subscriber* subscriber = audience->slots[i].get();
        if (!subscriber) continue;
        // Who holds a stream open is there.
        audience->room->touch(subscriber->number, now);
        subscriber->stream.send(frame); // A dead one is removed by its on_close.
    }
    if (end == audience->slots.size()) return;
    loop_.soon([this, audience = std::move(audience), frame = std::move(frame), end]() mutable {
        send_slice(std::move(audience), std::move(frame), end);
    });
}

void Hub::notify(std::shared_ptr<HostedRoom> room,
                 std::shared_ptr<const std::vector<Number>> numbers) {
    loop_.post([this, room = std::move(room), numbers = std::move(numbers)] {
        const auto found = audiences_.find(room.get());
        if (found == audiences_.end()) return;
        const std::shared_ptr<Audience> audience = found->second;
        std::vector<std::uint32_t> slots;
        if (!numbers)
            for (const auto& [number, slot] : audience->by_number) slots.push_back(slot);
        for (std::size_t i = 0; numbers && i < numbers->size(); ++i) {
            const auto [first, last] = audience->by_number.equal_range((*numbers)[i]);
            for (auto entry = first; entry != last; ++entry) slots.push_back(entry->second);
        }
        for (const std::uint32_t slot : slots) tell(*audience, slot);
    });
}

void Hub::dismiss(std::shared_ptr<HostedRoom> room) {
    loop_.post([this, room = std::move(room)] {
        const auto found = audiences_.find(room.get());
        if (found == audiences_.end()) return;
        const std::shared_ptr<Audience> audience = found->second;
        audiences_.erase(found);
        for (std::uint32_t slot = 0; slot < audience->slots.size(); ++slot) {
            if (!audience->slots[slot]) continue;
            audience->slots[slot]->stream.close();
            remove(*audience, slot);
        }
    });
}

void Hub::tell(Audience& audience, std::uint32_t slot) {
    if (!audience.slots[slot]) return;
    Subscriber& subscriber = *audience.slots[slot];
    const auto [event, state] = standing_event(*audience.room, subscriber.number, false);
    if (state == VisitorState::unknown) return;
    subscriber.stream.send(event);
    if (is_live(state)) return;
    subscriber.stream.close();
    remove(audience, slot);
}

std::pair<net::Frame, VisitorState> Hub::standing_event(const HostedRoom& room, Number number,
                                                        bool first) {
    constexpr const char* retry = "retry: 2000\n";
    std::string standing;
    const VisitorState state = write_(room, number, standing);
    if (state == VisitorState::unknown) return {net::make_frame(std::string(retry) + "\n"), state};
    const char* event = !is_live(state) ? "ended" : is_inside(state) ? "called" : "standing";
    return {net::make_frame(fmt::format("{}event: {}\nid: {}\ndata: {}\n\n", first ? retry : "",
                                        first ? "standing" : event, ++event_id_, standing)),
            state};
}

} // namespace anteroom
