// The rules of the gate by the name that gate.rules and the option --rules take.
#pragma once

#include <string>

#include "gate/rules.h"

namespace anteroom::app {

// "default" (also when empty), "compat", or a file. Throws ConfigError, with a line per mistake.
gate::Rules load_rules(const std::string& name);

} // namespace anteroom::app
