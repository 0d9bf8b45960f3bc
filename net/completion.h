// Completion<T>: one value that a callback delivers and one coroutine awaits, with a deadline.
//
// Lives in the waiting coroutine's frame. A callback that points to the Completion must lose that
// pointer before the Completion dies. The loop resumes the coroutine, never complete() itself: the
// caller of complete() may still be changing what the coroutine would use.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include "base/check.h"
#include "net/loop.h"

namespace anteroom::net {

template <class T>
class Completion {
  public:
    explicit Completion(Loop& loop) : loop_(loop), timer_(this, &Completion::expire) {}
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    void complete(T value) {
        if (settled_) return; // The deadline was first.
        value_.emplace(std::move(value));
        settle();
    }

    struct Awaiter {
        Completion& completion;
        Millis deadline;
        bool await_ready() const noexcept { return completion.settled_; }
        void await_suspend(std::coroutine_handle<> waiter) {
            CHECK(!completion.waiter_);
            completion.waiter_ = waiter;
            completion.loop_.arm(completion.timer_, deadline);
        }
        std::optional<T> await_resume() { return std::move(completion.value_); }
    };

    // Awaits the value; empty when the deadline passes first. REQUIRES: awaited once.
    Awaiter within(Millis deadline) { return Awaiter{*this, deadline}; }

  private:
    static void expire(void* self) { static_cast<Completion*>(self)->settle(); }

    void settle() {
        settled_ = true;
        timer_.cancel();
        if (waiter_) loop_.resume_soon(waiter_);
    }

    Loop& loop_;
    Timer timer_;
    std::optional<T> value_;
    std::coroutine_handle<> waiter_;
    bool settled_ = false;
};

// co_await sleep_for(loop, seconds(1));
struct Sleep {
    Sleep(Loop& on, Millis in) : loop(on), span(in), timer(this, &Sleep::expire) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) {
        waiter = frame;
        loop.arm(timer, span);
    }
    void await_resume() const noexcept {}
    static void expire(void* self) {
        Sleep& sleep = *static_cast<Sleep*>(self);
        sleep.loop.resume_soon(sleep.waiter);
    }

    Loop& loop;
    Millis span;
    Timer timer;
    std::coroutine_handle<> waiter;
};

inline Sleep sleep_for(Loop& loop, Millis span) {
    return Sleep(loop, span);
}

} // namespace anteroom::net
