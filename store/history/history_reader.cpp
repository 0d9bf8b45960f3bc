#include "store/history/history_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "store/history/open_reading.h"

namespace anteroom::history {
namespace {

using sqlite::Statement;
using sqlite::Step;

constexpr const char* visit_columns =
    "SELECT v.room, v.number, v.visitor, v.lane, v.joined_at, v.called_at, v.entered_at,"
    " v.ended_at, v.outcome, v.cause";
constexpr const char* room_columns =
    "SELECT room, id, created_at, removed_at, capacity, admit_batch, admit_interval, state,"
    " opened_at, closed_at FROM rooms ";

std::optional<Instant> instant_in(const Statement& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return Instant{row.integer(column)};
}

template <class Enum>
Enum named(std::string_view text, std::initializer_list<Enum> candidates, Enum otherwise) {
    for (const Enum candidate : candidates)
        if (text == name(candidate)) return candidate;
    return otherwise;
}

std::optional<VisitorState> outcome_in(const Statement& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    using enum VisitorState;
    return named(row.text(column), {finished, left, expired}, unknown);
}

Visit visit_in(const Statement& row) {
    return {
        .room = static_cast<std::uint32_t>(row.integer(0)),
        .number = static_cast<Number>(row.integer(1)),
        .visitor = std::string(row.text(2)),
        .lane = static_cast<std::uint8_t>(row.integer(3)),
        .joined_at = Instant{row.integer(4)},
        .progress = {.called_at = instant_in(row, 5),
                     .entered_at = instant_in(row, 6),
                     .ended_at = instant_in(row, 7),
                     .outcome = outcome_in(row, 8),
                     .cause = named(row.text(9),
                                    {Cause::silent, Cause::no_show, Cause::lease, Cause::cleared},
                                    Cause::none)}};
}

RoomRow room_in(const Statement& row) {
    using enum RoomState;
    return {.room = static_cast<std::uint32_t>(row.integer(0)),
            .id = std::string(row.text(1)),
            .created_at = Instant{row.integer(2)},
            .removed_at = instant_in(row, 3),
            .admission = {.capacity = row.integer(4),
                          .batch = row.integer(5),
                          .interval = Millis{row.integer(6)}},
            .state = named(row.text(7), {open, paused, draining, closed, passthrough}, open),
            .opened_at = Instant{row.integer(8)},
            .closed_at = instant_in(row, 9)};
}

void add(RoomSummary& summary, std::string_view state, std::uint64_t count) {
    if (state == "waiting") summary.waiting = count;
    if (state == "called") summary.called = count;
    if (state == "active") summary.active = count;
    if (state == "finished") summary.finished = count;
    if (state == "left") summary.left = count;
    if (state == "expired") summary.expired = count;
}

std::int64_t as_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

} // namespace

bool HistoryReader::is_there(const std::string& folder) {
    return history::is_there(folder + "/history.db");
}

Result<HistoryReader> HistoryReader::open(const std::string& folder) {
    std::string path = folder + "/history.db";
    Result<sqlite::Database> database = open_reading(path, history_signature);
    if (!database) return database.fault();
    return HistoryReader(std::move(path), std::move(*database));
}

Fault HistoryReader::fault() const {
    return fault_in(path_, database_.trouble());
}

template <class Row, class Read>
Result<std::vector<Row>> HistoryReader::all(Statement& statement, Read read) {
    std::vector<Row> rows;
    Step step = statement.step();
    for (; step == Step::row; step = statement.step()) rows.push_back(read(statement));
    if (step == Step::failed) return fault();
    return rows;
}

Result<std::uint64_t> HistoryReader::cursor() {
    const Result<std::int64_t> found =
        database_.integer("SELECT value FROM meta WHERE key = 'cursor'");
    if (!found) return fault();
    return static_cast<std::uint64_t>(*found);
}

Result<void> HistoryReader::hold_still() {
    if (database_.run("BEGIN")) return fault();
    return {};
}

Result<std::vector<RoomRow>> HistoryReader::rooms() {
    Result<Statement> statement = database_.prepare(std::string(room_columns) + "ORDER BY room");
    if (!statement) return fault();
    return all<RoomRow>(*statement, room_in);
}

Result<std::vector<RoomRow>> HistoryReader::rooms_named(std::string_view id) {
    Result<Statement> statement =
        database_.prepare(std::string(room_columns) + "WHERE id = ? ORDER BY room");
    if (!statement) return fault();
    statement->bind(1, id);
    return all<RoomRow>(*statement, room_in);
}

Result<std::vector<RoomSummary>> HistoryReader::summaries() {
    Result<std::vector<RoomRow>> listed = rooms();
    if (!listed) return listed.fault();
    std::vector<RoomSummary> found;
    for (RoomRow& room : *listed) found.push_back({.room = std::move(room)});
    Result<Statement> statement =
        database_.prepare("SELECT room, state, count(*) FROM visits GROUP BY room, state");
    if (!statement) return fault();
    Step step = statement->step();
    for (; step == Step::row; step = statement->step()) {
        const auto room = static_cast<std::uint32_t>(statement->integer(0));
        const auto at = std::lower_bound(found.begin(), found.end(), room,
                                         [](const RoomSummary& summary, std::uint32_t index) {
                                             return summary.room.room < index;
                                         });
        if (at == found.end() || at->room.room != room) continue;
        add(*at, statement->text(1), static_cast<std::uint64_t>(statement->integer(2)));
    }
    if (step == Step::failed) return fault();
    return found;
}

Result<VisitPage> HistoryReader::visits(std::uint32_t room, const VisitFilter& filter) {
    std::string sql = std::string(visit_columns) + " FROM visits v WHERE v.room = ?1";
    if (filter.state) sql += " AND v.state = ?4";
    Result<Statement> statement =
        database_.prepare(sql + " AND v.number > ?2 ORDER BY v.number LIMIT ?3");
    if (!statement) return fault();
    // One more than asked for tells whether there is a next page.
    statement->bind(1, std::int64_t{room})
        .bind(2, as_signed(filter.after))
        .bind(3, as_signed(filter.limit) + 1);
    if (filter.state) statement->bind(4, std::string_view(name(*filter.state)));
    Result<std::vector<Visit>> found = all<Visit>(*statement, visit_in);
    if (!found) return found.fault();
    VisitPage page{.visits = std::move(*found)};
    if (page.visits.size() > filter.limit) {
        page.visits.pop_back();
        page.next_after = page.visits.empty() ? filter.after : page.visits.back().number;
    }
    return page;
}

Result<std::vector<VisitEntry>> HistoryReader::visits_of(std::string_view visitor,
                                                         std::size_t limit) {
    Result<Statement> statement = database_.prepare(
        std::string(visit_columns) +
        ", r.id FROM visits v LEFT JOIN rooms r ON r.room = v.room WHERE v.visitor = ?"
        " ORDER BY v.joined_at, v.room, v.number LIMIT ?");
    if (!statement) return fault();
    statement->bind(1, visitor).bind(2, as_signed(limit));
    return all<VisitEntry>(*statement, [](const Statement& row) {
        return VisitEntry{.room_id = std::string(row.text(10)), .visit = visit_in(row)};
    });
}

Result<std::vector<VisitEntry>> HistoryReader::visits_after(std::uint32_t room, Number number,
                                                            std::size_t limit) {
    Result<Statement> statement =
        database_.prepare(std::string(visit_columns) +
                          ", r.id FROM visits v LEFT JOIN rooms r ON r.room = v.room"
                          " WHERE (v.room, v.number) > (?, ?) ORDER BY v.room, v.number LIMIT ?");
    if (!statement) return fault();
    statement->bind(1, std::int64_t{room}).bind(2, as_signed(number)).bind(3, as_signed(limit));
    return all<VisitEntry>(*statement, [](const Statement& row) {
        return VisitEntry{.room_id = std::string(row.text(10)), .visit = visit_in(row)};
    });
}

Result<std::uint64_t> HistoryReader::count(std::optional<std::uint32_t> room) {
    Result<Statement> statement = database_.prepare(
        room ? "SELECT count(*) FROM visits WHERE room = ?" : "SELECT count(*) FROM visits");
    if (!statement) return fault();
    if (room) statement->bind(1, std::int64_t{*room});
    if (statement->step() != Step::row) return fault();
    return static_cast<std::uint64_t>(statement->integer(0));
}

void append_json(std::string& out, const Visit& visit, std::string_view room_id) {
    out += '{';
    if (!room_id.empty()) {
        out += "\"room\":";
        append_json_string(out, room_id);
        out += ',';
    }
    out += fmt::format(R"("number":{},"visitor":)", visit.number);
    append_json_string(out, visit.visitor);
    const Progress& progress = visit.progress;
    out += fmt::format(R"(,"lane":{},"state":"{}","joined_at":{})", visit.lane,
                       name(state_of(progress)), visit.joined_at.ms);
    const auto time = [&](std::string_view name, const std::optional<Instant>& at) {
        out += fmt::format(R"(,"{}":{})", name, at ? std::to_string(at->ms) : "null");
    };
    time("called_at", progress.called_at);
    time("entered_at", progress.entered_at);
    time("ended_at", progress.ended_at);
    const auto word = [&](std::string_view name, std::string_view text) {
        out += text.empty() ? fmt::format(R"(,"{}":null)", name)
                            : fmt::format(R"(,"{}":"{}")", name, text);
    };
    word("outcome", progress.outcome ? name(*progress.outcome) : "");
    word("cause", name(progress.cause));
    out += '}';
}

} // namespace anteroom::history
