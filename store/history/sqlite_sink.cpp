#include "store/history/sqlite_sink.h"

#include <array>
#include <unordered_set>

#include "engine/settings.h"
#include "store/history/fold.h"
#include "store/history/open_reading.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::history {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Step;
using sqlite::Transaction;
using sqlite::Trouble;

// `state` is computed, not stored: one truth. Its index answers "who waits in this room" in order,
// and finds everybody who is live when a room is cleared.
constexpr const char* schema = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID, STRICT;
INSERT INTO meta VALUES('cursor', 0);
CREATE TABLE rooms(
  room INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER,
  capacity INTEGER NOT NULL,
  admit_batch INTEGER NOT NULL,
  admit_interval INTEGER NOT NULL,
  state TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER) STRICT;
CREATE INDEX rooms_id ON rooms(id);
CREATE TABLE visits(
  room INTEGER NOT NULL,
  number INTEGER NOT NULL,
  visitor TEXT NOT NULL,
  lane INTEGER NOT NULL,
  joined_at INTEGER NOT NULL,
  called_at INTEGER,
  entered_at INTEGER,
  ended_at INTEGER,
  outcome TEXT,
  cause TEXT,
  state TEXT AS (CASE WHEN outcome IS NOT NULL THEN outcome WHEN entered_at IS NOT NULL THEN 'active'
    WHEN called_at IS NOT NULL THEN 'called' ELSE 'waiting' END) VIRTUAL,
  PRIMARY KEY(room, number)) WITHOUT ROWID, STRICT;
CREATE INDEX visits_visitor ON visits(visitor);
CREATE INDEX visits_state ON visits(room, state);
CREATE INDEX visits_ended ON visits(ended_at) WHERE ended_at IS NOT NULL;
)";

// What the views of dialects join to visits, beside the rest: an older version ignores it, and
// reads and writes the rest. Only visits of rooms "TYPE:ID" have tokens.
constexpr const char* token_schema = R"(
CREATE TABLE IF NOT EXISTS entry_tokens(
  room INTEGER NOT NULL,
  number INTEGER NOT NULL,
  token TEXT NOT NULL,
  PRIMARY KEY(room, number)) WITHOUT ROWID, STRICT;
CREATE INDEX IF NOT EXISTS entry_tokens_token ON entry_tokens(token);
CREATE TRIGGER IF NOT EXISTS visit_forgotten AFTER DELETE ON visits BEGIN
  DELETE FROM entry_tokens WHERE room = old.room AND number = old.number;
END;
)";

// The cache: fold() gives arrivals in the order of the largest index, so that 4 MB are as fast
// as 32.
constexpr const char* settings = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -4000;
)";

void bind(Statement& statement, int position, const std::optional<Instant>& at) {
    if (at)
        statement.bind(position, at->ms);
    else
        statement.bind_null(position);
}

// Five columns: called_at, entered_at, ended_at, outcome, cause.
void bind(Statement& statement, int position, const Progress& progress) {
    bind(statement, position, progress.called_at);
    bind(statement, position + 1, progress.entered_at);
    bind(statement, position + 2, progress.ended_at);
    if (progress.outcome)
        statement.bind(position + 3, std::string_view(name(*progress.outcome)));
    else
        statement.bind_null(position + 3);
    if (progress.cause != Cause::none)
        statement.bind(position + 4, name(progress.cause));
    else
        statement.bind_null(position + 4);
}

std::int64_t as_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

} // namespace

struct SqliteSink::Open {
    Database database;
    std::optional<Statement> read_cursor, move_cursor, list_room, put_room, configure, set_state,
        add_visit, put_visit, change, clear, forget, put_token;
    const EntryToken& entry_token;
    std::unordered_set<std::uint32_t> with_tokens; // Rooms "TYPE:ID".

    Open(Database opened, const EntryToken& token)
        : database(std::move(opened)), entry_token(token) {}

