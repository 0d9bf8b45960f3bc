#include "service/hub.h"

#include <fmt/format.h>

#include "net/loop.h"

namespace anteroom {
namespace {

// Streams served in one go: between two slices the loop serves its other connections.
constexpr std::size_t slice = 500;
// Not every tenth: many sends in one go cost half as much each as a few, and an idle loop sleeps.
constexpr Millis turn_interval{500};
constexpr Millis retell_interval{100};
// After a stall every stream gets one look, not one for every second that is lost.
constexpr Tenth tenths_behind_max = tenths_per_second;

} // namespace

// The standing as JSON, the pulse as it is.
class Hub::OwnWords final : public StreamWords {
  public:
    explicit OwnWords(Hub& hub) : hub_(hub) {}

    Said begin(const HostedRoom& room, Number number, Instant) override {
        constexpr const char* retry = "retry: 2000\n";
        std::string standing;
        const VisitorState state = hub_.write_(room, number, standing);
        if (state == VisitorState::unknown)
            return {.frame = net::make_frame(std::string(retry) + "\n"),
                    .is_owed = is_owed(room, number)};
        std::string text = retry + event("standing", standing);
        const bool over = !is_live(state);
        if (over) text += event("ended", standing);
        return {net::make_frame(std::move(text)), over};
    }

    Said news(const HostedRoom& room, Number number, Instant) override {
        std::string standing;
        const VisitorState state = hub_.write_(room, number, standing);
        if (state == VisitorState::unknown) return {.is_owed = is_owed(room, number)};
        const bool over = !is_live(state);
        const char* name = over ? "ended" : is_inside(state) ? "called" : "standing";
        return {net::make_frame(event(name, standing)), over};
    }

    Said beat(const HostedRoom&, Number, const net::Frame& pulse, Instant) override {
        return {pulse};
    }

  private:
    // False: the room has forgotten the visitor, and there never will be anything to say.
    static bool is_owed(const HostedRoom& room, Number number) {
        return room.view().standing(number).state != VisitorState::unknown;
    }

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
    // Counted before the visitor is looked at: whatever happens after the look is told to a room
    // with streams, and comes as a job of this loop, when the stream is there.
    const std::uint64_t begun = room->begin_stream();
    const Instant now = clock_.now();
    const StreamWords::Said first = words->begin(*room, number, now);
    const bool is_there = !first.frame || stream.send(first.frame);
    if (!is_there || first.is_last) {
        stream.close();
        room->end_streams();
        return begun;
    }
    const AudienceRef audience = open(room);
    audience->set_pulse(room->pulse().told(), now);
    const std::uint32_t slot =
        audience->add(number, std::move(stream), std::move(words), begun, first, now);
    audience->send_pulse(slot, now);
    settle(*audience);
    return begun;
}

Hub::AudienceRef Hub::open(const std::shared_ptr<HostedRoom>& room) {
    if (!turn_alarm_) {
        turned_ = tenth_of(clock_.now());
        turn_alarm_ = loop_.every(turn_interval, [this] { turn(); });
    }
    AudienceRef& audience = audiences_[room.get()];
    if (!audience)
        audience = std::make_shared<Audience>(
            room,
            [this, of = room.get()] {
                if (const AudienceRef left = audience_of(*of)) settle(*left);
            },
            greet_);
    return audience;
}

// To be called after every use of an audience. If the audience owes news, sets the alarm for
// retell(). Drops an audience without streams, and with the last one the alarms: they must not
// outlive the loop.
void Hub::settle(const Audience& audience) {
    if (audience.owes() && !retell_alarm_)
        retell_alarm_ = loop_.after(retell_interval, [this] { retell(); });
    if (!audience.empty()) return;
    const auto found = audiences_.find(&audience.room());
    if (found == audiences_.end() || found->second.get() != &audience) return;
    audiences_.erase(found);
    if (!audiences_.empty()) return;
    turn_alarm_.reset();
    retell_alarm_.reset();
}

Hub::AudienceRef Hub::audience_of(const HostedRoom& room) const {
    const auto found = audiences_.find(&room);
    return found == audiences_.end() ? nullptr : found->second;
}

void Hub::broadcast(std::shared_ptr<HostedRoom> room, RoomPulse::Event pulse) {
    loop_.post([this, room = std::move(room), pulse = std::move(pulse)] {
        const AudienceRef audience = audience_of(*room);
        if (!audience) return;
        audience->set_pulse(pulse, clock_.now());
        send_slice(audience, 0);
    });
}

void Hub::send_slice(AudienceRef audience, std::size_t from) {
    const std::size_t end = from + slice;
    audience->send_pulses(from, end, clock_.now());
    if (end >= audience->slots()) return settle(*audience);
    loop_.soon([this, audience = std::move(audience), end]() mutable {
        send_slice(std::move(audience), end);
    });
}

std::vector<Hub::AudienceRef> Hub::everybody() const {
    std::vector<AudienceRef> audiences;
    audiences.reserve(audiences_.size());
    for (const auto& [room, audience] : audiences_) audiences.push_back(audience);
    return audiences;
}

void Hub::turn() {
    const Tenth now = tenth_of(clock_.now());
    if (now - turned_ > tenths_behind_max) turned_ = now - tenths_behind_max;
    const std::vector<AudienceRef> audiences = everybody();
    while (turned_ != now) {
        ++turned_;
        for (const AudienceRef& audience : audiences)
            look_slice(audience, turned_, audience->first_slot(turned_));
    }
}

void Hub::retell() {
    retell_alarm_.reset();
    for (const AudienceRef& audience : everybody()) {
        audience->retell(clock_.now());
        settle(*audience);
    }
}

void Hub::look_slice(AudienceRef audience, Tenth tenth, std::size_t from) {
    const std::optional<std::size_t> next = audience->look(tenth, from, slice, clock_.now());
    if (!next) return settle(*audience);
    loop_.soon([this, audience = std::move(audience), tenth, next = *next]() mutable {
        look_slice(std::move(audience), tenth, next);
    });
}

void Hub::notify(std::shared_ptr<HostedRoom> room,
                 std::shared_ptr<const std::vector<Number>> numbers) {
    loop_.post([this, room = std::move(room), numbers = std::move(numbers)] {
        const AudienceRef audience = audience_of(*room);
        if (!audience) return;
        const Instant now = clock_.now();
        if (!numbers) audience->tell_everybody(now);
        for (std::size_t i = 0; numbers && i < numbers->size(); ++i)
            audience->tell((*numbers)[i], now);
        settle(*audience);
    });
}

void Hub::supersede(std::shared_ptr<HostedRoom> room, Number number, std::uint64_t newer) {
    loop_.post([this, room = std::move(room), number, newer] {
        const AudienceRef audience = audience_of(*room);
        if (!audience) return;
        audience->supersede(number, newer, clock_.now());
        settle(*audience);
    });
}

void Hub::dismiss(std::shared_ptr<HostedRoom> room) {
    loop_.post([this, room = std::move(room)] {
        const AudienceRef audience = audience_of(*room);
        if (!audience) return;
        audience->close_all();
        settle(*audience);
    });
}

} // namespace anteroom
