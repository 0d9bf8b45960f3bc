// SqliteSink: the history in FOLDER/history.db (docs/formats-history.md).
//
// WAL with synchronous=FULL: one sync per batch, so a cursor that can be read is on the disk, and
// the ledger may forget what lies before it. The Historian makes at most a few batches a second;
// with synchronous=NORMAL the syncs would be fewer, but the cursor would have to be held back until
// a checkpoint, and a checkpoint is one sync more.
#pragma once

#include <memory>
#include <string>

#include "store/history/history_sink.h"

namespace anteroom::history {

class SqliteSink final : public HistorySink {
  public:
    // With `entry_token` the visits of rooms "TYPE:ID" have theirs in the table entry_tokens, which
    // `views` may read; without both there is no such table.
    explicit SqliteSink(const std::string& folder, Views views = {}, EntryToken entry_token = {});
    ~SqliteSink() override;

    std::string name() const override { return "history.db"; }
    Result<std::uint64_t> cursor() override;
    Result<void> write(const Batch& batch) override;
    Result<void> copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) override;
    Result<std::size_t> forget(Instant ended_before, std::size_t limit) override;

  private:
    struct Open; // The database and its statements.
    Result<void> open();
    template <class Work>
    auto try_to(Work work) -> decltype(work());

    std::string path_;
    const Views views_;
    const EntryToken entry_token_; // Empty: visits get none.
    std::unique_ptr<Open> open_;   // Null: not opened yet, or given up after a failure.
};

} // namespace anteroom::history
