#include "store/history/open_reading.h"

#include <filesystem>

namespace anteroom::history {
namespace {

using sqlite::Database;
using sqlite::Trouble;

// The first look at the file: until then SQLite has not touched it.
Trouble look(Database& database) {
    return database.run("SELECT count(*) FROM sqlite_schema");
}

// The log of a writer that is there, or that was not ended cleanly.
bool has_log(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path + "-wal", error);
    return !error && size > 0;
}

// A database with a log needs a file for its readers beside it, which this user cannot make. With
// no log there is nothing that could change or be missing, and the file alone is enough.
Result<Database> open_still(const std::string& path, const Trouble& why) {
    if (has_log(path))
        return Fault{path + ": " + why.message +
                     "; it was not closed cleanly, and reading it needs the right to write to its "
                     "folder: use the account of the server"};
    Result<Database> database = Database::open(path, Database::Mode::still);
    if (!database) return database.fault();
    if (const Trouble trouble = look(*database)) return fault_in(path, trouble);
    return database;
}

} // namespace

bool is_there(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

Fault fault_in(const std::string& path, const Trouble& trouble) {
    std::string reason = path + ": " + trouble.message;
    const int code = trouble.code & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        reason = path + " is damaged (" + trouble.message +
                 "): stop the server, put a copy back or remove the file, and start again";
    if (code == SQLITE_CONSTRAINT) reason += ": this history and the ledger do not belong together";
    return Fault{std::move(reason)};
}

Result<Signature> signature_of(Database& database) {
    const Result<std::int64_t> application = database.integer("PRAGMA application_id");
    if (!application) return application.fault();
    const Result<std::int64_t> version = database.integer("PRAGMA user_version");
    if (!version) return version.fault();
    return Signature{.application = *application, .version = *version};
}

std::string fault_of(const std::string& path, Signature found, Signature expected) {
    if (found.application != expected.application) return path + " is not a file of Anteroom";
    if (found.version != expected.version)
        return path + " has version " + std::to_string(found.version) +
               "; this program reads version " + std::to_string(expected.version);
    return {};
}

Result<Database> open_reading(const std::string& path, Signature expected) {
    if (!is_there(path)) return Fault{path + " is not there"};
    Result<Database> database = Database::open(path, Database::Mode::read);
    if (!database) return database.fault();
    if (const Trouble trouble = look(*database)) {
        const int code = trouble.code & 0xff;
        if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) return fault_in(path, trouble);
        database = open_still(path, trouble);
        if (!database) return database.fault();
    }
    const Result<Signature> found = signature_of(*database);
    if (!found) return Fault{path + ": " + found.fault().reason};
    if (std::string fault = fault_of(path, *found, expected); !fault.empty())
        return Fault{std::move(fault)};
    return database;
}

} // namespace anteroom::history
