// SociSink: the history in PostgreSQL, MySQL or MariaDB, through SOCI: the tables anteroom_rooms,
// anteroom_visits and anteroom_cursor, and the views of dialects (docs/formats-history.md). Made
// together, when the tables are not there.
//
// The driver is loaded when a sink connects for the first time, so a server without such a history
// needs none. What goes wrong is told in one line, without the password and without rows.
#pragma once

#include <memory>
#include <string>

#include "store/history/history_sink.h"
#include "store/history/sql_url.h"

namespace anteroom::history {

class SociSink final : public HistorySink {
  public:
    // Every visit has a token here, so `entry_token` must give one.
    SociSink(SqlUrl url, Views views, EntryToken entry_token);
    ~SociSink() override;

    std::string name() const override;
    Result<std::uint64_t> cursor() override;
    Result<void> write(const Batch& batch) override;
    Result<void> copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) override;
    Result<std::size_t> forget(Instant ended_before, std::size_t limit) override;

  private:
    struct Connection;
    Connection& connection(); // Throws what SOCI throws.
    template <class Work>
    auto try_to(Work work) -> decltype(work(std::declval<Connection&>()));

    const SqlUrl url_;
    const Views views_;
    const EntryToken entry_token_;
    std::unique_ptr<Connection> connection_; // Null: not connected.
};

} // namespace anteroom::history
