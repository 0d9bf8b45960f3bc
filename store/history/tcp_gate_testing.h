// TcpGate: a port on loopback in front of a Unix socket, for tests of what networks do: it can cut
// connections, refuse them, or take them and say nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace anteroom::history::testing {

class TcpGate {
  public:
    enum class Mode : std::uint8_t { pass, refuse, silent };

    explicit TcpGate(std::string socket);
    ~TcpGate();
    TcpGate(const TcpGate&) = delete;
    TcpGate& operator=(const TcpGate&) = delete;

    std::uint16_t port() const { return port_; }
    // From now on, for new connections and those that are there.
    void set(Mode mode);
    void cut(); // Every connection that is there.
    // By itself: when so many bytes went through, and after every so many more.
    void cut_every(std::uint64_t first, std::uint64_t step);
    // Connections that were taken so far.
    std::uint64_t taken() const { return taken_.load(); }

  private:
    struct Pair {
        int client;
        int server; // -1: nobody is behind.
    };
    void run();
    void wake();
    void take();
    void close_all();
    bool pump(int from, int to, bool from_client);

    const std::string socket_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
    int wake_[2] = {-1, -1};
    std::atomic<Mode> mode_{Mode::pass};
    std::atomic<bool> cut_{false};
    std::atomic<bool> ended_{false};
    std::atomic<std::uint64_t> taken_{0};
    std::atomic<std::uint64_t> carried_{0}; // Bytes that went through from clients.
    std::atomic<std::uint64_t> cut_at_{~std::uint64_t{0}};
    std::atomic<std::uint64_t> cut_step_{0};
    std::vector<Pair> pairs_; // The thread's own.
    std::thread thread_;
};

} // namespace anteroom::history::testing
