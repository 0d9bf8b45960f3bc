#include "store/history/soci_sink.h"

#include <fmt/format.h>
#include <soci/soci.h>

#include <utility>

#include "base/json_text.h"
#include "engine/settings.h"
#include "store/history/fold.h"
#include "store/history/sql_dialect.h"

namespace anteroom::history {
namespace {

using soci::into;
using soci::use;

constexpr int schema_version = 1;
constexpr std::size_t visitor_bytes_max = 256; // Of the column.

// --- Rows as JSON --------------------------------------------------------------------------------

// One array of flat objects. What is not set is left out, and the database reads null.
class Rows {
  public:
    void begin() { text_ += text_.size() > 1 ? ",{" : "{"; }
    void end() { text_ += '}'; }

    void add(std::string_view name, std::int64_t value) {
        key(name);
        fmt::format_to(std::back_inserter(text_), "{}", value);
    }
    void add(std::string_view name, std::string_view value) {
        key(name);
        append_json_string(text_, value);
    }
    void add(std::string_view name, const std::optional<Instant>& at) {
        if (at) add(name, at->ms);
    }
    void add(const Progress& progress) {
        add("called_at", progress.called_at);
        add("entered_at", progress.entered_at);
        add("ended_at", progress.ended_at);
        if (progress.outcome) add("outcome", std::string_view(anteroom::name(*progress.outcome)));
        if (progress.cause != Cause::none) add("cause", history::name(progress.cause));
    }

    std::string take() && { return std::move(text_) + "]"; }

  private:
    void key(std::string_view name) {
        fmt::format_to(std::back_inserter(text_), "{}\"{}\":", text_.back() == '{' ? "" : ",",
                       name);
    }
    std::string text_ = "[";
};

// What any database takes: no NUL, which PostgreSQL refuses, and not longer than the column. A row
// that a database refuses would stop the history for good.
std::string storable(std::string_view visitor) {
    std::string text;
    for (const char c : visitor)
        if (c != '\0') text += c;
    if (text.size() <= visitor_bytes_max) return text;
    std::size_t size = visitor_bytes_max;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    text.resize(size);
    return text;
}

std::string rows_of(std::span<const Visit> visits, const EntryToken& entry_token) {
    Rows rows;
    for (const Visit& visit : visits) {
        rows.begin();
        rows.add("room", std::int64_t{visit.room});
        rows.add("number", static_cast<std::int64_t>(visit.number));
        rows.add("visitor", storable(visit.visitor));
        rows.add("lane", std::int64_t{visit.lane});
        rows.add("joined_at", visit.joined_at.ms);
        rows.add(visit.progress);
        rows.add("token", entry_token(visit.room, visit.number));
        rows.end();
    }
    return std::move(rows).take();
}

std::string rows_of(std::span<const VisitChange> changes) {
    Rows rows;
    for (const VisitChange& change : changes) {
        rows.begin();
        rows.add("room", std::int64_t{change.room});
        rows.add("number", static_cast<std::int64_t>(change.number));
        rows.add(change.progress);
        rows.end();
    }
    return std::move(rows).take();
}

std::string rows_of(std::span<const LedgerRoom> rooms) {
    const Settings defaults;
    Rows rows;
    for (const LedgerRoom& room : rooms) {
        rows.begin();
        rows.add("room", std::int64_t{room.room});
        rows.add("id", std::string_view(room.id));
        rows.add("created_at", room.created_at.ms);
        rows.add("removed_at", room.removed_at);
        rows.add("capacity", defaults.capacity);
        rows.add("admit_batch", defaults.admit_batch);
        rows.add("admit_interval", defaults.admit_interval.count);
        rows.end();
    }
    return std::move(rows).take();
}

std::string rows_of(std::span<const RoomRow> rooms) {
    Rows rows;
    for (const RoomRow& room : rooms) {
        rows.begin();
        rows.add("room", std::int64_t{room.room});
        rows.add("id", std::string_view(room.id));
        rows.add("created_at", room.created_at.ms);
        rows.add("removed_at", room.removed_at);
        rows.add("capacity", room.admission.capacity);
        rows.add("admit_batch", room.admission.batch);
        rows.add("admit_interval", room.admission.interval.count);
        rows.add("state", std::string_view(anteroom::name(room.state)));
        rows.add("opened_at", room.opened_at.ms);
        rows.add("closed_at", room.closed_at);
        rows.end();
    }
    return std::move(rows).take();
}

// --- Connecting ----------------------------------------------------------------------------------

// Both drivers read name='value' with a backslash before quotes and backslashes.
std::string option(std::string_view name, std::string_view value) {
    std::string text = fmt::format(" {}='", name);
    for (const char c : value) {
        if (c == '\'' || c == '\\') text += '\\';
        text += c;
    }
    return text + "'";
}

// Nothing waits for ever: a peer that is gone without a word is noticed by its silence.
std::string connect_text(const SqlUrl& url) {
    const bool is_postgresql = url.kind == SqlKind::postgresql;
    std::string text = option("user", url.user) + option("dbname", url.database);
    if (!url.password.empty()) text += option("password", url.password);
    if (url.socket.empty())
        text += option("host", url.host) + option("port", std::to_string(url.port));
    else
        text += option(is_postgresql ? "host" : "unix_socket", url.socket);
    if (!url.sslmode.empty()) text += option("sslmode", url.sslmode);
    if (!url.sslrootcert.empty()) text += option("sslrootcert", url.sslrootcert);
    if (!url.sslca.empty()) text += option("sslca", url.sslca);
    if (is_postgresql)
        return text +
               " client_encoding=UTF8 application_name=anteroom connect_timeout=10"
               " tcp_user_timeout=30000 keepalives_idle=10 keepalives_interval=5"
               " keepalives_count=3";
    return text + " charset=utf8mb4 connect_timeout=10 read_timeout=300 write_timeout=60";
}

// One line, without what PostgreSQL says below the message: that quotes rows and statements.
std::string in_one_line(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        for (const std::string_view begin : {"DETAIL:", "HINT:", "CONTEXT:", "QUERY:", "LINE "})
            if (part.starts_with(begin)) return line;
        while (!part.empty() && (part.front() == ' ' || part.front() == '\t'))
            part.remove_prefix(1);
        if (!part.empty()) line += (line.empty() ? "" : " ") + std::string(part);
    }
    return line;
}

void hide(std::string& text, const std::string& secret) {
    if (secret.empty()) return;
    for (std::size_t at = text.find(secret); at != text.npos; at = text.find(secret, at + 8))
        text.replace(at, secret.size(), "********");
}

} // namespace

