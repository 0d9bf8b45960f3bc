#include "net/task.h"

#include "net/loop.h"

namespace anteroom::net {

namespace {

// Runs a task that is not awaited; the loop destroys it if it has not ended by then.
struct Spawned {
    struct promise_type : SpawnedTask {
        promise_type(Loop& loop, Task<void>&) {
            frame = std::coroutine_handle<promise_type>::from_promise(*this);
            loop.adopt(*this);
        }
        promise_type(const promise_type&) = delete;
        promise_type& operator=(const promise_type&) = delete;
        ~promise_type() {
            prev->next = next;
            next->prev = prev;
        }
        Spawned get_return_object() noexcept { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void unhandled_exception() noexcept { std::terminate(); }
        void return_void() noexcept {}
    };
};

Spawned run_spawned(Loop&, Task<void> task) {
    co_await task;
}

} // namespace

void spawn(Loop& loop, Task<void> task) {
    CHECK(loop.is_current());
    run_spawned(loop, std::move(task));
}

} // namespace anteroom::net
