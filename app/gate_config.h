// The section [gate] as options: the rules (read from their file at every call), the origin, the
// secrets of edges, the limits of calls. All throw ConfigError.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/config.h"
#include "gate/categories.h"

namespace anteroom::gate {
class EdgeKeys;
struct ProxyOptions;
struct Rules;
} // namespace anteroom::gate

namespace anteroom::app {

std::shared_ptr<const gate::Rules> gate_rules(const Config& config);
gate::ProxyOptions gate_proxy(const Config& config);
// The secrets by which edges stamp requests; none: no stamp is checked.
std::vector<std::string> gate_edge_secrets(const Config& config);
// The same, ready to check with. Null: none.
std::shared_ptr<const gate::EdgeKeys> gate_edge_keys(const Config& config);
// Calls per minute by category; 0: not counted.
gate::CallLimits gate_call_limits(const Config& config);

} // namespace anteroom::app
