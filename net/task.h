// Task<T>: a coroutine that gives a T, started when it is awaited. spawn() starts one on its own.
//
// Rules (g++ 12): name the arguments of an await first, pass parameters by value, no coroutine
// lambdas with captures. Failure is a value (Result<T>): an exception that leaves a task is a bug.
// A task is awaited once and lives on its loop's thread.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "base/check.h"

namespace anteroom::net {

class Loop;

template <class T>
class Task;

namespace detail {

struct TaskPromiseBase {
    struct FinalAwaiter {
        bool await_ready() noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
            return self.promise().continuation;
        }
        void await_resume() noexcept {}
    };

    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::terminate(); }

    std::coroutine_handle<> continuation = std::noop_coroutine();
};

template <class T>
struct TaskPromise : TaskPromiseBase {
    Task<T> get_return_object();
    void return_value(T value) { result.emplace(std::move(value)); }
    T take() {
        CHECK(result.has_value());
        return std::move(*result);
    }
    std::optional<T> result;
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    Task<void> get_return_object();
    void return_void() noexcept {}
    void take() noexcept {}
};

} // namespace detail

template <class T>
class [[nodiscard]] Task {
  public:
    using promise_type = detail::TaskPromise<T>;
    using Frame = std::coroutine_handle<promise_type>;

    explicit Task(Frame frame) : frame_(frame) {}
    Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (frame_) frame_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        frame_.promise().continuation = caller;
        return frame_;
    }
    T await_resume() { return frame_.promise().take(); }

  private:
    Frame frame_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
    return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}

inline Task<void> TaskPromise<void>::get_return_object() {
    return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

} // namespace detail

// Starts the task now, on the caller's stack, until its first suspension.
void spawn(Loop& loop, Task<void> task);

} // namespace anteroom::net
