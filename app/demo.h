// The demo: a room with something to see. A small crowd of simulated visitors joins, waits, goes
// in, stays a while and leaves, so that a newcomer's own place in the line moves.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "service/service.h"

namespace anteroom::app {

class Demo {
  public:
    // Makes the room "demo" and its first crowd. After a restart the same ones stand where they
    // stood.
    explicit Demo(Service& service);
    ~Demo();
    Demo(const Demo&) = delete;
    Demo& operator=(const Demo&) = delete;

    static constexpr const char* room_id = "demo";

  private:
    void run();
    void step(std::uint64_t turn);
    // Waits until it is durable.
    std::optional<Standing> ask(const Command& command);
    std::uint64_t random(std::uint64_t below);

    Service& service_;
    std::shared_ptr<HostedRoom> room_;
    std::vector<Number> crowd_; // The simulated ones, whatever became of them.
    std::uint64_t visitors_ = 0;
    std::uint64_t random_ = 0x5eed;
    std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false; // Guarded by mutex_.
    std::thread thread_;
};

} // namespace anteroom::app
