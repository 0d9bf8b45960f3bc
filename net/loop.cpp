#include "net/loop.h"

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "net/loop_buffers.h"

namespace anteroom::net {

namespace {

Loop& owner_of(const void* handle_data) {
    return *static_cast<Loop*>(const_cast<void*>(handle_data));
}

Instant read_clock() {
    return Instant{static_cast<std::int64_t>(uv_hrtime() / 1'000'000)};
}

template <class Handle>
uv_handle_t* as_handle(Handle* handle) {
    return reinterpret_cast<uv_handle_t*>(handle);
}

} // namespace

Loop::Loop() : wheel_(read_clock()), buffers_(std::make_unique<LoopBuffers>()) {
    spawned_.prev = spawned_.next = &spawned_;
    std::signal(SIGPIPE, SIG_IGN); // A write to a client who left is an error code, not the end.
    CHECK(uv_loop_init(&uv_) == 0);
    CHECK(uv_async_init(&uv_, &wake_, [](uv_async_t* handle) { owner_of(handle->data).wake(); }) ==
          0);
    CHECK(uv_prepare_init(&uv_, &prepare_) == 0);
    CHECK(uv_check_init(&uv_, &check_) == 0);
    CHECK(uv_timer_init(&uv_, &wheel_timer_) == 0);
    wake_.data = prepare_.data = check_.data = wheel_timer_.data = this;
    uv_prepare_start(&prepare_,
                     [](uv_prepare_t* handle) { owner_of(handle->data).before_sleep(); });
    uv_check_start(&check_, [](uv_check_t* handle) { owner_of(handle->data).after_poll(); });
}

Loop::~Loop() {
    CHECK(thread_.load() == std::thread::id());
    while (spawned_.next != &spawned_) {
        SpawnedTask* task = spawned_.next;
        task->frame.destroy(); // Its promise unlinks itself.
        CHECK(spawned_.next != task);
    }
    turn_hook_ = Job();
    // What was never run may own replies and sockets of this loop.
    ready_.clear();
    posted_.clear();
    resumable_.clear();
    uv_close(as_handle(&wake_), nullptr);
    uv_close(as_handle(&prepare_), nullptr);
    uv_close(as_handle(&check_), nullptr);
    uv_close(as_handle(&wheel_timer_), nullptr);
    uv_run(&uv_, UV_RUN_DEFAULT); // Lets closing sockets finish.
    CHECK(uv_loop_close(&uv_) == 0);
}

void Loop::run() {
    CHECK(thread_.load() == std::thread::id());
    thread_.store(std::this_thread::get_id());
    uv_update_time(&uv_);
    while (!stopping_) uv_run(&uv_, UV_RUN_DEFAULT);
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
    if (!stop_now) return;
    stopping_ = true;
    uv_stop(&uv_);
}

void Loop::before_sleep() {
    run_ready();
    if (turn_hook_) turn_hook_();
    // What the hook made ready, or ready work made ready in turn, must not wait for a socket.
    if (!ready_.empty() || !resumable_.empty()) uv_async_send(&wake_);
    set_wheel_timer();
}

void Loop::run_ready() {
    ready_now_.swap(ready_);
    for (const Job& job : ready_now_) job();
    ready_now_.clear();
    resumable_now_.swap(resumable_);
    for (const std::coroutine_handle<> frame : resumable_now_) frame.resume();
    resumable_now_.clear();
}

void Loop::set_wheel_timer() {
    if (!wheel_changed_) return;
    wheel_changed_ = false;
    const Instant due = wheel_.next().value_or(instant_max);
    if (due == wheel_timer_due_) return;
    wheel_timer_due_ = due;
    if (due == instant_max) {
        uv_timer_stop(&wheel_timer_);
        return;
    }
    const std::int64_t in = std::max<std::int64_t>((due - now()).count, 0);
    uv_timer_start(
        &wheel_timer_,
        [](uv_timer_t* handle) {
            Loop& loop = owner_of(handle->data);
            loop.wheel_timer_due_ = instant_max;
            loop.wheel_changed_ = true;
            loop.wheel_.advance(loop.now());
        },
        static_cast<std::uint64_t>(in), 0);
}

void Loop::after_poll() {
    // libuv read its clock when the sockets had news, and has run their callbacks since.
    const std::int64_t lag = (read_clock() - now()).count;
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
