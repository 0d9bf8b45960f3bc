#include "store/redis/redis_server_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <random>

#include "base/check.h"
#include "net/testing.h"
#include "store/redis/command.h"
#include "store/redis/reply_reader.h"

namespace anteroom::redis::testing {
namespace {

using net::testing::uninterrupted;

constexpr int bus_offset = 10'000; // A node of a Cluster also listens there.
constexpr int starts_max = 20;     // Somebody else may take the port first.

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

bool is_free(int port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(descriptor >= 0);
    const sockaddr_in address = loopback(port);
    const bool is_bound =
        ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(descriptor);
    return is_bound;
}

// Both it and its bus below the ports that the kernel hands out to clients.
std::uint16_t free_port() {
    static std::mt19937 random{std::random_device{}()};
    while (true) {
        const int port = std::uniform_int_distribution<int>(12'000, 22'000)(random);
        if (is_free(port) && is_free(port + bus_offset)) return static_cast<std::uint16_t>(port);
    }
}

int connect_to(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(descriptor >= 0);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const sockaddr_in address = loopback(port);
    CHECK(uninterrupted([&] {
              return ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address),
                               sizeof address);
          }) == 0);
    return descriptor;
}

Reply read_reply(int descriptor, ReplyReader& reader) {
    char buffer[16'384];
    while (true) {
        const ssize_t size =
            uninterrupted([&] { return ::recv(descriptor, buffer, sizeof buffer, 0); });
        CHECK(size > 0);
        std::string_view bytes(buffer, static_cast<std::size_t>(size));
        if (const auto reply = reader.read(bytes)) return *reply;
        CHECK(!reader.is_broken());
    }
}

} // namespace

RedisServer::RedisServer(ServerOptions options) : options_(std::move(options)) {
    if (!options_.tls_names.empty()) {
        net::testing::write_certificate(certificate(), folder_.file("key.pem"), options_.tls_names);
    }
    for (int tries = 0; tries < starts_max; ++tries) {
        port_ = free_port();
        if (!options_.tls_names.empty()) tls_port_ = free_port();
        if (try_to_start()) return;
    }
    std::fprintf(stderr, "redis-server did not start:\n%s\n", log_.c_str());
    CHECK(process_ != 0);
}

RedisServer::~RedisServer() {
    kill();
}

std::vector<std::string> RedisServer::command() const {
    std::vector<std::string> words{"redis-server", "--port", std::to_string(port_), "--bind",
                                   "127.0.0.1", "--save", "", "--dir", folder_.file(""),
                                   // A replica is served at once, and does not wait for others.
                                   "--repl-diskless-sync-delay", "0"};
    const auto set = [&](const std::string& name, const std::string& value) {
        words.push_back("--" + name);
        words.push_back(value);
    };
    if (!options_.password.empty()) {
        set("requirepass", options_.password);
        set("masterauth", options_.password);
    }
    if (tls_port_ != 0) {
        set("tls-port", std::to_string(tls_port_));
        set("tls-cert-file", certificate());
        set("tls-key-file", folder_.file("key.pem"));
        set("tls-ca-cert-file", certificate());
        set("tls-auth-clients", "no");
    }
    if (options_.replica_of != 0)
        set("replicaof", "127.0.0.1 " + std::to_string(options_.replica_of));
    if (options_.cluster_node_timeout > Millis{0}) {
        set("cluster-enabled", "yes");
        set("cluster-node-timeout", std::to_string(options_.cluster_node_timeout.count));
        // Replicas of our clusters are seconds old: none is too stale to be elected.
        set("cluster-replica-validity-factor", "0");
    }
    set("appendonly", options_.keeps_data ? "yes" : "no");
    words.insert(words.end(), options_.settings.begin(), options_.settings.end());
    return words;
}

bool RedisServer::try_to_start() {
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0);
    const std::vector<std::string> words = command();
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    process_ = fork();
    CHECK(process_ >= 0);
    if (process_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // A server does not outlive its test.
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    ::close(ends[1]);
    log_.clear();
    log_ended_ = false;
    reader_ = std::thread([this, output = ends[0]] { read_log(output); });
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [&] { return log_ended_ || log_.find("Ready to accept connections") != log_.npos; });
    if (!log_ended_) return true;
    lock.unlock();
    reap();
    return false;
}

void RedisServer::start() {
    CHECK(process_ == 0);
    CHECK(try_to_start());
}

void RedisServer::read_log(int descriptor) {
    char buffer[4'096];
    for (ssize_t size = 0; (size = read(descriptor, buffer, sizeof buffer)) > 0;) {
        const std::lock_guard lock(mutex_);
        log_.append(buffer, static_cast<std::size_t>(size));
        changed_.notify_all();
    }
    ::close(descriptor);
    const std::lock_guard lock(mutex_);
    log_ended_ = true;
    changed_.notify_all();
}

void RedisServer::reap() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    reader_.join();
}

void RedisServer::stop() {
    if (process_ == 0) return;
    ::kill(process_, SIGTERM);
    reap();
}

void RedisServer::kill() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    reap();
}

void RedisServer::freeze() {
    CHECK(::kill(process_, SIGSTOP) == 0);
    int status = 0;
    CHECK(waitpid(process_, &status, WUNTRACED) == process_); // It has stopped.
}

void RedisServer::thaw() {
    CHECK(::kill(process_, SIGCONT) == 0);
}

Reply RedisServer::ask(const std::vector<std::string>& words) const {
    const int descriptor = connect_to(port_);
    ReplyReader reader;
    std::string wire;
    const auto send_and_read = [&](const std::vector<std::string>& some) {
        wire.clear();
        append_command(wire, some);
        CHECK(::send(descriptor, wire.data(), wire.size(), MSG_NOSIGNAL) ==
              static_cast<ssize_t>(wire.size()));
        return read_reply(descriptor, reader);
    };
    if (!options_.password.empty()) CHECK(send_and_read({"AUTH", options_.password}).text == "OK");
    Reply reply = send_and_read(words);
    ::close(descriptor);
    return reply;
}

std::string RedisServer::info(const std::string& section, std::string_view name) const {
    const std::string text = "\r\n" + ask({"INFO", section}).text;
    const std::string start = "\r\n" + std::string(name) + ":";
    const std::size_t at = text.find(start);
    if (at == text.npos) return "";
    return text.substr(at + start.size(), text.find("\r\n", at + 2) - at - start.size());
}

std::int64_t RedisServer::calls(const std::string& command) const {
    const std::string line = info("commandstats", "cmdstat_" + command); // calls=3,usec=…
    return line.empty() ? 0 : std::stoll(line.substr(line.find('=') + 1));
}

} // namespace anteroom::redis::testing
