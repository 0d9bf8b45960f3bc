// Presence: signs of life, and passing over visitors who give none.
//
//   touch, stay   a reader's sign of life     not for who was passed over: that needs the writer
//   Touch, greet  the writer's                may be called again from now on
//   pass_over     the doorman or the sweeper  found absent; out of Queue::present
//
// The absent are found when somebody looks: the doorman at the head of a line, the sweeper
// everywhere, for the sake of the estimate. Nothing here is a fact: after a restart everybody
// counts as seen at that moment.
#include <algorithm>

#include "engine/counter.h"
#include "engine/planted.h"
#include "engine/room.h"

namespace anteroom {

Millis Room::presence_of(Millis told) const {
    const Settings& set = settings();
    const Millis by_told{saturating_multiply(told.count, limits::presence_factor)};
    const Millis wanted =
        set.presence > Millis{0} ? set.presence : std::max(by_told, limits::presence_min);
    return std::min(wanted, set.idle);
}

bool Room::is_present(const Seen& sign, Instant now) const {
    const Instant awake{awake_since_.load(std::memory_order_relaxed)};
    return !sign.awaited && std::max(sign.at, awake) + presence_of(sign.told) > now;
}

bool Room::is_present(Number number, Instant now) const {
    const Record* record = roll_.record(number);
    return record && is_live(record->place().state) && is_present(record->sign(), now);
}

Millis Room::told(Number number) const {
    const Record* record = roll_.record(number);
    return record ? record->sign().told : Millis{0};
}

bool Room::touch(Number number, Instant now, Millis told) const {
    Record* record = roll_.record(number);
    if (!record) return false;
    const VisitorState state = record->place().state;
    if (state != VisitorState::waiting && state != VisitorState::active) return false;
    return record->touch(now, told);
}

bool Room::stay(Number number, Instant now) const {
    if (touch(number, now)) return true;
    const Record* record = roll_.record(number);
    if (!record) return true;
    const Place place = record->place();
    const Seen sign = record->sign();
    if (place.state != VisitorState::waiting || !sign.passed_over) return true;
    return sign.awaited && !planted(Bug::stream_brings_back_who_missed);
}

void Room::forgive(Number number) const {
    if (Record* record = roll_.record(number)) record->forgive();
}

void Room::greet(Number number, Instant now, Millis told) {
    now_ = std::max(now_, now);
    Record* record = roll_.record(number);
    const VisitorState state = record ? record->place().state : VisitorState::unknown;
    if (state == VisitorState::waiting || state == VisitorState::active) welcome(*record, told);
}

// Writer. Notes a sign of life; a waiting visitor may be called again.
void Room::welcome(Record& record, Millis told) {
    const Place place = record.place();
    if (planted(Bug::passed_over_for_ever) && record.sign().passed_over) return;
    record.revive(now_, told);
    if (place.state != VisitorState::waiting) return;
    if (!lines_[place.line].present.contains(place.order)) put_forward(place);
}

// Writer. False: a reader noted a sign of life meanwhile, and the visitor stays in `present`.
bool Room::pass_over(Record& record, const Seen& sign) {
    if (!record.pass_over(sign)) return false;
    set_aside(record.place());
    flow_.departed(now_);
    return true;
}

// Writer. Puts a visitor who was passed over back into `present`; the doorman looks again at the
// turn.
void Room::reconsider(Forgive whom) {
    follow_presence({}); // From here on this room knows itself.
    if (absent() == 0) return;
    for_each_live([&](Number, Record& record) {
        const Place place = record.place();
        if (place.state != VisitorState::waiting) return;
        if (whom == Forgive::lapsed && record.sign().awaited) return;
        record.forgive();
        if (!lines_[place.line].present.contains(place.order)) put_forward(place);
    });
}

void Room::set_aside(const Place& place) {
    lines_[place.line].present.erase(place.order);
    add(absent_, +1);
}

void Room::put_forward(const Place& place) {
    lines_[place.line].present.insert(place.order);
    add(absent_, -1);
}

std::uint64_t Room::callable_before(std::uint8_t line, std::uint64_t order) const {
    const PresenceMarks* marks = marks_.load(std::memory_order_acquire);
    if (marks) return anteroom::callable_before(*marks, line, order);
    if (absent() == 0) return UINT64_MAX; // No limit: all who are ahead.
    std::uint64_t before = lines_[line].present.rank(order);
    for (std::size_t i = 0; i < line; ++i) before += lines_[i].present.size();
    return before;
}

// How many of the first `ahead` in line may be called.
std::uint64_t Room::callable_among(std::uint64_t ahead) const {
    std::uint64_t left = ahead;
    for (std::uint8_t line = 0; line < lines_max; ++line) {
        const std::uint64_t size = lines_[line].everybody.size();
        if (left < size) {
            const std::optional<std::uint64_t> order = lines_[line].everybody.select(left);
            return order ? std::min(ahead, callable_before(line, *order)) : ahead;
        }
        left -= size;
    }
    return std::min(ahead, scene().waiting);
}

std::optional<Wait> Room::wait(std::uint64_t ahead) const {
    return wait_for_calls(callable_among(ahead));
}

void Room::follow_presence(PresenceMarks marks) {
    auto fresh = marks.empty() ? nullptr : std::make_unique<PresenceMarks>(std::move(marks));
    PresenceMarks* old = marks_.exchange(fresh.release(), std::memory_order_acq_rel);
    if (old) retired_.add(std::unique_ptr<PresenceMarks>(old));
}

} // namespace anteroom
