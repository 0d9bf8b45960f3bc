// SqlUrl: where the history is also written to.
//
//   postgresql://USER:PASSWORD@HOST:PORT/DATABASE   (also postgres://)
//   mysql://USER:PASSWORD@HOST:PORT/DATABASE        (also mariadb://)
//
// Characters that mean something in a URL are percent-encoded. Behind a question mark may stand
// socket=PATH (a Unix socket: the folder for PostgreSQL, the file for MySQL) instead of the host,
// and what TLS needs: sslmode, sslrootcert (PostgreSQL), sslca (MySQL).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anteroom::history {

enum class SqlKind : std::uint8_t { postgresql, mysql };

struct SqlUrl {
    SqlKind kind = SqlKind::postgresql;
    std::string user;
    std::string password;
    std::string host;
    std::uint16_t port = 0;
    std::string database;
    std::string socket;
    std::string sslmode;
    std::string sslrootcert;
    std::string sslca;
};

// The fault repeats nothing of the text: it may be a password in the wrong place.
Result<SqlUrl> parse_sql_url(std::string_view text);

// For people: "postgresql://user@host:5432/database".
std::string without_password(const SqlUrl& url);
// A URL as it was written, with ******** for the password.
std::string with_masked_password(std::string_view text);

} // namespace anteroom::history