struct SociSink::Connection {
    const SqlDialect& sql;
    soci::session session;

    Connection(const SqlUrl& url, const Views& views)
        : sql(dialect_of(url.kind)), session(sql.backend, connect_text(url)) {
        run(sql.session);
        std::string encoding;
        session << sql.encoding, into(encoding);
        if (encoding != "UTF8")
            throw soci::soci_error("the database must have the encoding UTF8, not " + encoding);
        if (count(sql.has_tables) == 0 || count(sql::count_cursors) == 0) create(views);
        long long version = 0;
        session << sql::read_version, into(version);
        if (version != schema_version)
            throw soci::soci_error(
                fmt::format("the tables there have version {}; this program knows version {}",
                            version, schema_version));
    }

    void run(const char* text) { session << text; }

    long long count(const char* text) {
        long long found = 0;
        session << text, into(found);
        return found;
    }

    // The row of the cursor comes last: without it everything is made again, which does no harm.
    void create(const Views& views) {
        for (const char* text : {sql.create_rooms, sql.create_visits, sql.create_visit_indexes[0],
                                 sql.create_visit_indexes[1]})
            if (text) run(text);
        for (const HistoryViews* dialect : views)
            for (const char* view : dialect->*sql.views) run(view);
        run(sql.create_cursor);
        session << sql::begin_cursor, use(schema_version, "version");
    }

    void put(const char* text, const std::string& rows) { session << text, use(rows, "rows"); }

    void apply(const RoomChange& change) {
        const int room = static_cast<int>(change.room);
        if (change.admission) {
            const long long capacity = change.admission->capacity;
            const long long batch = change.admission->batch;
            const long long interval = change.admission->interval.count;
            session << sql::configure, use(capacity, "capacity"), use(batch, "admit_batch"),
                use(interval, "admit_interval"), use(room, "room");
        }
        if (!change.state) return;
        const int joinable = may_join(*change.state) ? 1 : 0;
        const int refusing = 1 - joinable;
        const long long at = change.at.ms;
        const std::string state = anteroom::name(*change.state);
        session << sql.set_state, use(joinable, "joinable"), use(at, "opened"),
            use(refusing, "refusing"), use(at, "closed"), use(state, "state"), use(room, "room");
    }

