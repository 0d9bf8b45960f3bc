#include "service/hub.h"

#include <fmt/format.h>

#include "net/loop.h"

namespace anteroom {
namespace {

// Sockets served in one go: between two slices the loop looks after everybody else.
constexpr std::size_t slice = 500;

} // namespace

// The standing as JSON, the pulse as it is.
class Hub::OwnWords final : public StreamWords {
  public:
    explicit OwnWords(Hub& hub) : hub_(hub) {}

    Said begin(const HostedRoom& room, Number number, Instant) override {
        constexpr const char* retry = "retry: 2000\n";
        std::string standing;
        const VisitorState state = hub_.write_(room, number, standing);
        if (state == VisitorState::unknown) return {net::make_frame(std::string(retry) + "\n")};
        std::string text = retry + event("standing", standing);
        const bool over = !is_live(state);
        if (over) text += event("ended", standing);
        return {net::make_frame(std::move(text)), over};
    }

    Said news(const HostedRoom& room, Number number, Instant) override {
        std::string standing;
        const VisitorState state = hub_.write_(room, number, standing);
        if (state == VisitorState::unknown) return {};
        const bool over = !is_live(state);
        const char* name = over ? "ended" : is_inside(state) ? "called" : "standing";
        return {net::make_frame(event(name, standing)), over};
    }

    Said beat(const HostedRoom&, Number, const net::Frame& pulse, Instant) override {
        return {pulse};
    }

  private:
    std::string event(const char* name, std::string_view standing) {
        return fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, ++event_id_, standing);
    }

    Hub& hub_;
    std::uint64_t event_id_ = 0;
};

Hub::Hub(net::Loop& loop, const Clock& clock)
    : loop_(loop), clock_(clock), own_words_(std::make_shared<OwnWords>(*this)) {}

std::uint64_t Hub::add(const std::shared_ptr<HostedRoom>& room, Number number,
                       net::EventStream stream, std::shared_ptr<StreamWords> words) {
    std::shared_ptr<Audience>& audience = audiences_[room.get()];
    if (!audience) audience = std::make_shared<Audience>(Audience{.room = room});
    const std::uint64_t begun = room->streams_begun.fetch_add(1, std::memory_order_relaxed) + 1;
    const Instant now = clock_.now();
    const StreamWords::Said first = words->begin(*room, number, now);
    if (first.frame && !stream.send(first.frame)) return begun;
    if (first.is_last) {
        stream.close();
        return begun;
    }

    std::uint32_t slot = 0;
    if (audience->free.empty()) {
        slot = static_cast<std::uint32_t>(audience->slots.size());
        audience->slots.emplace_back();
    } else {
        slot = audience->free.back();
        audience->free.pop_back();
    }
    audience->slots[slot] = std::make_unique<Subscriber>(
        Subscriber{number, std::move(stream), std::move(words), begun});
    audience->by_number.emplace(number, slot);
    room->streams.fetch_add(1, std::memory_order_relaxed);
    const std::weak_ptr<Audience> held = audience;
    audience->slots[slot]->stream.on_close([this, held, slot] {
        if (const std::shared_ptr<Audience> there = held.lock()) remove(*there, slot);
    });
    if (const HostedRoom::PulseFrames pulse = room->pulse(); pulse.event)
        say(*audience, slot, audience->slots[slot]->words->beat(*room, number, pulse.event, now));
    return begun;
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
        const Number number = subscriber->number;
        audience->room->touch(number, now);
        say(*audience, static_cast<std::uint32_t>(i),
            subscriber->words->beat(*audience->room, number, frame, now));
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
        for (std::size_t i = 0; numbers && i < numbers->size(); ++i)
            for (const std::uint32_t slot : slots_of(*audience, (*numbers)[i]))
                slots.push_back(slot);
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

std::vector<std::uint32_t> Hub::slots_of(const Audience& audience, Number number) const {
    std::vector<std::uint32_t> slots;
    const auto [first, last] = audience.by_number.equal_range(number);
    for (auto entry = first; entry != last; ++entry) slots.push_back(entry->second);
    return slots;
}

void Hub::supersede(std::shared_ptr<HostedRoom> room, Number number, std::uint64_t newer) {
    loop_.post([this, room = std::move(room), number, newer] {
        const auto found = audiences_.find(room.get());
        if (found == audiences_.end()) return;
        const std::shared_ptr<Audience> audience = found->second;
        for (const std::uint32_t slot : slots_of(*audience, number)) {
            Subscriber& older = *audience->slots[slot];
            if (older.begun >= newer) continue;
            if (const net::Frame last = older.words->replaced())
                say(*audience, slot, {.frame = last, .is_last = true});
        }
    });
}

void Hub::tell(Audience& audience, std::uint32_t slot) {
    if (!audience.slots[slot]) return;
    Subscriber& subscriber = *audience.slots[slot];
    say(audience, slot, subscriber.words->news(*audience.room, subscriber.number, clock_.now()));
}

// A dead stream is removed by its on_close.
void Hub::say(Audience& audience, std::uint32_t slot, const StreamWords::Said& said) {
    Subscriber& subscriber = *audience.slots[slot];
    if (said.frame) subscriber.stream.send(said.frame);
    if (!said.is_last) return;
    subscriber.stream.close();
    remove(audience, slot);
}

} // namespace anteroom
