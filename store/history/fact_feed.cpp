#include "store/history/fact_feed.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "engine/settings.h"
#include "store/history/open_reading.h"

namespace anteroom::history {
namespace {

using sqlite::Statement;
using sqlite::Step;

// Settings are read by SQLite: what is missing has its default, what is no JSON says nothing.
constexpr const char* facts_sql =
    "SELECT f.fact, f.room, f.seq, f.at, f.kind, f.number, f.visitor, f.detail, f.outer,"
    " f.who, f.kind = 14 AND json_valid(f.detail),"
    " CASE WHEN f.kind = 14 AND json_valid(f.detail) THEN f.detail ->> '$.capacity' END,"
    " CASE WHEN f.kind = 14 AND json_valid(f.detail) THEN f.detail ->> '$.admit_batch' END,"
    " CASE WHEN f.kind = 14 AND json_valid(f.detail) THEN f.detail ->> '$.admit_interval' END"
    " FROM facts f ";

std::uint64_t whole(const Statement& row, int column) {
    return static_cast<std::uint64_t>(row.integer(column));
}

std::optional<Admission> admission_in(const Statement& row) {
    if (row.integer(10) == 0) return std::nullopt;
    const Settings defaults;
    const auto or_else = [&](int column, std::int64_t otherwise) {
        return row.is_null(column) ? otherwise : row.integer(column);
    };
    return Admission{.capacity = or_else(11, defaults.capacity),
                     .batch = or_else(12, defaults.admit_batch),
                     .interval = Millis{or_else(13, defaults.admit_interval.count)}};
}

FactRow fact_in(const Statement& row) {
    FactRow fact;
    fact.fact = whole(row, 0);
    fact.room = static_cast<std::uint32_t>(row.integer(1));
    fact.seq = whole(row, 2);
    fact.at = Instant{row.integer(3)};
    fact.kind = static_cast<FactKind>(row.integer(4));
    fact.number = whole(row, 5);
    fact.visitor = to_hex(row.blob(6));
    if (fact.kind == FactKind::configured)
        fact.settings = row.text(7);
    else
        fact.detail = row.integer(7);
    fact.outer = whole(row, 8);
    fact.who = row.text(9);
    fact.admission = admission_in(row);
    return fact;
}

} // namespace

Result<FactFeed> FactFeed::open(const std::string& folder) {
    std::string path = folder + "/ledger.db";
    Result<sqlite::Database> database = open_reading(path, ledger_signature);
    if (!database) return database.fault();
    // Every fact is read once: pages that were read are of no use again.
    if (database->run("PRAGMA cache_size = -200")) return fault_in(path, database->trouble());
    return FactFeed(std::move(path), std::move(*database));
}

Fault FactFeed::fault() const {
    return fault_in(path_, database_.trouble());
}

Result<std::vector<FactRow>> FactFeed::rows(Statement& statement) {
    std::vector<FactRow> found;
    Step step = statement.step();
    for (; step == Step::row; step = statement.step()) found.push_back(fact_in(statement));
    if (step == Step::failed) {
        Fault reason = fault();
        statement.rewind();
        return reason;
    }
    statement.rewind();
    return found;
}

Result<std::vector<FactRow>> FactFeed::next(std::uint64_t after, std::size_t limit) {
    if (!next_) {
        Result<Statement> statement =
            database_.prepare(std::string(facts_sql) + "WHERE f.fact > ? ORDER BY f.fact LIMIT ?");
        if (!statement) return fault();
        next_ = std::move(*statement);
    }
    next_->bind(1, static_cast<std::int64_t>(after)).bind(2, static_cast<std::int64_t>(limit));
    return rows(*next_);
}

Result<std::vector<FactRow>> FactFeed::last_of_room(std::uint32_t room, std::size_t limit) {
    Result<Statement> statement =
        database_.prepare(std::string(facts_sql) + "WHERE f.room = ? ORDER BY f.fact DESC LIMIT ?");
    if (!statement) return fault();
    statement->bind(1, std::int64_t{room}).bind(2, static_cast<std::int64_t>(limit));
    Result<std::vector<FactRow>> found = rows(*statement);
    if (found) std::reverse(found->begin(), found->end());
    return found;
}

Result<std::uint64_t> FactFeed::last() {
    const Result<std::int64_t> newest = database_.integer(
        "SELECT max(coalesce((SELECT max(fact) FROM facts), 0),"
        " coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'pruned_through'), 0))");
    if (!newest) return fault();
    return static_cast<std::uint64_t>(*newest);
}

Result<std::vector<LedgerRoom>> FactFeed::rooms() {
    Result<Statement> statement =
        database_.prepare("SELECT room, id, created_at, removed_at FROM rooms ORDER BY room");
    if (!statement) return fault();
    std::vector<LedgerRoom> found;
    Step step = statement->step();
    for (; step == Step::row; step = statement->step()) {
        LedgerRoom& room = found.emplace_back();
        room.room = static_cast<std::uint32_t>(statement->integer(0));
        room.id = statement->text(1);
        room.created_at = Instant{statement->integer(2)};
        if (!statement->is_null(3)) room.removed_at = Instant{statement->integer(3)};
    }
    if (step == Step::failed) return fault();
    return found;
}

Result<FactFeed::Reading> FactFeed::read(std::uint64_t after, std::size_t limit) {
    if (database_.run("BEGIN")) return fault();
    const auto moment = [&]() -> Result<Reading> {
        Result<std::vector<LedgerRoom>> listed = rooms();
        if (!listed) return listed.fault();
        const Result<std::uint64_t> newest = last();
        if (!newest) return newest.fault();
        const Result<std::int64_t> pruned = database_.integer(
            "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'pruned_through'");
        if (!pruned) return fault();
        Result<std::vector<FactRow>> facts = next(after, limit);
        if (!facts) return facts.fault();
        return Reading{.facts = std::move(*facts),
                       .last = *newest,
                       .pruned_through = static_cast<std::uint64_t>(*pruned),
                       .rooms = std::move(*listed)};
    };
    Result<Reading> reading = moment();
    database_.run("COMMIT"); // Of a reader: nothing can be lost.
    return reading;
}

} // namespace anteroom::history
