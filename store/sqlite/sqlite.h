// SQLite with owners and types.
//
//   Database db = *Database::open(path, Database::Mode::write);
//   Statement insert = *db.prepare("INSERT INTO facts VALUES(?, ?)");
//   insert.bind(1, room).bind(2, text);
//   Step step = insert.step();   // row, done or failed
//
// A failure is a value with SQLite's own code: callers tell a full disk from a broken one.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anteroom::sqlite {

// What SQLite said. `code` is its extended result code, 0 when all is well.
struct Trouble {
    int code = SQLITE_OK;
    std::string message;

    explicit operator bool() const { return code != SQLITE_OK; }
    bool is_disk_full() const { return (code & 0xff) == SQLITE_FULL; }
    bool is_busy() const { return (code & 0xff) == SQLITE_BUSY; }
};

enum class Step : std::uint8_t { row, done, failed };

class Statement {
  public:
    Statement(Statement&&) noexcept = default;
    Statement& operator=(Statement&&) noexcept = default;

    // Positions count from 1. Text and blobs are not copied: they must live until step() or
    // rewind().
    Statement& bind(int position, std::int64_t value);
    Statement& bind(int position, std::string_view text);
    Statement& bind_blob(int position, std::span<const std::uint8_t> bytes);
    Statement& bind_null(int position);

    Step step();
    // Ready to be stepped again; bindings stay.
    void rewind();
    // step() for a statement without rows, and rewind(). True when it went well.
    bool run();

    // Of the current row; columns count from 0.
    std::int64_t integer(int column) const;
    std::string_view text(int column) const;              // Valid until the next step.
    std::span<const std::uint8_t> blob(int column) const; // Valid until the next step.
    bool is_null(int column) const;
    int type(int column) const; // SQLITE_INTEGER, SQLITE_TEXT, …

    Trouble trouble() const;

  private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
  public:
    enum class Mode : std::uint8_t {
        write, // Made when it is not there.
        read,  // Must be there. Nothing can be changed through it.
        still, // As read, of a file without a writer: works in a folder that cannot be written.
    };
    static Result<Database> open(const std::string& path, Mode mode);
    Database(Database&&) noexcept = default;
    Database& operator=(Database&&) noexcept = default;

    Result<Statement> prepare(std::string_view sql);
    // Runs statements that give no rows.
    Trouble run(const char* sql);
    // The first column of the first row; nothing found is `otherwise`.
    Result<std::int64_t> integer(std::string_view sql, std::int64_t otherwise = 0);
    Result<std::string> text(std::string_view sql);

    Trouble trouble() const;
    sqlite3* handle() const { return database_.get(); }

  private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
    };
    explicit Database(sqlite3* database) : database_(database) {}
    std::unique_ptr<sqlite3, Close> database_;
};

// What SQLite has allocated in this process, for all databases: mostly pages that it keeps.
std::uint64_t bytes_held();

// Begins when made; rolls back unless committed.
class Transaction {
  public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    Trouble begun() const { return trouble_; }
    Trouble commit();

  private:
    Database& database_;
    Trouble trouble_;
    bool open_;
};

} // namespace anteroom::sqlite
