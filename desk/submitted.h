// For coroutines: what a command comes to, when it is durable.
//
//   const Outcome outcome = co_await submitted(desk, *room, command, user);
//
// Name the arguments first (g++ 12). The room must live until then. Resumes on the desk's loop.
#pragma once

#include <coroutine>
#include <optional>
#include <string_view>

#include "desk/desk.h"

namespace anteroom {

class Submitted {
  public:
    Submitted(Desk& desk, HostedRoom& room, const Command& command, std::string_view who)
        : desk_(desk), room_(room), command_(command), who_(who) {}

    bool await_ready() const noexcept { return false; }
    // The store may answer before submit() returns: then the coroutine does not suspend.
    bool await_suspend(std::coroutine_handle<> waiter) {
        desk_.service().submit(
            room_, command_, &desk_.loop(),
            [this, waiter](const Outcome& outcome) {
                outcome_ = outcome;
                if (is_suspended_) waiter.resume();
            },
            who_);
        is_suspended_ = !outcome_;
        return is_suspended_;
    }
    Outcome await_resume() const { return *outcome_; }

  private:
    Desk& desk_;
    HostedRoom& room_;
    const Command& command_;
    const std::string_view who_;
    std::optional<Outcome> outcome_;
    bool is_suspended_ = false;
};

inline Submitted submitted(Desk& desk, HostedRoom& room, const Command& command,
                           std::string_view who = {}) {
    return {desk, room, command, who};
}

} // namespace anteroom
