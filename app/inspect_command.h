// The command line of `anteroom inspect`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/inspect.h"

namespace anteroom::app {

// `options` must outlive the parsing.
void add_inspect_options(CLI::App& inspect, InspectOptions& options);

} // namespace anteroom::app
