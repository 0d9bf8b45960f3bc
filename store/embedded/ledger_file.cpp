#include "store/embedded/ledger_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "service/profile_text.h"

namespace anteroom::embedded {
namespace {

using sqlite::Database;
using sqlite::Statement;
using sqlite::Step;
using sqlite::Trouble;

constexpr std::int64_t application_id = 0x416e'7452; // "AntR"
constexpr std::int64_t version = 1;

// The cache: facts are appended, read once and deleted from the front; no page is wanted twice.
constexpr const char* pragmas = R"sql(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA cache_size = -2000;
)sql";

constexpr const char* schema = R"sql(
CREATE TABLE rooms(
  room INTEGER PRIMARY KEY, id TEXT NOT NULL, created_at INTEGER NOT NULL, removed_at INTEGER,
  profile TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE UNIQUE INDEX rooms_by_id ON rooms(id) WHERE removed_at IS NULL;
CREATE TABLE facts(
  fact INTEGER PRIMARY KEY, room INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  kind INTEGER NOT NULL, number INTEGER, visitor BLOB, detail, outer INTEGER, who TEXT,
  sum INTEGER NOT NULL);
CREATE TABLE fact_kinds(kind INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE snapshots(
  room INTEGER PRIMARY KEY, seq INTEGER NOT NULL, file TEXT NOT NULL);
CREATE TABLE audit(
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL, address TEXT NOT NULL,
  room TEXT NOT NULL, action TEXT NOT NULL, detail TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('batch', 0), ('pruned_through', 0), ('pruned_sum', 0);
CREATE VIEW story AS
  SELECT f.fact, r.id AS room, f.seq, strftime('%Y-%m-%d %H:%M:%f', f.at / 1000.0, 'unixepoch') AS at,
         k.name AS what, f.number, coalesce(f.who, lower(hex(f.visitor))) AS visitor, f.detail, f.outer
  FROM facts f LEFT JOIN rooms r ON r.room = f.room LEFT JOIN fact_kinds k ON k.kind = f.kind
  ORDER BY f.fact;
)sql";

Fault damaged(std::string what) {
    return Fault{"the ledger is damaged: " + std::move(what)};
}

// Names for people who read the ledger; no code reads them.
Trouble name_fact_kinds(Database& database) {
    for (const FactKind& kind : fact_kinds) {
        const std::string insert =
            fmt::format("INSERT INTO fact_kinds VALUES({}, '{}')", kind.kind, kind.name);
        if (Trouble trouble = database.run(insert.c_str())) return trouble;
    }
    return {};
}

} // namespace

LedgerFile::LedgerFile(Database database) : database_(std::move(database)) {}

Result<LedgerFile> LedgerFile::open(const std::string& path) {
    Result<Database> opened = Database::open(path, Database::Mode::write);
    if (!opened) return opened.fault();
    LedgerFile ledger(*std::move(opened));
    Database& database = ledger.database_;
    const auto fault = [&](const Trouble& trouble) { return Fault{path + ": " + trouble.message}; };
    if (const Trouble trouble = database.run(pragmas)) return fault(trouble);
    const Result<std::int64_t> found_version = database.integer("PRAGMA user_version");
    const Result<std::int64_t> found_application = database.integer("PRAGMA application_id");
    const Result<std::int64_t> tables = database.integer("SELECT count(*) FROM sqlite_schema");
    if (!found_version) return Fault{path + ": " + found_version.fault().reason};
    if (!found_application) return Fault{path + ": " + found_application.fault().reason};
    if (!tables) return Fault{path + ": " + tables.fault().reason};
    if (*tables == 0) {
        if (const Trouble trouble = ledger.begin()) return fault(trouble);
        if (const Trouble trouble = database.run(schema)) return fault(trouble);
        if (const Trouble trouble = name_fact_kinds(database)) return fault(trouble);
        const std::string stamp = fmt::format(
            "PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, version);
        if (const Trouble trouble = database.run(stamp.c_str())) return fault(trouble);
        if (const Trouble trouble = database.run("COMMIT")) return fault(trouble);
    } else if (*found_application != application_id) {
        return Fault{path + " is not a ledger of Anteroom"};
    } else if (*found_version != version) {
        return Fault{fmt::format("{} has version {}; this program reads version {}", path,
                                 *found_version, version)};
    }
    if (const Result<void> prepared = ledger.prepare(); !prepared)
        return Fault{path + ": " + prepared.fault().reason};
    if (const Result<void> read = ledger.read_position(); !read)
        return Fault{path + ": " + read.fault().reason};
    return ledger;
}

Result<void> LedgerFile::prepare() {
    struct Wanted {
        std::optional<Statement>* statement;
        const char* sql;
    };
    const Wanted all[] = {
        {&add_fact_, "INSERT INTO facts VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
        {&add_room_, "INSERT INTO rooms VALUES(?, ?, ?, NULL, ?, ?)"},
        {&set_profile_, "UPDATE rooms SET profile = ?, sum = ? WHERE room = ?"},
        {&remove_room_, "UPDATE rooms SET removed_at = ? WHERE room = ?"},
        {&add_audit_, "INSERT INTO audit VALUES(?, ?, ?, ?, ?, ?, ?, ?)"},
        {&trim_audit_, "DELETE FROM audit WHERE id <= ?"},
        {&set_snapshot_, "INSERT OR REPLACE INTO snapshots VALUES(?, ?, ?)"},
        {&sum_at_, "SELECT sum FROM facts WHERE fact = ?"},
        {&delete_facts_, "DELETE FROM facts WHERE fact <= ?"},
        {&set_meta_, "UPDATE meta SET value = ? WHERE key = ?"},
    };
    for (const Wanted& wanted : all) {
        Result<Statement> statement = database_.prepare(wanted.sql);
        if (!statement) return damaged(statement.fault().reason);
        *wanted.statement = *std::move(statement);
    }
    return {};
}

Result<void> LedgerFile::read_position() {
    const auto meta = [&](const char* key) {
        return database_.integer(fmt::format("SELECT value FROM meta WHERE key = '{}'", key), -1);
    };
    const Result<std::int64_t> through = meta("pruned_through");
    const Result<std::int64_t> sum = meta("pruned_sum");
    const Result<std::int64_t> batch = meta("batch");
    const Result<std::int64_t> last = database_.integer("SELECT max(fact) FROM facts");
    for (const Result<std::int64_t>* value : {&through, &sum, &batch, &last})
        if (!*value) return value->fault();
    if (*batch < 0) return damaged("meta has no batch");
    batch_ = static_cast<std::uint64_t>(*batch);
    if (*through < 0 || *sum < 0 || *sum > UINT32_MAX) return damaged("meta has no pruned_through");
    pruned_ = static_cast<std::uint64_t>(*through);
    pruned_sum_ = static_cast<std::uint32_t>(*sum);
    last_ = std::max(pruned_, static_cast<std::uint64_t>(*last));
    sum_ = pruned_sum_;
    if (last_ == pruned_) return {};
    const Result<std::int64_t> last_sum =
        database_.integer(fmt::format("SELECT sum FROM facts WHERE fact = {}", last_));
    if (!last_sum) return last_sum.fault();
    sum_ = static_cast<std::uint32_t>(*last_sum);
    return {};
}

std::uint32_t LedgerFile::sum_of_room(const RoomRow& room) {
    const std::string text =
        fmt::format("{}\n{}\n{}", room.index, room.id, profile_text(room.profile));
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

std::uint32_t LedgerFile::sum_of_entry(const AuditEntry& entry) {
    const std::string text =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", entry.id, entry.at.ms, entry.actor, entry.address,
                    entry.room, entry.action, entry.detail);
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

Result<std::vector<RoomRow>> LedgerFile::rooms() {
    Result<Statement> all = database_.prepare(
        "SELECT room, id, removed_at IS NOT NULL, profile, sum FROM rooms ORDER BY room");
    if (!all) return all.fault();
    std::vector<RoomRow> rooms;
    for (;;) {
        const Step step = all->step();
        if (step == Step::done) return rooms;
        if (step == Step::failed) return damaged(all->trouble().message);
        RoomRow row{.index = static_cast<std::uint32_t>(all->integer(0)),
                    .id = std::string(all->text(1)),
                    .is_removed = all->integer(2) != 0};
        std::optional<Profile> profile = profile_of(all->text(3));
        if (!profile) return damaged("the profile of room " + row.id + " cannot be read");
        row.profile = *std::move(profile);
        const bool fits = is_room_id(row.id) && sum_of_room(row) == all->integer(4);
        if (!fits) return damaged("the row of room " + row.id + " has a wrong sum");
        rooms.push_back(std::move(row));
    }
}

Result<std::vector<SnapshotRow>> LedgerFile::snapshots() {
    Result<Statement> all = database_.prepare("SELECT room, seq, file FROM snapshots");
    if (!all) return all.fault();
    std::vector<SnapshotRow> snapshots;
    for (;;) {
        const Step step = all->step();
        if (step == Step::done) return snapshots;
        if (step == Step::failed) return damaged(all->trouble().message);
        snapshots.push_back({.room = static_cast<std::uint32_t>(all->integer(0)),
                             .sequence = static_cast<std::uint64_t>(all->integer(1)),
                             .file = std::string(all->text(2))});
    }
}

Result<std::vector<AuditEntry>> LedgerFile::audit(std::size_t count) {
    Result<Statement> newest = database_.prepare(
        "SELECT * FROM (SELECT * FROM audit ORDER BY id DESC LIMIT ?) ORDER BY id");
    if (!newest) return newest.fault();
    newest->bind(1, static_cast<std::int64_t>(count));
    std::vector<AuditEntry> entries;
    for (;;) {
        const Step step = newest->step();
        if (step == Step::done) return entries;
        if (step == Step::failed) return damaged(newest->trouble().message);
        entries.push_back({.id = static_cast<std::uint64_t>(newest->integer(0)),
                           .at = Instant{newest->integer(1)},
                           .actor = std::string(newest->text(2)),
                           .address = std::string(newest->text(3)),
                           .room = std::string(newest->text(4)),
                           .action = std::string(newest->text(5)),
                           .detail = std::string(newest->text(6))});
        if (sum_of_entry(entries.back()) != newest->integer(7))
            return damaged(fmt::format("entry {} of the audit has a wrong sum", entries.back().id));
    }
}

Result<void> LedgerFile::read_facts(const VisitFact& visit) {
    Result<Statement> all = database_.prepare(
        "SELECT fact, room, seq, at, kind, number, visitor, detail, outer, who, sum FROM facts "
        "ORDER BY fact");
    if (!all) return all.fault();
    std::uint64_t last = pruned_;
    std::uint32_t sum = pruned_sum_;
    for (;;) {
        const Step step = all->step();
        if (step == Step::done) break;
        if (step == Step::failed) return damaged(all->trouble().message);
        const auto or_null = [&](int column) {
            return all->is_null(column) ? -1 : all->integer(column);
        };
        FactRow row{.fact = static_cast<std::uint64_t>(all->integer(0)),
                    .room = static_cast<std::uint32_t>(all->integer(1)),
                    .sequence = static_cast<std::uint64_t>(all->integer(2)),
                    .at = Instant{all->integer(3)},
                    .columns = {.kind = all->integer(4), .number = or_null(5), .outer = or_null(8)},
                    .who = all->text(9)};
        if (!all->is_null(6)) {
            const auto bytes = all->blob(6);
            row.columns.visitor =
                key_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        }
        if (all->type(7) == SQLITE_TEXT)
            row.columns.text = std::string(all->text(7));
        else
            row.columns.detail = or_null(7);
        if (row.fact != last + 1) return damaged(fmt::format("fact {} is missing", last + 1));
        if (sum_of(row, sum) != all->integer(10))
            return damaged(fmt::format("fact {} has a wrong sum", row.fact));
        last = row.fact;
        sum = static_cast<std::uint32_t>(all->integer(10));
        if (Result<void> visited = visit(row); !visited) return visited;
    }
    if (last != last_) return damaged(fmt::format("fact {} is missing", last + 1));
    return {};
}

Trouble LedgerFile::begin() {
    begun_last_ = last_;
    begun_sum_ = sum_;
    begun_pruned_ = pruned_;
    begun_pruned_sum_ = pruned_sum_;
    return database_.run("BEGIN IMMEDIATE");
}

Trouble LedgerFile::commit() {
    set_meta_->bind(1, static_cast<std::int64_t>(batch_ + 1)).bind(2, "batch");
    if (!set_meta_->run()) return set_meta_->trouble();
    Trouble trouble = database_.run("COMMIT");
    if (!trouble) ++batch_;
    return trouble;
}

void LedgerFile::roll_back() {
    // SQLite may have done so by itself.
    if (sqlite3_get_autocommit(database_.handle()) == 0) database_.run("ROLLBACK");
    last_ = begun_last_;
    sum_ = begun_sum_;
    pruned_ = begun_pruned_;
    pruned_sum_ = begun_pruned_sum_;
}

Trouble LedgerFile::add_fact(std::uint32_t room, const Fact& fact, std::string_view who) {
    const FactRow row{.fact = last_ + 1,
                      .room = room,
                      .sequence = fact.sequence,
                      .at = fact.at,
                      .columns = columns_of(fact.what),
                      .who = who};
    const std::uint32_t sum = sum_of(row, sum_);
    const FactColumns& columns = row.columns;
    Statement& add = *add_fact_;
    const auto bind = [&](int position, std::int64_t value) {
        value < 0 ? add.bind_null(position) : add.bind(position, value);
    };
    add.bind(1, static_cast<std::int64_t>(row.fact)).bind(2, room);
    add.bind(3, static_cast<std::int64_t>(row.sequence)).bind(4, row.at.ms);
    add.bind(5, columns.kind);
    bind(6, columns.number);
    std::string visitor;
    if (columns.visitor) {
        visitor = bytes_of(*columns.visitor);
        add.bind_blob(7, {reinterpret_cast<const std::uint8_t*>(visitor.data()), visitor.size()});
    } else {
        add.bind_null(7);
    }
    if (columns.text.empty())
        bind(8, columns.detail);
    else
        add.bind(8, columns.text);
    bind(9, columns.outer);
    who.empty() ? add.bind_null(10) : add.bind(10, who);
    add.bind(11, sum);
    if (!add.run()) return add.trouble();
    last_ = row.fact;
    sum_ = sum;
    return {};
}

Trouble LedgerFile::add_room(const RoomRow& room, Instant at) {
    const std::string profile = profile_text(room.profile);
    add_room_->bind(1, room.index).bind(2, room.id).bind(3, at.ms).bind(4, profile);
    add_room_->bind(5, sum_of_room(room));
    return add_room_->run() ? Trouble{} : add_room_->trouble();
}

Trouble LedgerFile::set_profile(const RoomRow& room) {
    const std::string profile = profile_text(room.profile);
    set_profile_->bind(1, profile).bind(2, sum_of_room(room)).bind(3, room.index);
    return set_profile_->run() ? Trouble{} : set_profile_->trouble();
}

Trouble LedgerFile::remove_room(std::uint32_t index, Instant at) {
    remove_room_->bind(1, at.ms).bind(2, index);
    return remove_room_->run() ? Trouble{} : remove_room_->trouble();
}

Trouble LedgerFile::add_audit(const AuditEntry& entry) {
    const auto id = static_cast<std::int64_t>(entry.id);
    add_audit_->bind(1, id).bind(2, entry.at.ms).bind(3, entry.actor).bind(4, entry.address);
    add_audit_->bind(5, entry.room).bind(6, entry.action).bind(7, entry.detail);
    add_audit_->bind(8, sum_of_entry(entry));
    if (!add_audit_->run()) return add_audit_->trouble();
    trim_audit_->bind(1, id - static_cast<std::int64_t>(Audit::entries_max));
    return trim_audit_->run() ? Trouble{} : trim_audit_->trouble();
}

Trouble LedgerFile::set_snapshot(const SnapshotRow& snapshot) {
    set_snapshot_->bind(1, snapshot.room).bind(2, static_cast<std::int64_t>(snapshot.sequence));
    set_snapshot_->bind(3, snapshot.file);
    return set_snapshot_->run() ? Trouble{} : set_snapshot_->trouble();
}

Trouble LedgerFile::prune(std::uint64_t through, std::uint64_t count, bool& left) {
    const std::uint64_t target = std::min({through, last_, pruned_ + count});
    left = false;
    if (target <= pruned_) return {};
    sum_at_->bind(1, static_cast<std::int64_t>(target));
    if (sum_at_->step() != Step::row) return sum_at_->trouble();
    const auto sum = static_cast<std::uint32_t>(sum_at_->integer(0));
    sum_at_->rewind();
    delete_facts_->bind(1, static_cast<std::int64_t>(target));
    if (!delete_facts_->run()) return delete_facts_->trouble();
    set_meta_->bind(1, static_cast<std::int64_t>(target)).bind(2, "pruned_through");
    if (!set_meta_->run()) return set_meta_->trouble();
    set_meta_->bind(1, sum).bind(2, "pruned_sum");
    if (!set_meta_->run()) return set_meta_->trouble();
    pruned_ = target;
    pruned_sum_ = sum;
    left = target < std::min(through, last_);
    return {};
}

} // namespace anteroom::embedded
