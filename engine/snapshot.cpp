// Snapshots: the hard state of a room as pieces of bytes, and a room made of them again.
//
// What is read may be anything: every piece is checked before it is believed, and what the pieces
// say together is checked at the end.
#include <algorithm>

#include "base/byte_stream.h"
#include "base/check.h"
#include "engine/room.h"
#include "engine/room_copy.h"

namespace anteroom {
namespace {

constexpr std::uint64_t snapshot_version = 1;

std::string begin_piece(Piece piece) {
    return std::string(1, static_cast<char>(piece));
}

} // namespace

RoomCopy::RoomCopy(const Roll& roll, const OuterLine& outer, std::vector<std::string> head)
    : roll_(roll), outer_line_(outer), early_(std::move(head)) {
    const auto all = [](Part& part, std::pair<std::uint64_t, std::uint64_t> range) {
        part.first = part.next = range.first;
        part.last = std::max(range.first, range.second);
        part.kept.resize(part.last - part.first);
    };
    all(records_, roll.chunks());
    all(outer_, outer.chunks());
}

void RoomCopy::keep(Part& part, std::uint64_t chunk) {
    if (chunk < part.first || part.has_copied(chunk)) return;
    copy(part, chunk, early_);
    part.kept[chunk - part.first] = true;
}

void RoomCopy::keep_outer_through(Number number) {
    for (std::uint64_t chunk = outer_.next; chunk < outer_.last; ++chunk) {
        if (chunk > OuterLine::chunk_of(number)) return;
        keep(outer_, chunk);
    }
}

void RoomCopy::copy(const Part& part, std::uint64_t chunk, std::vector<std::string>& pieces) const {
    const bool is_record = &part == &records_;
    std::string piece = begin_piece(is_record ? Piece::records : Piece::outer);
    ByteWriter(piece).word(chunk);
    const bool there =
        is_record ? roll_.write_chunk(chunk, piece) : outer_line_.write_chunk(chunk, piece);
    if (there) pieces.push_back(std::move(piece));
}

bool RoomCopy::take(std::vector<std::string>& pieces, std::size_t bytes) {
    if (ended_) return false;
    std::size_t taken = 0;
    const auto take_early = [&] {
        for (std::string& piece : early_) {
            taken += piece.size();
            pieces.push_back(std::move(piece));
        }
        early_.clear();
    };
    take_early();
    for (Part* part : {&records_, &outer_}) {
        for (; part->next < part->last && taken < bytes; ++part->next) {
            if (part->kept[part->next - part->first]) continue;
            const std::size_t before = pieces.size();
            copy(*part, part->next, pieces);
            if (pieces.size() > before) taken += pieces.back().size();
        }
        if (part->next < part->last) return true;
    }
    pieces.push_back(begin_piece(Piece::end));
    ended_ = true;
    return true;
}

void Room::begin_snapshot() {
    roll_.forget(now_ - settings().ended_memory); // A copy that follows has no ticks that do.
    std::vector<std::string> head;
    std::string piece = begin_piece(Piece::head);
    ByteWriter out(piece);
    out.word(snapshot_version);
    out.word(sequence_);
    out.word(now_.ms);
    out.word(std::uint64_t(state()));
    out.word(std::uint64_t(resume_to_));
    out.word(serving());
    std::uint64_t settings_count = 0;
    for_each_setting(settings(), [&](const char*, const auto&) { ++settings_count; });
    out.word(settings_count);
    for_each_setting(settings(), [&](const char*, const auto& set) { out.word(word_of(set)); });
    for (const std::uint64_t total : {totals_.joined, totals_.called, totals_.claimed,
                                      totals_.finished, totals_.left, totals_.expired})
        out.word(total);
    roll_.write_head(piece);
    outer_.write_head(piece);
    pacer_.write(piece);
    head.push_back(std::move(piece));
    roll_.for_each_tomb([&](std::uint64_t chunk, const std::string& content) {
        std::string tomb = begin_piece(Piece::tomb);
        ByteWriter(tomb).word(chunk);
        head.push_back(tomb + content);
    });
    copy_ = std::make_unique<RoomCopy>(roll_, outer_, std::move(head));
}

bool Room::take_snapshot(std::vector<std::string>& pieces, std::size_t bytes) {
    CHECK(copy_);
    const bool more = copy_->take(pieces, bytes);
    if (!more) copy_.reset();
    return more;
}

bool Room::restore(std::string_view piece) {
    ByteReader in(piece);
    const auto kind = static_cast<Piece>(in.byte());
    if (kind == Piece::head) return restore_head(in);
    if (restored_ != Restored::head) return false;
    const std::uint64_t chunk = kind == Piece::end ? 0 : in.word();
    switch (kind) {
        case Piece::tomb: return roll_.restore_tomb(chunk, in);
        case Piece::records: return roll_.restore_chunk(chunk, in, now_);
        case Piece::outer: return outer_.restore_chunk(chunk, in);
        case Piece::end: return in.ok() && in.at_end() && finish_restore();
        case Piece::head: break;
    }
    return false;
}

bool Room::restore_head(ByteReader& in) {
    const bool is_fresh = restored_ == Restored::nothing && sequence_ == 0 && roll_.issued() == 0;
    if (!is_fresh || in.word() != snapshot_version) return false;
    restored_ = Restored::head;
    sequence_ = in.word();
    now_ = Instant{in.signed_word()};
    const std::uint64_t state = in.word();
    const std::uint64_t resume_to = in.word();
    constexpr auto last = static_cast<std::uint64_t>(RoomState::passthrough);
    if (state > last || resume_to > last) return false;
    state_.store(static_cast<RoomState>(state), std::memory_order_release);
    resume_to_ = static_cast<RoomState>(resume_to);
    serving_.store(in.word(), std::memory_order_release);

    auto fresh = std::make_unique<Settings>();
    std::uint64_t settings_left = in.word(); // A later version may know more: these have defaults.
    bool exact = true;
    for_each_setting(*fresh, [&](const char*, auto& setting) {
        if (settings_left == 0) return;
        --settings_left;
        const std::uint64_t word = in.word();
        set_from_word(setting, word);
        exact = exact && word_of(setting) == word;
    });
    if (!in.ok() || !exact || settings_left > 0 || fault_of(*fresh) != Reason::none) return false;
    retired_.add(
        std::unique_ptr<Settings>(settings_.exchange(fresh.release(), std::memory_order_acq_rel)));
    for (std::uint64_t* total : {&totals_.joined, &totals_.called, &totals_.claimed,
                                 &totals_.finished, &totals_.left, &totals_.expired})
        *total = in.word();
    return roll_.restore_head(in) && outer_.restore_head(in) && pacer_.restore(in, settings()) &&
           in.ok() && in.at_end();
}

// Everything that follows from the records: lines, indexes, counts, timers.
bool Room::finish_restore() {
    restored_ = Restored::everything;
    if (!outer_.finish_restore()) return false;
    bool fits = true;
    std::uint64_t waiting = 0;
    std::uint64_t inside = 0;
    std::uint64_t first_again = 0;
    std::uint64_t absent = 0;
    const bool complete = roll_.finish_restore([&](Number number, Record& record) {
        const Place place = record.place();
        const bool carried = carries(place.line);
        fits = fits && place.line < lines_max && place.order <= Line::number_max &&
               place.missed < limits::missed_max &&
               (carried ? outer_.was_ordered(place.order) : place.order == number);
        if (!fits) return false;
        Queue& queue = lines_[place.line];
        if (place.state != VisitorState::active) {
            const bool in_span = !carried || OuterLine::spans(place.order, outer_.newest_order());
            if (!in_span || queue.outside.contains(place.order)) return fits = false;
            queue.outside.insert(place.order);
        }
        if (!is_in_line(place.state)) {
            inside += static_cast<std::uint64_t>(place.state == VisitorState::called ? one_called
                                                                                     : one_active);
            set_timer(number);
            return true;
        }
        fits = fits && !queue.everybody.contains(place.order) &&
               !(carried && carriers_.at(place.order) != 0);
        if (!fits) return false;
        if (place.counts_as_ahead())
            queue.everybody.insert(place.order);
        else
            ++first_again;
        if (place.state == VisitorState::waiting)
            queue.present.insert(place.order);
        else
            ++absent;
        if (carried) carriers_.add(place.order, number);
        if (place.state == VisitorState::leaving) set_timer(number);
        ++waiting;
        return true;
    });
    if (!complete || !fits || serving() > roll_.issued()) return false;
    waiting_.store(waiting, std::memory_order_release);
    first_again_.store(first_again, std::memory_order_release);
    absent_.store(absent, std::memory_order_release);
    inside_.store(inside, std::memory_order_release);
    return true;
}

} // namespace anteroom
