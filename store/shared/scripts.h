// What runs inside Redis. Each script is atomic; keys and arguments are in docs/formats-redis.md.
//
// The rules of a room are the engine's alone: scripts only order what is written. Every writing
// says after which entry it comes, and is refused when that is not the last one.
#pragma once

#include "store/redis/script.h"

namespace anteroom::shared {

using redis::Script;

// Writes the first entry of a room, unless the room exists.
const Script& open_script();
// Writes the next entry, its changes of the sets that people read, and removes answered asks.
const Script& commit_script();
// Reads new entries and the writer. Makes the caller the writer if there is none and the caller has
// every entry.
const Script& follow_script();
// Something for the writer to do.
const Script& ask_script();
// Up to here a failover loses nothing.
const Script& confirm_script();
// The writer stops.
const Script& resign_script();
// A snapshot is complete: the log before it can go.
const Script& snapshot_script();
// The registry of rooms: what changed, a new one, one less.
const Script& registry_script();
const Script& register_script();
const Script& unregister_script();
// Indexes for new rooms: each is given out once.
const Script& reserve_script();

} // namespace anteroom::shared
