// Bell: a system that does not exist. Visitors draw a bell at POST /bell/ROOM and hear at
// GET /bell/ROOM/BELL how many stand before them, in plain text.
#pragma once

#include <memory>

#include "desk/dialect.h"
#include "desk/dialect_info.h"

namespace anteroom::bell {

const DialectInfo& info();

} // namespace anteroom::bell
