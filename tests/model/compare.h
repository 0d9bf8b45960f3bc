// Compares a room with the naive model after a step, and checks what must hold in every room.
#pragma once

#include <string>

#include "engine/fact.h"
#include "engine/room.h"
#include "tests/model/naive_room.h"

namespace anteroom::model {

std::string describe(const Outcome& outcome);

// Empty when both agree on every visitor and counter; otherwise what differs.
std::string difference(const Room& room, const NaiveRoom& model);
// Empty when replaying the facts gives a room with the same digest.
std::string replay_difference(const Room& room, const Facts& facts);

} // namespace anteroom::model
