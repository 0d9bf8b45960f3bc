// Loop: one thread's event loop. Everything in net/ belongs to one loop and is used on its thread
// only; other threads may call post() and stop().
//
// A turn: due timers fire, ready work runs, the on_turn hook is called (no handler and no callback
// is running then: the service's quiescent point), then the loop sleeps until a socket has news.
//
// The sockets of clients and of servers that we call are watched by our own Poller, which costs
// less per request than libuv's streams; libuv does everything else (listening, names, wake-ups) as
// a guest of that Poller.
#pragma once

#include <uv.h>

#include <atomic>
#include <coroutine>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/time.h"
#include "net/alarm.h"
#include "net/job.h"
#include "net/poller.h"
#include "net/timer_wheel.h"

namespace anteroom::net {

struct LoopBuffers;

// Coroutines that were spawned and are not done; the loop destroys those left over at its end.
struct SpawnedTask {
    SpawnedTask* prev = nullptr;
    SpawnedTask* next = nullptr;
    std::coroutine_handle<> frame;
};

class Loop {
  public:
    Loop();
    ~Loop(); // REQUIRES: not running; servers and clients of this loop are gone.
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    void run();         // Until stop().
    void stop();        // Any thread.
    void post(Job job); // Any thread; jobs run in the order in which they were posted.

    // True on the loop's thread, and everywhere while the loop does not run.
    bool is_current() const;

    Instant now() const; // Monotonic, read before and after each sleep.
    void arm(Timer& timer, Millis in) { arm_at(timer, now() + in); }
    void arm_at(Timer& timer, Instant due);

    // Runs job once (or again and again) until the Alarm is destroyed.
    [[nodiscard]] Alarm after(Millis in, Job job);
    [[nodiscard]] Alarm every(Millis period, Job job);

    void on_turn(Job hook) { turn_hook_ = std::move(hook); }

    // Runs before the loop sleeps again, never inside the caller.
    void soon(Job job);
    void resume_soon(std::coroutine_handle<> frame);

    // The longest time since the last call for which work kept the loop from its sockets.
    Millis take_lag_max();

    uv_loop_t* uv() { return &uv_; }
    Poller& poller() { return poller_; }
    LoopBuffers& buffers() { return *buffers_; }
    void adopt(SpawnedTask& task);

  private:
    void wake();
    void before_sleep();
    void sleep();
    int patience_ms();
    void fire_timers();
    void run_ready();
    void note_lag();

    uv_loop_t uv_{};
    uv_async_t wake_{};
    Poller poller_;
    TimerWheel wheel_;
    Instant wheel_due_ = instant_max;
    bool wheel_changed_ = false;
    bool stopping_ = false; // Set on the loop's thread.
    Instant woken_{};       // When the last sleep ended.

    Job turn_hook_;
    std::vector<Job> ready_;
    std::vector<Job> ready_now_;
    std::vector<std::coroutine_handle<>> resumable_;
    std::vector<std::coroutine_handle<>> resumable_now_;
    SpawnedTask spawned_; // Ring head.
    std::unique_ptr<LoopBuffers> buffers_;
    std::atomic<std::int64_t> lag_ms_{0};

    std::atomic<std::thread::id> thread_{};
    std::mutex posted_mutex_;
    std::vector<Job> posted_;     // Guarded by posted_mutex_.
    bool stop_requested_ = false; // Guarded by posted_mutex_.
    std::vector<Job> posted_now_;
};

} // namespace anteroom::net
