// How a store changes a room: apply_command() or replay_facts() while it holds the room for
// writing, and settle_facts() when the facts are durable.
//
// In between HostedRoom::may_tell() is false for the visitors of those facts, so that adapters do
// not tell them what a crash could undo.
//
// Threads: settle_facts() on the store's thread, in the order in which the room was changed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/command.h"
#include "engine/fact.h"
#include "service/deliveries.h"
#include "service/hosted_room.h"
#include "service/store.h"

namespace anteroom {

enum class Settles : std::uint8_t {
    at_once, // The store keeps nothing: facts are as durable as they will ever be.
    later,   // settle_facts() is called.
};

struct Applied {
    Outcome outcome;
    Facts facts;
    std::optional<Instant> due; // When the room wants its next tick.
};

// `facts` is empty; a caller may pass one for its capacity.
Applied apply_command(HostedRoom::Writing& writing, const Command& command, Instant now,
                      Settles settles = Settles::later, Facts facts = {});
// Facts that another process or an earlier life decided. False: they do not fit the room.
bool replay_facts(HostedRoom::Writing& writing, std::span<const Fact> facts);

// Whether the outcome must wait until the store has written: for facts of its own, or because it
// rests on facts of earlier commands that are not durable yet.
inline bool must_wait(HostedRoom& room, const Facts& facts, const Delivery& delivery) {
    return !facts.empty() || (delivery.done && room.unsettled().has_waiting());
}

// The facts are durable: they may be told, and the listener hears of them.
void settle_facts(HostedRoom& room, std::span<const Fact> facts, StoreListener& listener);

} // namespace anteroom
