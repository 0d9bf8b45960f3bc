// Call: one command on its way, from the question to its one answer. Internal to store/redis.
//
// A call lives in exactly one list, and is spliced from list to list as it goes; it never moves in
// memory, because its timers must not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>

#include "net/timer_wheel.h"
#include "store/redis/client.h"
#include "store/redis/command.h"

namespace anteroom::redis {

class Core;
struct Node;
struct Call;
using Calls = std::list<Call>;

// What calls cost where they are, against the bounds.
struct Load {
    std::size_t calls = 0;
    std::size_t bytes = 0;
};

enum class Stage : std::uint8_t {
    waiting,  // Nothing of it is under way.
    sent,     // It may happen. Without `done`: given up, only its reply is awaited.
    answered, // It has happened; the replicas are awaited.
};

struct Call {
    Call(Core& of, Words command);

    Core& core;
    Words words;
    std::optional<Script> script; // Of EVALSHA and EVAL.
    std::uint16_t slot = 0;
    int replicas = 0;
    Node* pinned = nullptr; // A question to this node: goes nowhere else, is not tried again.
    OnAnswer done;
    Millis patience{};
    Reply reply; // Stage::answered: its reply. Else the last error that made it wait.

    Stage stage = Stage::waiting;
    Calls* list = nullptr;
    Calls::iterator self;
    Load* load = nullptr; // The counter that it is charged to, with so many
    std::size_t bytes = 0;

    bool asks = false;            // ASKING goes before it,
    std::uint8_t skips = 0;       // and so many replies come before its own.
    std::uint32_t redirected = 0; // How often.
    std::uint32_t delayed = 0;
    std::uint32_t script_misses = 0;

    net::Timer deadline;
    net::Timer retry;
};

} // namespace anteroom::redis
