// The command `anteroom plan`: what plan/ finds, as an exit code.
#pragma once

#include "plan/command.h"

namespace anteroom::app {

// Throws ConfigError when the options are wrong, DataError when the chart cannot be written or the
// URL to measure does not answer.
int plan(const plan::Options& options);

} // namespace anteroom::app
