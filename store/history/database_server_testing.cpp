#include "store/history/database_server_testing.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "base/check.h"

namespace anteroom::history::testing {
namespace {

// The account that a server runs as: null when we are not root and it runs as ourselves.
const passwd* account(SqlKind kind) {
    if (geteuid() != 0) return nullptr;
    const passwd* found = getpwnam(kind == SqlKind::postgresql ? "postgres" : "mysql");
    return found ? found : getpwnam("nobody");
}

struct Child {
    pid_t process = 0;
    int output = -1;
};

Child spawn(const std::vector<std::string>& command, const passwd* as, bool errors_too) {
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) {
        if (as &&
            (setgroups(0, nullptr) != 0 || setgid(as->pw_gid) != 0 || setuid(as->pw_uid) != 0))
            _exit(126);
        prctl(PR_SET_PDEATHSIG, SIGQUIT); // A server does not outlive its test.
        dup2(ends[1], STDOUT_FILENO);
        if (errors_too) dup2(ends[1], STDERR_FILENO);
        if (chdir("/") != 0) _exit(126);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    close(ends[1]);
    return {.process = process, .output = ends[0]};
}

std::string run(const std::vector<std::string>& command, const passwd* as) {
    const Child child = spawn(command, as, true);
    std::string output;
    char buffer[65'536];
    for (ssize_t size = 0; (size = read(child.output, buffer, sizeof buffer)) > 0;)
        output.append(buffer, static_cast<std::size_t>(size));
    close(child.output);
    int status = 0;
    waitpid(child.process, &status, 0);
    if (status != 0) {
        std::fprintf(stderr, "%s failed:\n%s\n", command[0].c_str(), output.c_str());
        CHECK(status == 0);
    }
    return output;
}

// Debian keeps the programs of each version in a folder of its own.
std::string postgresql_program(const std::string& name) {
    std::string newest = "/usr/bin";
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", error))
        newest = std::max(newest, (entry.path() / "bin").string());
    return newest + "/" + name;
}

std::string quoted(std::string_view text, SqlKind kind) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || (c == '\\' && kind == SqlKind::mysql)) out += c;
        out += c;
    }
    return out + "'";
}

} // namespace

DatabaseServer::DatabaseServer(SqlKind kind) : kind_(kind) {
    if (const passwd* as = account(kind_))
        CHECK(chown(folder_.path().c_str(), as->pw_uid, as->pw_gid) == 0);
    make_data();
    start();
    const std::string secret = quoted(password, kind_);
    if (kind_ == SqlKind::postgresql) {
        ask("CREATE ROLE anteroom LOGIN PASSWORD " + secret, "postgres");
        ask("CREATE DATABASE history OWNER anteroom", "postgres");
    } else {
        // With a character set that cannot hold every name: our tables must not inherit it.
        ask("CREATE DATABASE history CHARACTER SET latin1;"
            " CREATE USER anteroom@localhost IDENTIFIED BY " +
                secret + "; GRANT ALL ON history.* TO anteroom@localhost",
            "mysql");
    }
}

DatabaseServer::~DatabaseServer() {
    stop();
}

void DatabaseServer::make_data() {
    const std::string data = folder_.path() + "/data";
    if (kind_ == SqlKind::mysql) {
        run({"mariadb-install-db", "--no-defaults", "--datadir=" + data, "--skip-test-db",
             "--auth-root-authentication-method=normal"},
            account(kind_));
        return;
    }
    run({postgresql_program("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
         "--locale=C", "--no-sync"},
        account(kind_));
    std::ofstream(data + "/pg_hba.conf") << "local all postgres trust\n"
                                            "local all all scram-sha-256\n";
}

std::vector<std::string> DatabaseServer::start_command() const {
    const std::string data = folder_.path() + "/data";
    if (kind_ == SqlKind::postgresql)
        return {postgresql_program("postgres"),
                "-D",
                data,
                "-k",
                folder_.path(),
                "-c",
                "listen_addresses=",
                "-c",
                "fsync=off"};
    return {"mariadbd",
            "--no-defaults",
            "--datadir=" + data,
            "--socket=" + socket(),
            "--skip-networking",
            "--pid-file=" + folder_.path() + "/pid",
            "--innodb-flush-log-at-trx-commit=0"};
}

void DatabaseServer::start() {
    CHECK(process_ == 0);
    const Child child = spawn(start_command(), account(kind_), true);
    process_ = child.process;
    log_.clear();
    log_ended_ = false;
    reader_ = std::thread([this, output = child.output] { read_log(output); });
    const std::string_view ready = kind_ == SqlKind::postgresql
                                       ? "database system is ready to accept connections"
                                       : "ready for connections";
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return log_ended_ || log_.find(ready) != log_.npos; });
    if (log_ended_) std::fprintf(stderr, "the database did not start:\n%s\n", log_.c_str());
    CHECK(!log_ended_);
}

void DatabaseServer::read_log(int descriptor) {
    char buffer[4'096];
    for (ssize_t size = 0; (size = read(descriptor, buffer, sizeof buffer)) > 0;) {
        const std::lock_guard lock(mutex_);
        log_.append(buffer, static_cast<std::size_t>(size));
        changed_.notify_all();
    }
    close(descriptor);
    const std::lock_guard lock(mutex_);
    log_ended_ = true;
    changed_.notify_all();
}

void DatabaseServer::stop() {
    if (process_ == 0) return;
    // PostgreSQL: at once, with its clients cut off.
    kill(process_, kind_ == SqlKind::postgresql ? SIGINT : SIGTERM);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    reader_.join();
}

std::string DatabaseServer::socket() const {
    return folder_.path() + (kind_ == SqlKind::postgresql ? "/.s.PGSQL.5432" : "/socket");
}

SqlUrl DatabaseServer::url(std::uint16_t port) const {
    return {.kind = kind_,
            .user = std::string(user),
            .password = std::string(password),
            .host = "127.0.0.1",
            .port = port,
            .database = "history"};
}

std::string DatabaseServer::ask(std::string_view sql, std::string_view database) const {
    const std::string text(sql);
    const std::string name(database);
    if (kind_ == SqlKind::postgresql)
        return run({"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder_.path(), "-U",
                    "postgres", "-d", name, "-A", "-t", "-F", "\t", "-P", "null=NULL", "-c", text},
                   nullptr);
    return run({"mariadb", "--no-defaults", "-u", "root", "-S", socket(), "-D", name,
                "--default-character-set=utf8mb4", "-N", "-B", "-e", text},
               nullptr);
}

} // namespace anteroom::history::testing
