// Opening a SQLite file to read it, whoever we are: beside the server that writes it, after its
// end, and in a folder where this user may only read.
#pragma once

#include <string>

#include "base/result.h"
#include "store/sqlite/sqlite.h"

namespace anteroom::history {

// Who wrote the file and in which version: `application_id` and `user_version`.
struct Signature {
    std::int64_t application = 0;
    std::int64_t version = 0;
};

inline constexpr Signature ledger_signature{.application = 0x416e'7452, .version = 1};
inline constexpr Signature history_signature{.application = 0x416e'7448, .version = 1};

// The reason of a fault names the file. A missing file is a fault; ask is_there() first when that
// is no surprise.
Result<sqlite::Database> open_reading(const std::string& path, Signature expected);
bool is_there(const std::string& path);

// What is wrong with a file that says it is `found`; empty when it is the expected one.
std::string fault_of(const std::string& path, Signature found, Signature expected);
Result<Signature> signature_of(sqlite::Database& database);

// In words, with advice when the file is damaged.
Fault fault_in(const std::string& path, const sqlite::Trouble& trouble);

} // namespace anteroom::history
