#include "store/sqlite/sqlite.h"

#include "base/check.h"

namespace anteroom::sqlite {
namespace {

// Another process (the shell, an inspection) may hold the file for a moment.
constexpr int busy_timeout_ms = 5'000;

Trouble trouble_of(sqlite3* database) {
    return {.code = sqlite3_extended_errcode(database), .message = sqlite3_errmsg(database)};
}

// Without locks and without files beside it, which a folder may not allow.
[[maybe_unused]] std::string immutable_uri(const std::string& path) {
    std::string uri = "file:";
    for (const char c : path) {
        switch (c) {
            case '%': uri += "%25"; break;
            case '?': uri += "%3f"; break;
            case '#': uri += "%23"; break;
            default: uri += c;
        }
    }
    return uri + "?immutable=1";
}

} // namespace

Statement& Statement::bind(int position, std::int64_t value) {
    CHECK(sqlite3_bind_int64(statement_.get(), position, value) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind(int position, std::string_view text) {
    CHECK(sqlite3_bind_text64(statement_.get(), position, text.data() ? text.data() : "",
                              text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind_blob(int position, std::span<const std::uint8_t> bytes) {
    CHECK(sqlite3_bind_blob64(statement_.get(), position, bytes.data(), bytes.size(),
                              SQLITE_STATIC) == SQLITE_OK);
    return *this;
}

Statement& Statement::bind_null(int position) {
    CHECK(sqlite3_bind_null(statement_.get(), position) == SQLITE_OK);
    return *this;
}

Step Statement::step() {
    switch (sqlite3_step(statement_.get())) {
        case SQLITE_ROW: return Step::row;
        case SQLITE_DONE: return Step::done;
        default: return Step::failed;
    }
}

void Statement::rewind() {
    sqlite3_reset(statement_.get());
}

bool Statement::run() {
    const bool went_well = step() != Step::failed;
    rewind(); // Keeps the message of a failure.
    return went_well;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
    const auto* bytes = sqlite3_column_text(statement_.get(), column);
    const int length = sqlite3_column_bytes(statement_.get(), column);
    return {reinterpret_cast<const char*>(bytes), bytes ? static_cast<std::size_t>(length) : 0};
}

std::span<const std::uint8_t> Statement::blob(int column) const {
    const auto* bytes =
        static_cast<const std::uint8_t*>(sqlite3_column_blob(statement_.get(), column));
    const int length = sqlite3_column_bytes(statement_.get(), column);
    return {bytes, bytes ? static_cast<std::size_t>(length) : 0};
}

bool Statement::is_null(int column) const {
    return type(column) == SQLITE_NULL;
}

int Statement::type(int column) const {
    return sqlite3_column_type(statement_.get(), column);
}

Trouble Statement::trouble() const {
    return trouble_of(sqlite3_db_handle(statement_.get()));
}

Result<Database> Database::open(const std::string& path, Mode mode) {
    const int flags =
        mode == Mode::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const bool still = mode == Mode::still;
    const std::string name = still ? immutable_uri(path) : path;
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        name.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | (still ? SQLITE_OPEN_URI : 0), nullptr);
    Database database(raw);
    if (code != SQLITE_OK)
        return Fault{path + ": " + (raw ? sqlite3_errmsg(raw) : sqlite3_errstr(code))};
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, busy_timeout_ms);
    return database;
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    Statement statement(raw);
    if (code != SQLITE_OK) return Fault{trouble().message};
    return statement;
}

Trouble Database::run(const char* sql) {
    if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return trouble();
    return {};
}

Result<std::int64_t> Database::integer(std::string_view sql, std::int64_t otherwise) {
    Result<Statement> statement = prepare(sql);
    if (!statement) return statement.fault();
    switch (statement->step()) {
        case Step::row: return statement->is_null(0) ? otherwise : statement->integer(0);
        case Step::done: return otherwise;
        case Step::failed: break;
    }
    return Fault{statement->trouble().message};
}

Result<std::string> Database::text(std::string_view sql) {
    Result<Statement> statement = prepare(sql);
    if (!statement) return statement.fault();
    switch (statement->step()) {
        case Step::row: return std::string(statement->text(0));
        case Step::done: return std::string();
        case Step::failed: break;
    }
    return Fault{statement->trouble().message};
}

Trouble Database::trouble() const {
    return trouble_of(handle());
}

std::uint64_t bytes_held() {
    return static_cast<std::uint64_t>(sqlite3_memory_used());
}

Transaction::Transaction(Database& database)
    : database_(database), trouble_(database.run("BEGIN IMMEDIATE")), open_(!trouble_) {}

Transaction::~Transaction() {
    if (open_) database_.run("ROLLBACK");
}

Trouble Transaction::commit() {
    CHECK(open_);
    Trouble trouble = database_.run("COMMIT");
    if (!trouble) open_ = false;
    return trouble;
}

} // namespace anteroom::sqlite