    void apply(const Clearing& clearing) {
        const int room = static_cast<int>(clearing.room);
        const long long at = clearing.at.ms;
        session << sql::clear, use(at, "at"), use(room, "room");
    }
};

SociSink::SociSink(SqlUrl url, Views views, EntryToken entry_token)
    : url_(std::move(url)), views_(std::move(views)), entry_token_(std::move(entry_token)) {}
SociSink::~SociSink() = default;

std::string SociSink::name() const {
    std::string text = without_password(url_);
    hide(text, url_.password); // It may have been pasted into the wrong place.
    return text;
}

SociSink::Connection& SociSink::connection() {
    if (!connection_) connection_ = std::make_unique<Connection>(url_, views_);
    return *connection_;
}

// After a failure the connection is given up: the next cursor() connects and knows what was kept.
template <class Work>
auto SociSink::try_to(Work work) -> decltype(work(std::declval<Connection&>())) {
    std::string reason;
    try {
        auto result = work(connection());
        if (result) return result;
        reason = result.fault().reason;
    } catch (const soci::soci_error& error) {
        // Without its context, which quotes the statement and its parameters. A conflict quotes a
        // value, too; SOCI 4.0 does not know it for one with MySQL.
        const std::string message = in_one_line(error.get_error_message());
        const bool conflict =
            error.get_error_category() == soci::soci_error::constraint_violation ||
            message.starts_with("Duplicate entry");
        reason = conflict ? "a row contradicts one that is there: this history and the ledger do "
                            "not belong together"
                          : message;
        if (reason.find("shared library") != reason.npos)
            reason += fmt::format(" (the package {} has it)", dialect_of(url_.kind).package);
    } catch (const std::exception& error) {
        reason = in_one_line(error.what());
    }
    connection_.reset();
    hide(reason, url_.password);
    return Fault{name() + ": " + reason};
}

Result<std::uint64_t> SociSink::cursor() {
    return try_to([&](Connection& connection) -> Result<std::uint64_t> {
        return static_cast<std::uint64_t>(connection.count(sql::read_cursor));
    });
}

Result<void> SociSink::write(const Batch& batch) {
    return try_to([&](Connection& connection) -> Result<void> {
        const std::vector<Chapter> chapters = fold(batch.facts);
        soci::transaction transaction(connection.session);
        // The lock comes first. A transaction of ours that was cut off may still be under way: then
        // we wait for it here, see that the cursor has moved, and do not count twice.
        const auto at = static_cast<std::uint64_t>(connection.count(sql::lock_cursor));
        if (at != batch.after)
            return Fault{fmt::format("somebody else has written to it: it is at fact {}, not {}",
                                     at, batch.after)};
        if (!batch.rooms.empty()) connection.put(connection.sql.list_rooms, rows_of(batch.rooms));
        for (const Chapter& chapter : chapters) {
            if (!chapter.arrivals.empty())
                connection.put(connection.sql.insert_visits,
                               rows_of(chapter.arrivals, entry_token_));
            if (!chapter.changes.empty())
                connection.put(connection.sql.change_visits, rows_of(chapter.changes));
            for (const RoomChange& room : chapter.rooms) connection.apply(room);
            if (chapter.clearing) connection.apply(*chapter.clearing);
        }
        const auto through = static_cast<long long>(batch.through);
        connection.session << sql::move_cursor, use(through, "fact");
        transaction.commit();
        return {};
    });
}

Result<void> SociSink::copy(std::span<const RoomRow> rooms, std::span<const Visit> visits) {
    return try_to([&](Connection& connection) -> Result<void> {
        soci::transaction transaction(connection.session);
        if (!rooms.empty()) connection.put(connection.sql.put_rooms, rows_of(rooms));
        if (!visits.empty()) {
            const std::string rows = rows_of(visits, entry_token_);
            connection.put(connection.sql.remove_visits, rows);
            connection.put(connection.sql.insert_visits, rows);
        }
        transaction.commit();
        return {};
    });
}

Result<std::size_t> SociSink::forget(Instant ended_before, std::size_t limit) {
    return try_to([&](Connection& connection) -> Result<std::size_t> {
        const long long before = ended_before.ms;
        const auto most = static_cast<long long>(limit);
        soci::statement statement = (connection.session.prepare << connection.sql.forget,
                                     use(before, "before"), use(most, "most"));
        statement.execute(true);
        return static_cast<std::size_t>(statement.get_affected_rows());
    });
}

} // namespace anteroom::history
