#include "net/loop.h"

#include <algorithm>
#include <csignal>
#include <limits>
#include <utility>

#include "base/check.h"
#include "net/loop_buffers.h"

namespace anteroom::net {

namespace {

// The descriptor of libuv's own epoll set.
int start(uv_loop_t& uv) {
    CHECK(uv_loop_init(&uv) == 0);
    return uv_backend_fd(&uv);
}

} // namespace

Loop::Loop() : poller_(start(uv_)), wheel_(now()), buffers_(std::make_unique<LoopBuffers>()) {
    spawned_.prev = spawned_.next = &spawned_;
    std::signal(SIGPIPE, SIG_IGN); // A write to a closed socket gives EPIPE and not a signal.
    const auto awake = [](uv_async_t* handle) { static_cast<Loop*>(handle->data)->wake(); };
    CHECK(uv_async_init(&uv_, &wake_, awake) == 0);
    wake_.data = this;
}

Loop::~Loop() {
    CHECK(thread_.load() == std::thread::id());
    while (spawned_.next != &spawned_) {
        SpawnedTask* task = spawned_.next;
        task->frame.destroy(); // Its promise unlinks itself.
        CHECK(spawned_.next != task);
    }
    turn_hook_ = Job();
    // Jobs that were never run may own replies and sockets of this loop.
    ready_.clear();
    posted_.clear();
    resumable_.clear();
    uv_close(reinterpret_cast<uv_handle_t*>(&wake_), nullptr);
    uv_run(&uv_, UV_RUN_DEFAULT); // Lets closing handles finish.
    CHECK(uv_loop_close(&uv_) == 0);
}

void Loop::run() {
    CHECK(thread_.load() == std::thread::id());
    thread_.store(std::this_thread::get_id());
    uv_update_time(&uv_);
    woken_ = now();
    while (!stopping_) {
        before_sleep();
        sleep();
    }
    note_lag();
    stopping_ = false;
    thread_.store(std::thread::id());
}

void Loop::stop() {
    {
        const std::lock_guard lock(posted_mutex_);
        stop_requested_ = true;
    }
    uv_async_send(&wake_);
}

void Loop::post(Job job) {
    bool was_empty = false;
    {
        const std::lock_guard lock(posted_mutex_);
        was_empty = posted_.empty();
        posted_.push_back(std::move(job));
    }
    if (was_empty) uv_async_send(&wake_);
}

bool Loop::is_current() const {
    const std::thread::id owner = thread_.load(std::memory_order_relaxed);
    return owner == std::thread::id() || owner == std::this_thread::get_id();
}

Instant Loop::now() const {
    return Instant{static_cast<std::int64_t>(uv_now(&uv_))};
}

void Loop::arm_at(Timer& timer, Instant due) {
    if (wheel_.arm(timer, due)) wheel_changed_ = true;
}

void Loop::soon(Job job) {
    CHECK(is_current());
    ready_.push_back(std::move(job));
}

void Loop::resume_soon(std::coroutine_handle<> frame) {
    CHECK(is_current());
    resumable_.push_back(frame);
}

void Loop::adopt(SpawnedTask& task) {
    task.prev = spawned_.prev;
    task.next = &spawned_;
    spawned_.prev->next = &task;
    spawned_.prev = &task;
}

Millis Loop::take_lag_max() {
    return Millis{lag_ms_.exchange(0, std::memory_order_relaxed)};
}

void Loop::wake() {
    bool stop_now = false;
    {
        const std::lock_guard lock(posted_mutex_);
        posted_now_.swap(posted_);
        stop_now = std::exchange(stop_requested_, false);
    }
    for (const Job& job : posted_now_) job(); // All that were posted before stop() run.
    posted_now_.clear();
    if (stop_now) stopping_ = true;
}

void Loop::before_sleep() {
    fire_timers();
    run_ready();
    if (turn_hook_) turn_hook_();
}

void Loop::fire_timers() {
    if (now() < wheel_due_) return;
    wheel_.advance(now());
    wheel_changed_ = true;
}

void Loop::run_ready() {
    ready_now_.swap(ready_);
    for (const Job& job : ready_now_) job();
    ready_now_.clear();
    resumable_now_.swap(resumable_);
    for (const std::coroutine_handle<> frame : resumable_now_) frame.resume();
    resumable_now_.clear();
}

void Loop::sleep() {
    note_lag();
    poller_.wait(patience_ms());
    uv_update_time(&uv_);
    woken_ = now();
    const bool libuv_has_news = poller_.dispatch();
    // libuv also wants its turn when a handle was started or closed, or a timer of its own is due.
    if (libuv_has_news || uv_backend_timeout(&uv_) == 0) uv_run(&uv_, UV_RUN_NOWAIT);
}

// How long the loop may sleep unless a socket has news; -1: for ever.
int Loop::patience_ms() {
    if (std::exchange(wheel_changed_, false)) wheel_due_ = wheel_.next().value_or(instant_max);
    // Work that the hook or other ready work added must not wait for a socket.
    if (!ready_.empty() || !resumable_.empty() || poller_.has_unfinished()) return 0;
    const int libuv_ms = uv_backend_timeout(&uv_);
    if (wheel_due_ == instant_max) return libuv_ms;
    constexpr std::int64_t at_most = std::numeric_limits<int>::max();
    const auto wheel_ms =
        static_cast<int>(std::clamp<std::int64_t>((wheel_due_ - now()).count, 0, at_most));
    return libuv_ms < 0 ? wheel_ms : std::min(libuv_ms, wheel_ms);
}

void Loop::note_lag() {
    uv_update_time(&uv_);
    const std::int64_t lag = (now() - woken_).count;
    if (lag > lag_ms_.load(std::memory_order_relaxed))
        lag_ms_.store(lag, std::memory_order_relaxed);
}

Alarm Loop::after(Millis in, Job job) {
    CHECK(is_current());
    Alarm alarm;
    alarm.state_ = std::make_unique<Alarm::State>(*this, Millis{0}, std::move(job));
    arm(alarm.state_->timer, in);
    return alarm;
}

Alarm Loop::every(Millis period, Job job) {
    CHECK(is_current());
    CHECK(period > Millis{0});
    Alarm alarm;
    alarm.state_ = std::make_unique<Alarm::State>(*this, period, std::move(job));
    arm(alarm.state_->timer, period);
    return alarm;
}

Alarm::State::~State() {
    if (destroyed) *destroyed = true;
}

void Alarm::State::fire(void* self) {
    State& state = *static_cast<State*>(self);
    bool destroyed_meanwhile = false;
    state.destroyed = &destroyed_meanwhile;
    Job job = std::move(state.job); // Outlives the Alarm when the job drops it.
    if (state.period > Millis{0}) state.loop.arm_at(state.timer, state.timer.due() + state.period);
    job();
    if (destroyed_meanwhile) return;
    state.destroyed = nullptr;
    if (state.period > Millis{0}) state.job = std::move(job);
}

} // namespace anteroom::net
