#include "store/history/testing.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "base/check.h"
#include "base/text.h"

namespace anteroom::history::testing {
namespace {

constexpr const char* schema = R"(
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
PRAGMA application_id = 0x416e7452;
PRAGMA user_version = 1;
CREATE TABLE rooms(
  room INTEGER PRIMARY KEY, id TEXT NOT NULL, created_at INTEGER NOT NULL, removed_at INTEGER,
  profile TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE facts(
  fact INTEGER PRIMARY KEY, room INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  kind INTEGER NOT NULL, number INTEGER, visitor BLOB, detail, outer INTEGER, who TEXT,
  sum INTEGER NOT NULL);
CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('pruned_through', 0), ('pruned_sum', 0);
)";

sqlite::Database open_ledger(const std::string& path) {
    Result<sqlite::Database> database = sqlite::Database::open(path, sqlite::Database::Mode::write);
    CHECK(database);
    return std::move(*database);
}

} // namespace

Folder::Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "anteroom-XXXXXX").string();
    CHECK(mkdtemp(pattern.data()));
    path_ = pattern;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Ledger::Ledger(const Folder& folder) : database_(open_ledger(folder.path() + "/ledger.db")) {
    run(schema);
}

void Ledger::run(const std::string& sql) {
    CHECK(!database_.run(sql.c_str()));
}

std::uint32_t Ledger::add_room(std::string_view id, Instant at) {
    ++rooms_;
    run("INSERT INTO rooms VALUES(" + std::to_string(rooms_) + ", '" + std::string(id) + "', " +
        std::to_string(at.ms) + ", NULL, '{}', 0)");
    return rooms_;
}

void Ledger::remove_room(std::uint32_t room, Instant at) {
    run("UPDATE rooms SET removed_at = " + std::to_string(at.ms) +
        " WHERE room = " + std::to_string(room));
}

std::uint64_t Ledger::add(const FactRow& fact) {
    insert(fact);
    return last_;
}

void Ledger::add(const std::vector<FactRow>& facts) {
    run("BEGIN");
    for (const FactRow& fact : facts) insert(fact);
    run("COMMIT");
}

void Ledger::insert(const FactRow& fact) {
    sqlite::Statement statement =
        std::move(*database_.prepare("INSERT INTO facts VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"));
    const std::vector<std::uint8_t> visitor = from_hex(fact.visitor).value();
    for (int column = 1; column <= 10; ++column) statement.bind_null(column);
    statement.bind(1, static_cast<std::int64_t>(++last_))
        .bind(2, std::int64_t{fact.room})
        .bind(3, static_cast<std::int64_t>(++sequences_[fact.room]))
        .bind(4, fact.at.ms)
        .bind(5, static_cast<std::int64_t>(fact.kind))
        .bind(8, fact.detail);
    if (fact.number) statement.bind(6, static_cast<std::int64_t>(fact.number));
    if (!visitor.empty()) statement.bind_blob(7, visitor);
    if (!fact.settings.empty()) statement.bind(8, fact.settings);
    if (fact.outer) statement.bind(9, static_cast<std::int64_t>(fact.outer));
    if (!fact.who.empty()) statement.bind(10, fact.who);
    CHECK(statement.run());
}

void Ledger::prune(std::uint64_t through) {
    run("BEGIN; DELETE FROM facts WHERE fact <= " + std::to_string(through) +
        "; UPDATE meta SET value = " + std::to_string(through) +
        " WHERE key = 'pruned_through'; COMMIT");
}

FactRow joined(std::uint32_t room, Number number, std::string_view who, std::int64_t at) {
    FactRow row = fact(FactKind::joined, room, number, at);
    row.who = who;
    row.visitor = "000102030405060708090a0b0c0d0e0f";
    return row;
}

FactRow fact(FactKind kind, std::uint32_t room, Number number, std::int64_t at,
             std::int64_t detail) {
    return {.room = room, .at = Instant{at}, .kind = kind, .number = number, .detail = detail};
}

