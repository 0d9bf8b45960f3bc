// RoomLog: loading a copy from the last snapshot and the log after it; taking snapshots.
#include <algorithm>

#include "service/profile_text.h"
#include "store/shared/room_log.h"
#include "store/shared/scripts.h"
#include "store/shared/times.h"

namespace anteroom::shared {
namespace {

constexpr std::size_t slice_bytes = 128 * 1024; // Copied while the room is held.
constexpr std::uint64_t pieces_per_look = 16;
constexpr std::uint64_t entries_kept = 10'000; // Before a snapshot, for processes that lag behind.
constexpr Millis pieces_life{600'000};         // Of a snapshot that is never finished.

std::uint64_t number_of(const Reply& reply) {
    return reply.is_text() ? std::strtoull(reply.text.c_str(), nullptr, 10) : 0;
}

} // namespace

void RoomLog::load() {
    mode_ = Mode::loading;
    context_.client.call(
        keys_.head(), {"HMGET", keys_.head(), "version", "base", "removed", "profile"},
        [room = keep_alive()](const CallResult& answer) { of(*room).on_head(answer); });
}

void RoomLog::on_head(const CallResult& answer) {
    if (mode_ == Mode::dead) return;
    if (answer.trouble == Trouble::refused) context_.refused(answer.reply.text);
    if (answer.trouble != Trouble::none || answer.reply.list.size() != 4) return retry_load();
    const std::vector<Reply>& head = answer.reply.list;
    const std::shared_ptr<HostedRoom> alive = keep_alive();
    if (head[0].is_nil() || head[2].text == "1") {
        context_.owner.on_gone(room_);
        return die();
    }
    if (number_of(head[0]) != format_version) {
        context_.say(room_.id() + ": is written in format " + head[0].text +
                     ", which this version does not read");
        context_.owner.on_gone(room_);
        return die();
    }
    position_ = number_of(head[1]);
    if (std::optional<Profile> profile = profile_of(head[3].text))
        room_.set_profile(*std::move(profile));
    context_.client.call(keys_.snapshot(),
                         {"HMGET", keys_.snapshot(), "position", "stamp", "pieces"},
                         [room = keep_alive()](const CallResult& found) {
                             RoomLog& log = of(*room);
                             if (log.mode_ == Mode::dead) return;
                             const std::vector<Reply>& list = found.reply.list;
                             if (found.trouble != Trouble::none || list.size() != 3)
                                 return log.retry_load();
                             if (list[0].is_nil()) return log.follow();
                             log.snapshot_position_ = log.position_ = number_of(list[0]);
                             log.stamp_ = number_of(list[1]);
                             log.pieces_ = number_of(list[2]);
                             log.fetch_pieces(0);
                         });
}

void RoomLog::fetch_pieces(std::uint64_t from) {
    const std::string key = keys_.snapshot_pieces(position_);
    const std::uint64_t count = std::min(pieces_per_look, pieces_ - from);
    context_.client.call(
        key, {"LRANGE", key, text(from), text(from + count - 1)},
        [room = keep_alive(), from, count](const CallResult& answer) {
            RoomLog& log = of(*room);
            if (log.mode_ == Mode::dead) return;
            if (answer.trouble != Trouble::none || answer.reply.list.size() != count)
                return log.retry_load(); // There is a newer one by now.
            {
                HostedRoom::Writing writing(*room);
                for (const Reply& piece : answer.reply.list)
                    if (!writing.room().restore(piece.text)) log.pieces_ = 0;
            }
            if (log.pieces_ == 0) {
                log.context_.say(room->id() + ": its snapshot cannot be read");
                return log.retry_load();
            }
            if (from + count < log.pieces_) return log.fetch_pieces(from + count);
            log.follow();
        });
}

// From the beginning, with a room in which nothing has happened yet.
void RoomLog::retry_load() {
    const std::shared_ptr<HostedRoom> alive = keep_alive();
    die();
    context_.owner.on_lost(room_);
}

// --- Taking snapshots.

void RoomLog::begin_snapshot_if_due(HostedRoom::Writing& writing) {
    const Room& room = writing.room();
    const std::uint64_t live = room.waiting() + room.inside();
    const std::uint64_t due = context_.snapshot_facts + live / 2;
    if (snapshot_ || mode_ != Mode::live || facts_since_snapshot_ < due) return;
    writing.room().begin_snapshot();
    snapshot_ = Snapshot{
        .position = position_ + 1, .stamp = flight_->entry.stamp, .before = snapshot_position_};
    facts_since_snapshot_ = 0;
}

void RoomLog::go_on_with_snapshot() {
    if (!snapshot_ || !snapshot_->is_committed || snapshot_->under_way) return;
    std::vector<std::string> pieces;
    bool more = true;
    {
        HostedRoom::Writing writing(room_);
        more = writing.room().take_snapshot(pieces, slice_bytes);
    }
    if (pieces.empty()) return more ? go_on_with_snapshot() : finish_snapshot();
    snapshot_->under_way = true;
    snapshot_->pieces += pieces.size();
    const std::string key = keys_.snapshot_pieces(snapshot_->position);
    if (snapshot_->pieces == pieces.size())
        context_.client.call(key, {"UNLINK", key}, [](const CallResult&) {});
    std::vector<std::string> words{"RPUSH", key};
    std::move(pieces.begin(), pieces.end(), std::back_inserter(words));
    context_.client.call(key, std::move(words), [](const CallResult&) {});
    context_.client.call(
        key, {"PEXPIRE", key, text(pieces_life.count)},
        [room = keep_alive(), position = snapshot_->position](const CallResult& answer) {
            RoomLog& log = of(*room);
            if (!log.snapshot_ || log.snapshot_->position != position) return;
            log.snapshot_->under_way = false;
            if (answer.trouble != Trouble::none) return log.abandon_snapshot();
            log.go_on_with_snapshot();
        });
}

void RoomLog::finish_snapshot() {
    const Snapshot done = *std::exchange(snapshot_, std::nullopt);
    const std::string before =
        done.before > 0 ? keys_.snapshot_pieces(done.before) : keys_.snapshot_pieces(done.position);
    context_.client.run(
        snapshot_script(),
        {keys_.head(), keys_.log(), keys_.snapshot(), keys_.snapshot_pieces(done.position), before},
        {text(done.position), text(done.stamp), text(done.pieces), text(entries_kept)},
        [room = keep_alive(), position = done.position](const CallResult& answer) {
            RoomLog& log = of(*room);
            if (answer.trouble != Trouble::none || answer.reply.integer != 1)
                return; // The next one will do.
            log.snapshot_position_ = position;
            log.context_.snapshots.add();
        });
}

void RoomLog::abandon_snapshot() {
    if (!snapshot_) return;
    snapshot_.reset();
    HostedRoom::Writing writing(room_);
    writing.room().abandon_snapshot();
}

} // namespace anteroom::shared