    Trouble prepare() {
        struct Prepared {
            std::optional<Statement>* statement;
            const char* sql;
        };
        const std::array all{
            Prepared{&read_cursor, "SELECT value FROM meta WHERE key = 'cursor'"},
            Prepared{&move_cursor, "UPDATE meta SET value = ? WHERE key = 'cursor'"},
            Prepared{&list_room,
                     "INSERT INTO rooms VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?3, NULL)"
                     " ON CONFLICT DO UPDATE SET id = ?2, created_at = ?3, removed_at = ?4"},
            Prepared{&put_room,
                     "INSERT OR REPLACE INTO rooms VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
            Prepared{&configure,
                     "UPDATE rooms SET capacity = ?2, admit_batch = ?3, admit_interval = ?4"
                     " WHERE room = ?1"},
            // A pause is not an end: opened_at moves only when a draining or closed room opens.
            Prepared{
                &set_state,
                "UPDATE rooms SET state = ?2,"
                " opened_at = iif(?3 AND state IN ('draining', 'closed'), ?4, opened_at),"
                " closed_at = iif(NOT ?3 AND state NOT IN ('draining', 'closed'), ?4, closed_at)"
                " WHERE room = ?1"},
            // A visit begins once: one that is there already is of another ledger.
            Prepared{&add_visit, "INSERT INTO visits VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
            Prepared{&put_visit,
                     "INSERT OR REPLACE INTO visits VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
            Prepared{&change,
                     "UPDATE visits SET called_at = nullif(coalesce(?3, called_at), 0),"
                     " entered_at = coalesce(?4, entered_at), ended_at = coalesce(?5, ended_at),"
                     " outcome = coalesce(?6, outcome), cause = coalesce(?7, cause)"
                     " WHERE room = ?1 AND number = ?2"},
            Prepared{&clear,
                     "UPDATE visits SET ended_at = ?2, outcome = 'expired', cause = 'cleared'"
                     " WHERE room = ?1 AND state IN ('waiting', 'called', 'active')"},
            Prepared{&forget,
                     "DELETE FROM visits WHERE (room, number) IN (SELECT room, number FROM visits"
                     " WHERE ended_at < ? ORDER BY ended_at LIMIT ?)"},
        };
        for (const Prepared& entry : all) {
            Result<Statement> prepared = database.prepare(entry.sql);
            if (!prepared) return database.trouble();
            *entry.statement = std::move(*prepared);
        }
        return entry_token ? prepare_tokens() : Trouble{};
    }

    Trouble create(const Views& views) {
        if (Trouble trouble = database.run(token_schema)) return trouble;
        for (const HistoryViews* dialect : views)
            for (const char* view : dialect->sqlite)
                if (Trouble trouble = database.run(view)) return trouble;
        return {};
    }

    Trouble prepare_tokens() {
        Result<Statement> put =
            database.prepare("INSERT OR REPLACE INTO entry_tokens VALUES(?, ?, ?)");
        if (!put) return database.trouble();
        put_token = std::move(*put);
        Result<Statement> rooms =
            database.prepare("SELECT room FROM rooms WHERE instr(id, ':') > 0");
        if (!rooms) return database.trouble();
        for (Step step = rooms->step(); step != Step::done; step = rooms->step()) {
            if (step == Step::failed) return database.trouble();
            with_tokens.insert(static_cast<std::uint32_t>(rooms->integer(0)));
        }
        return {};
    }

    void note_room(std::uint32_t room, std::string_view id) {
        if (id.find(':') != id.npos) with_tokens.insert(room);
    }

    bool write_token(const Visit& visit) {
        if (!put_token || !with_tokens.contains(visit.room)) return true;
        const std::string token = entry_token(visit.room, visit.number);
        if (token.empty()) return true; // No token can name it.
        put_token->bind(1, std::int64_t{visit.room})
            .bind(2, as_signed(visit.number))
            .bind(3, token);
        return put_token->run();
    }

    bool list(const LedgerRoom& room) {
        note_room(room.room, room.id);
        const Settings defaults;
        list_room->bind(1, std::int64_t{room.room})
            .bind(2, room.id)
            .bind(3, room.created_at.ms)
            .bind(5, defaults.capacity)
            .bind(6, defaults.admit_batch)
            .bind(7, defaults.admit_interval.count);
        bind(*list_room, 4, room.removed_at);
        return list_room->run();
    }

    bool put(const RoomRow& room) {
        note_room(room.room, room.id);
        put_room->bind(1, std::int64_t{room.room})
            .bind(2, room.id)
            .bind(3, room.created_at.ms)
            .bind(5, room.admission.capacity)
            .bind(6, room.admission.batch)
            .bind(7, room.admission.interval.count)
            .bind(8, std::string_view(anteroom::name(room.state)))
            .bind(9, room.opened_at.ms);
        bind(*put_room, 4, room.removed_at);
        bind(*put_room, 10, room.closed_at);
        return put_room->run();
    }

    bool apply(const RoomChange& room) {
        const std::int64_t index = room.room;
        if (room.admission) {
            configure->bind(1, index)
                .bind(2, room.admission->capacity)
                .bind(3, room.admission->batch)
                .bind(4, room.admission->interval.count);
            if (!configure->run()) return false;
        }
        if (!room.state) return true;
        set_state->bind(1, index)
            .bind(2, std::string_view(anteroom::name(*room.state)))
            .bind(3, std::int64_t{may_join(*room.state)})
            .bind(4, room.at.ms);
        return set_state->run();
    }

    static bool write(Statement& statement, const Visit& visit) {
        statement.bind(1, std::int64_t{visit.room})
            .bind(2, as_signed(visit.number))
            .bind(3, visit.visitor)
            .bind(4, std::int64_t{visit.lane})
            .bind(5, visit.joined_at.ms);
        bind(statement, 6, visit.progress);
        return statement.run();
    }

    bool apply(const VisitChange& visit) {
        change->bind(1, std::int64_t{visit.room}).bind(2, as_signed(visit.number));
        bind(*change, 3, visit.progress);
        return change->run();
    }

    bool apply(const Chapter& chapter) {
        for (const Visit& visit : chapter.arrivals)
            if (!write(*add_visit, visit) || !write_token(visit)) return false;
        for (const VisitChange& visit : chapter.changes)
            if (!apply(visit)) return false;
        for (const RoomChange& room : chapter.rooms)
            if (!apply(room)) return false;
        if (!chapter.clearing) return true;
        clear->bind(1, std::int64_t{chapter.clearing->room}).bind(2, chapter.clearing->at.ms);
        return clear->run();
    }

    Result<std::uint64_t> cursor() {
        const Step step = read_cursor->step();
        const std::int64_t value = step == Step::row ? read_cursor->integer(0) : 0;
        if (step == Step::failed) return Fault{database.trouble().message};
        read_cursor->rewind();
        return static_cast<std::uint64_t>(value);
    }
};

SqliteSink::SqliteSink(const std::string& folder, Views views, EntryToken entry_token)
    : path_(folder + "/history.db"),
      views_(std::move(views)),
      entry_token_(std::move(entry_token)) {}
SqliteSink::~SqliteSink() = default;

Result<void> SqliteSink::open() {
    if (open_) return {};
    Result<Database> database = Database::open(path_, Database::Mode::write);
    if (!database) return database.fault();
    auto fresh = std::make_unique<Open>(std::move(*database), entry_token_);
    Database& db = fresh->database;
    const auto failed = [&] { return fault_in(path_, db.trouble()); };
    if (db.run(settings)) return failed();
    const Result<std::int64_t> tables = db.integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return failed();
    if (*tables == 0) {
        Transaction transaction(db);
        const std::string signature =
            "PRAGMA application_id = " + std::to_string(history_signature.application) +
            "; PRAGMA user_version = " + std::to_string(history_signature.version);
        if (transaction.begun() || db.run(schema) || db.run(signature.c_str()) ||
            transaction.commit())
            return failed();
    }
    const Result<Signature> found = signature_of(db);
    if (!found) return failed();
    if (std::string fault = fault_of(path_, *found, history_signature); !fault.empty())
        return Fault{std::move(fault)};
    if (entry_token_ || !views_.empty())
        if (const Trouble trouble = fresh->create(views_)) return fault_in(path_, trouble);
    if (const Trouble trouble = fresh->prepare()) return fault_in(path_, trouble);
    open_ = std::move(fresh);
    return {};
}

// After a failure everything is closed: the next cursor() begins anew and knows what was kept.
template <class Work>
auto SqliteSink::try_to(Work work) -> decltype(work()) {
    if (const Result<void> opened = open(); !opened) return opened.fault();
    auto result = work();
    if (!result) open_.reset();
    return result;
}

Result<std::uint64_t> SqliteSink::cursor() {
    return try_to([&]() -> Result<std::uint64_t> {
        Result<std::uint64_t> found = open_->cursor();
        if (!found) return fault_in(path_, open_->database.trouble());
        return found;
    });
}

Result<void> SqliteSink::write(const Batch& batch) {
    return try_to([&]() -> Result<void> {
        Open& open = *open_;
        const auto failed = [&] { return fault_in(path_, open.database.trouble()); };
        Transaction transaction(open.database);
        if (transaction.begun()) return failed();
        const Result<std::uint64_t> at = open.cursor();
        if (!at) return failed();
        if (*at != batch.after)
            return Fault{path_ + ": somebody else has written to it: it is at fact " +
                         std::to_string(*at) + ", not " + std::to_string(batch.after)};
        for (const LedgerRoom& room : batch.rooms)
            if (!open.list(room)) return failed();
        for (const Chapter& chapter : fold(batch.facts))
            if (!open.apply(chapter)) return failed();
        open.move_cursor->bind(1, as_signed(batch.through));
        if (!open.move_cursor->run() || transaction.commit()) return failed();
        return {};
    });
}

Result<void> SqliteSink::copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) {
    return try_to([&]() -> Result<void> {
        const auto failed = [&] { return fault_in(path_, open_->database.trouble()); };
        Transaction transaction(open_->database);
        if (transaction.begun()) return failed();
        for (const RoomRow& room : rooms)
            if (!open_->put(room)) return failed();
        for (const Visit& visit : visits)
            if (!Open::write(*open_->put_visit, visit) || !open_->write_token(visit))
                return failed();
        if (transaction.commit()) return failed();
        return {};
    });
}

Result<std::size_t> SqliteSink::forget(Instant ended_before, std::size_t limit) {
    return try_to([&]() -> Result<std::size_t> {
        open_->forget->bind(1, ended_before.ms).bind(2, static_cast<std::int64_t>(limit));
        if (!open_->forget->run()) return fault_in(path_, open_->database.trouble());
        return static_cast<std::size_t>(sqlite3_changes64(open_->database.handle()));
    });
}

} // namespace anteroom::history
