// Audit: everybody in a room, one by one, against the witness's book; and the pulse, for some of
// them.
#pragma once

#include "engine/room.h"
#include "sim/random.h"
#include "sim/witness.h"

namespace anteroom::sim {

void audit(const Room& room, Instant now, Witness& witness, Random& random);

} // namespace anteroom::sim
