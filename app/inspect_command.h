// The command `anteroom inspect`: what inspect/ finds, as an exit code.
#pragma once

#include "inspect/inspect.h"

namespace anteroom::app {

// Throws DataError when the folder cannot be read or the output cannot be written.
int inspect(const inspect::Options& options);

} // namespace anteroom::app
