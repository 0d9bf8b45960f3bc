// DatabaseServer: a real PostgreSQL or MariaDB for a test, on a Unix socket in a folder of its own.
// Runs as another user when the test is root, because both refuse to be.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "store/history/sql_url.h"
#include "store/history/testing.h"

namespace anteroom::history::testing {

class DatabaseServer {
  public:
    // Makes the database "history" with its owner, and starts. CHECKs that all of it works.
    explicit DatabaseServer(SqlKind kind);
    ~DatabaseServer();
    DatabaseServer(const DatabaseServer&) = delete;
    DatabaseServer& operator=(const DatabaseServer&) = delete;

    void start();
    void stop();

    SqlKind kind() const { return kind_; }
    // The socket that it listens on.
    std::string socket() const;
    // As the owner, through a host and port.
    SqlUrl url(std::uint16_t port) const;
    // As the administrator: rows in lines, columns between tabs, NULL as "NULL".
    std::string ask(std::string_view sql, std::string_view database = "history") const;

    static constexpr std::string_view user = "anteroom";
    // With everything that has to be escaped somewhere.
    static constexpr std::string_view password = R"(se'cr\et %"$ü@/:)";

  private:
    void read_log(int descriptor);
    void make_data();
    std::vector<std::string> start_command() const;

    const SqlKind kind_;
    Folder folder_;
    pid_t process_ = 0;
    std::thread reader_; // Of the log.
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::string log_; // Guarded by mutex_, as is `log_ended_`.
    bool log_ended_ = false;
};

} // namespace anteroom::history::testing
