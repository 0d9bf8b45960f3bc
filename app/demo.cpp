#include "app/demo.h"

#include <chrono>
#include <future>

#include "base/check.h"

namespace anteroom::app {
namespace {

constexpr std::uint64_t crowd_size = 120; // Simulated visitors in line or inside.
constexpr auto step_interval = std::chrono::milliseconds(500);

RoomSettings demo_settings() {
    RoomSettings settings;
    settings.rules.capacity = 25;
    settings.rules.rate_milli = 2'000;
    settings.rules.admit_batch = 2;
    settings.rules.admit_on_join = false;
    settings.profile.message = "This is a demonstration: a small simulated crowd waits with you.";
    settings.profile.target = "/demo/target";
    return settings;
}

} // namespace

Demo::Demo(Service& service) : service_(service) {
    room_ = service_.make_room(room_id, demo_settings()).room;
    CHECK(room_);
    thread_ = std::thread([this] { run(); });
}

Demo::~Demo() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_one();
    thread_.join();
}

std::uint64_t Demo::random(std::uint64_t below) {
    random_ = random_ * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return (random_ >> 33) % below;
}

void Demo::run() {
    for (std::uint64_t turn = 0;; ++turn) {
        step(turn);
        std::unique_lock lock(mutex_);
        if (stop_.wait_for(lock, step_interval, [this] { return stopping_; })) return;
    }
}

std::optional<Standing> Demo::ask(const Command& command) {
    auto answered = std::make_shared<std::promise<Outcome>>();
    service_.submit(*room_, command, nullptr,
                    [answered](const Outcome& outcome) { answered->set_value(outcome); });
    const Outcome outcome = answered->get_future().get();
    const auto* standing = std::get_if<Standing>(&outcome);
    return standing ? std::optional(*standing) : std::nullopt;
}

void Demo::step(std::uint64_t turn) {
    std::vector<Number> still;
    for (const Number number : crowd_) {
        const std::optional<Standing> standing = ask(Touch{number});
        const VisitorState state = standing ? standing->state : VisitorState::unknown;
        // Inside for ten seconds on average; now and then somebody in line gives up.
        if (state == VisitorState::active && random(20) == 0)
            service_.submit(*room_, Finish{number}, nullptr, {});
        if (state == VisitorState::waiting && random(1'000) == 0)
            service_.submit(*room_, Leave{number}, nullptr, {});
        if (is_live(state)) still.push_back(number);
    }
    crowd_ = std::move(still);
    const std::uint64_t arrivals = turn == 0 ? crowd_size : random(3);
    for (std::uint64_t i = 0; i < arrivals && crowd_.size() < crowd_size; ++i) {
        const std::uint64_t id = ++visitors_;
        const Join join{.visitor = {.high = id * 0x9e37'79b9'7f4a'7c15, .low = id}};
        if (const std::optional<Standing> standing = ask(join)) crowd_.push_back(standing->number);
    }
}

} // namespace anteroom::app
