// Delivery: the outcome of a command on its way to the callback that waits for it on a loop.
// Deliveries: many of them, with one job for each loop.
//
// A callback without a loop runs on the thread that delivers.
//
// Threads: any; a Deliveries belongs to one thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "base/unique_function.h"
#include "engine/outcome.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom {

using OnOutcome = UniqueFunction<void(const Outcome&)>;

struct Delivery {
    net::Loop* loop = nullptr;
    OnOutcome done = {}; // Empty: nobody waits for the outcome.
    Outcome outcome = {};
    Instant since = {}; // When the command came, for stores that give up waiting.
};

// Runs `done` now if this is the loop's thread, or posts it there.
void deliver(Delivery delivery);
// The same with Refused{Reason::unavailable} instead of the outcome.
void refuse(Delivery delivery);

class Deliveries {
  public:
    Deliveries() = default;
    Deliveries(const Deliveries&) = delete;
    Deliveries& operator=(const Deliveries&) = delete;

    // Runs a callback without a loop now; keeps all others for send(), in order.
    void add(Delivery delivery);
    // Posts one job to each loop.
    void send();

  private:
    std::unordered_map<net::Loop*, std::vector<Delivery>> by_loop_;
};

void deliver_all(std::vector<Delivery> deliveries);
void refuse_all(std::vector<Delivery> deliveries);

} // namespace anteroom
