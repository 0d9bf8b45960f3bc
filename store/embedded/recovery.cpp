#include "store/embedded/recovery.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "store/embedded/snapshot_file.h"

namespace anteroom::embedded {

Recovery::Recovery(LedgerFile& ledger, std::string snapshot_folder, Rooms& rooms,
                   const UniqueFunction<void(const std::string&)>& say)
    : ledger_(ledger),
      folder_(std::move(snapshot_folder)),
      rooms_(rooms),
      say_(say),
      said_(std::chrono::steady_clock::now()),
      begin_(said_) {}

Result<void> Recovery::run(const HeadFile& head) {
    if (ledger_.last_fact() < head.fact() || ledger_.last_batch() < head.batch())
        return Fault{fmt::format(
            "the ledger ends at fact {} of batch {}, but fact {} of batch {} was acknowledged: its "
            "end is missing. Restore the files from a copy, or delete ledger.head to go on without "
            "what is lost",
            ledger_.last_fact(), ledger_.last_batch(), head.fact(), head.batch())};
    for (const auto step : {&Recovery::bring_back_rooms, &Recovery::read_snapshots,
                            &Recovery::replay_facts, &Recovery::delete_leftovers})
        if (Result<void> done = (this->*step)(); !done) return done;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (!rows_.empty())
        say_(fmt::format("recovered rooms={} visitors_from_snapshots={} facts={} seconds={:.2f}",
                         rooms_.count(), restored_, facts_, spent.count()));
    return {};
}

Result<void> Recovery::bring_back_rooms() {
    Result<std::vector<RoomRow>> rows = ledger_.rooms();
    if (!rows) return rows.fault();
    for (RoomRow& row : *rows) {
        if (row.index > limits::room_index_max)
            return Fault{fmt::format("the ledger is damaged: there is no room {}", row.index)};
        rooms_.continue_at(row.index + 1);
        if (row.is_removed) continue;
        if (by_index_.size() <= row.index) by_index_.resize(row.index + 1);
        by_index_[row.index] = rooms_.bring_back(row.id, row.index, row.profile);
        if (!by_index_[row.index])
            return Fault{"the ledger is damaged: there are two rooms " + row.id};
        rows_.emplace(row.index, std::move(row));
    }
    return {};
}

Result<void> Recovery::read_snapshots() {
    Result<std::vector<SnapshotRow>> rows = ledger_.snapshots();
    if (!rows) return rows.fault();
    for (SnapshotRow& row : *rows) {
        if (!rows_.contains(row.room)) continue;
        HostedRoom::Writing writing(*by_index_[row.room]);
        const auto restore = [&](std::string_view piece) {
            progress();
            return writing.room().restore(piece);
        };
        Result<void> read =
            read_snapshot(folder_ + "/" + row.file, row.room, row.sequence, restore);
        if (!read) return read;
        if (writing.room().sequence() != row.sequence)
            return Fault{folder_ + "/" + row.file + " is of another moment than the ledger says"};
        restored_ += writing.room().waiting() + writing.room().inside();
        const std::uint32_t room = row.room;
        snapshots_.emplace(room, std::move(row));
    }
    return {};
}

Result<void> Recovery::replay_facts() {
    return ledger_.read_facts([this](const FactRow& row) { return replay(row); });
}

Result<void> Recovery::replay(const FactRow& row) {
    ++facts_;
    progress();
    if (row.room >= by_index_.size() || !by_index_[row.room]) return {}; // Removed since.
    HostedRoom::Writing writing(*by_index_[row.room]);
    Room& room = writing.room();
    const auto snapshot = snapshots_.find(row.room);
    if (snapshot != snapshots_.end() && row.sequence <= snapshot->second.sequence) return {};
    const std::optional<Happening> what = happening_of(row.columns);
    if (what && room.replay({.sequence = row.sequence, .at = row.at, .what = *what})) return {};
    return Fault{
        fmt::format("the ledger is damaged: fact {} cannot follow what happened before in "
                    "room {}",
                    row.fact, rows_.at(row.room).id)};
}

// Of snapshots that were replaced, or never became one.
Result<void> Recovery::delete_leftovers() {
    std::set<std::string> wanted;
    for (const auto& [room, snapshot] : snapshots_) wanted.insert(snapshot.file);
    DIR* folder = ::opendir(folder_.c_str());
    if (!folder) return file_fault(folder_);
    while (const dirent* entry = ::readdir(folder)) {
        const std::string name = entry->d_name;
        const bool ours = name.ends_with(".snapshot") || name.ends_with(".snapshot.new");
        if (ours && !wanted.contains(name)) ::unlink((folder_ + "/" + name).c_str());
    }
    ::closedir(folder);
    return {};
}

void Recovery::progress() {
    constexpr std::uint64_t look_every = 65'536;
    static_assert((look_every & (look_every - 1)) == 0);
    if ((facts_ & (look_every - 1)) != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - said_ < std::chrono::seconds(1)) return;
    said_ = now;
    const std::uint64_t all = ledger_.last_fact() - ledger_.pruned_through();
    say_(fmt::format("recovering: {} of {} facts", facts_, all));
}

} // namespace anteroom::embedded
