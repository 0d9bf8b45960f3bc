// HistoryReader: questions to history.db, for the admin API and `anteroom inspect`. Read-only;
// works beside the server, after its end, and in a folder that can only be read.
//
// Threads: one at a time. Opening costs little: a worker may open one per question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/history/visit.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::history {

struct VisitFilter {
    std::optional<VisitorState> state; // waiting, called, active, finished, left or expired.
    Number after = 0;
    std::size_t limit = 100;
};

struct VisitPage {
    std::vector<Visit> visits;        // In order of their numbers.
    std::optional<Number> next_after; // Nothing: this was the last page.
};

struct VisitEntry {
    std::string room_id;
    Visit visit;
};

struct RoomSummary {
    RoomRow room;
    std::uint64_t waiting = 0;
    std::uint64_t called = 0;
    std::uint64_t active = 0;
    std::uint64_t finished = 0;
    std::uint64_t left = 0;
    std::uint64_t expired = 0;
    std::uint64_t visits() const { return waiting + called + active + finished + left + expired; }
};

class HistoryReader {
  public:
    // FOLDER/history.db.
    static Result<HistoryReader> open(const std::string& folder);
    static bool is_there(const std::string& folder);

    // The last fact that is in it.
    Result<std::uint64_t> cursor();
    // From here on every question sees the same moment, until the reader is destroyed. Not for
    // long: the file grows meanwhile.
    Result<void> hold_still();

    // In order of their indexes.
    Result<std::vector<RoomRow>> rooms();
    Result<std::vector<RoomSummary>> summaries();
    // Rooms with this id: a removed one keeps its visits beside the one that came after it.
    Result<std::vector<RoomRow>> rooms_named(std::string_view id);

    Result<VisitPage> visits(std::uint32_t room, const VisitFilter& filter);
    // In all rooms, in the order of joining.
    Result<std::vector<VisitEntry>> visits_of(std::string_view visitor, std::size_t limit = 10'000);
    // Of all rooms, in the order of room and number, behind this one.
    Result<std::vector<VisitEntry>> visits_after(std::uint32_t room, Number number,
                                                 std::size_t limit);
    Result<std::uint64_t> count(std::optional<std::uint32_t> room = std::nullopt);

  private:
    HistoryReader(std::string path, sqlite::Database database)
        : path_(std::move(path)), database_(std::move(database)) {}
    template <class Row, class Read>
    Result<std::vector<Row>> all(sqlite::Statement& statement, Read read);
    Fault fault() const;

    std::string path_;
    sqlite::Database database_;
};

// {"number":1,"visitor":"ann","lane":0,"state":"active","joined_at":…,…}; times in milliseconds
// since 1970, null when it did not happen. With a room id, that comes first.
void append_json(std::string& out, const Visit& visit, std::string_view room_id = {});

} // namespace anteroom::history