std::vector<FactRow> crowd(std::uint64_t seed, std::size_t facts, std::uint32_t rooms) {
    std::mt19937_64 random(seed);
    std::vector<FactRow> made;
    struct Live {
        Number number;
        VisitorState state;
    };
    std::map<std::uint32_t, std::vector<Live>> live;
    std::map<std::uint32_t, Number> issued;
    std::int64_t now = 1'700'000'000'000;
    while (made.size() < facts) {
        const auto room = static_cast<std::uint32_t>(1 + random() % rooms);
        std::vector<Live>& there = live[room];
        now += static_cast<std::int64_t>(random() % 50);
        const std::uint64_t dice = random() % 1'000;
        if (dice == 0) {
            made.push_back(fact(FactKind::cleared, room, 0, now));
            there.clear();
        } else if (dice < 400 || there.empty()) {
            const Number number = ++issued[room];
            // Some are anonymous, some come again.
            FactRow row = joined(room, number, "", now);
            if (dice % 3 != 0) row.who = "visitor-" + std::to_string(random() % 200);
            row.detail = static_cast<std::int64_t>(random() % 2 * 256 + random() % 3);
            made.push_back(row);
            there.push_back({number, VisitorState::waiting});
        } else {
            const std::size_t index = random() % there.size();
            Live& one = there[index];
            const bool ends = dice % 3 == 0;
            if (ends) {
                const FactKind kind = dice % 2 == 0 ? FactKind::left : FactKind::expired;
                made.push_back(fact(kind, room, one.number, now,
                                    kind == FactKind::expired ? static_cast<int>(dice % 3) : 0));
                there.erase(there.begin() + static_cast<std::ptrdiff_t>(index));
            } else if (one.state == VisitorState::waiting) {
                made.push_back(fact(FactKind::called, room, one.number, now));
                one.state = VisitorState::called;
            } else if (one.state == VisitorState::called) {
                made.push_back(fact(FactKind::claimed, room, one.number, now));
                one.state = VisitorState::active;
            } else {
                made.push_back(fact(FactKind::finished, room, one.number, now));
                there.erase(there.begin() + static_cast<std::ptrdiff_t>(index));
            }
        }
    }
    return made;
}

Visits naive_visits(const std::vector<FactRow>& facts) {
    Visits visits;
    const auto end = [](Visit& visit, const FactRow& row, VisitorState outcome, Cause cause) {
        visit.progress.ended_at = row.at;
        visit.progress.outcome = outcome;
        visit.progress.cause = cause;
    };
    constexpr Cause causes[] = {Cause::silent, Cause::no_show, Cause::lease};
    for (const FactRow& row : facts) {
        if (row.kind == FactKind::cleared) {
            for (auto& [key, visit] : visits)
                if (key.first == row.room && !visit.progress.ended_at)
                    end(visit, row, VisitorState::expired, Cause::cleared);
            continue;
        }
        if (row.number == 0) continue;
        Visit& visit = visits[{row.room, row.number}];
        switch (row.kind) {
            case FactKind::joined:
                visit = {.room = row.room,
                         .number = row.number,
                         .visitor = row.who.empty() ? row.visitor : row.who,
                         .lane = static_cast<std::uint8_t>(row.detail % 256),
                         .joined_at = row.at};
                break;
            case FactKind::called: visit.progress.called_at = row.at; break;
            case FactKind::claimed: visit.progress.entered_at = row.at; break;
            case FactKind::finished: end(visit, row, VisitorState::finished, Cause::none); break;
            case FactKind::left: end(visit, row, VisitorState::left, Cause::none); break;
            case FactKind::expired:
                end(visit, row, VisitorState::expired, causes[row.detail]);
                break;
            default: break;
        }
    }
    return visits;
}

Visits visits_in(const std::string& folder) {
    Result<HistoryReader> reader = HistoryReader::open(folder);
    CHECK(reader);
    Result<std::vector<VisitEntry>> all = reader->visits_after(0, 0, 1'000'000'000);
    CHECK(all);
    Visits visits;
    for (VisitEntry& entry : *all)
        visits[{entry.visit.room, entry.visit.number}] = std::move(entry.visit);
    return visits;
}

void Lines::add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
}

bool Lines::wait_for(std::string_view part) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(patience.count), [&] {
        return std::any_of(lines_.begin(), lines_.end(),
                           [&](const std::string& line) { return line.find(part) != line.npos; });
    });
}

std::vector<std::string> Lines::all() {
    const std::lock_guard lock(mutex_);
    return lines_;
}

HistorianOptions quick(const Folder& folder, Lines& lines) {
    return {.folder = folder.path(),
            .now = [] { return today; },
            .tell = [&lines](Mood, const std::string& line) { lines.add(line); },
            .pause = Millis{0},
            .rest = Millis{20},
            .backoff_min = Millis{1},
            .backoff_max = Millis{10},
            .facts_per_batch = 100};
}

} // namespace anteroom::history::testing
