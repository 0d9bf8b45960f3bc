#include "store/embedded/snapshots.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "store/embedded/ledger_store.h"
#include "store/embedded/snapshot_file.h"

namespace anteroom::embedded {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(200);
constexpr auto space_retry = std::chrono::seconds(60);
// Copied while the room is held: well below a millisecond.
constexpr std::size_t slice_bytes = 128 * 1024;

} // namespace

Snapshots::Snapshots(LedgerStore& store, Rooms& rooms, std::string folder, SnapshotRules rules,
                     std::map<std::uint32_t, SnapshotRow> there)
    : store_(store),
      rooms_(rooms),
      folder_(std::move(folder)),
      rules_(rules),
      there_(std::move(there)),
      covered_(store.pruned_through()) {
    thread_ = std::thread([this] { run(); });
}

Snapshots::~Snapshots() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_one();
    thread_.join();
}

bool Snapshots::stops() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

void Snapshots::run() {
    auto next = std::chrono::steady_clock::now();
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            if (stop_.wait_for(lock, look_interval, [this] { return stopping_; })) return;
        }
        if (std::chrono::steady_clock::now() < next || !is_due()) continue;
        if (!take_round()) next = std::chrono::steady_clock::now() + space_retry;
    }
}

bool Snapshots::is_due() const {
    std::uint64_t live = 0;
    for (const std::shared_ptr<HostedRoom>& room : rooms_.all())
        live += room->view().waiting() + room->view().inside();
    return store_.is_writable() && store_.durable_fact() - covered_ >= rules_.facts + live / 2;
}

bool Snapshots::take_round() {
    // Every room's snapshot begins after this: what was durable is in it.
    const std::uint64_t durable = store_.durable_fact();
    for (const std::shared_ptr<HostedRoom>& room : rooms_.all())
        if (!take(*room)) return false;
    covered_ = durable;
    store_.prune_through(durable);
    return true;
}

bool Snapshots::take(HostedRoom& hosted) {
    const auto old = there_.find(hosted.index());
    SnapshotRow row{.room = hosted.index()};
    {
        HostedRoom::Writing writing(hosted);
        row.sequence = writing.room().sequence();
        const bool changed = old == there_.end() || old->second.sequence != row.sequence;
        if (!changed || hosted.is_removed()) return true;
        writing.room().begin_snapshot();
    }
    row.file = snapshot_name(row.room, row.sequence);
    const Result<bool> written = write(hosted, row);
    {
        HostedRoom::Writing writing(hosted);
        writing.room().abandon_snapshot();
    }
    if (!written && errno == ENOSPC) {
        store_.say("no space for a snapshot: " + written.fault().reason);
        return false;
    }
    if (!written) store_.fail("a snapshot cannot be written: " + written.fault().reason);
    if (!*written) return false;
    if (!store_.register_snapshot(row)) return false;
    if (old != there_.end()) ::unlink((folder_ + "/" + old->second.file).c_str());
    there_[row.room] = row;
    return true;
}

Result<bool> Snapshots::write(HostedRoom& hosted, SnapshotRow& row) {
    Result<SnapshotWriter> writer =
        SnapshotWriter::begin(folder_, row.file, row.room, row.sequence);
    if (!writer) return writer.fault();
    std::vector<std::string> pieces;
    for (bool more = true; more;) {
        if (stops()) return false;
        pieces.clear();
        {
            HostedRoom::Writing writing(hosted);
            more = writing.room().take_snapshot(pieces, slice_bytes);
        }
        if (Result<void> added = writer->add(pieces); !added) return added.fault();
    }
    if (Result<void> finished = writer->finish(); !finished) return finished.fault();
    return true;
}

} // namespace anteroom::embedded
