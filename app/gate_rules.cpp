#include "app/gate_rules.h"

#include "app/config.h"
#include "token/whole_file.h"

namespace anteroom::app {

gate::Rules load_rules(const std::string& name) {
    constexpr std::size_t bytes_max = 1024 * 1024; // The reader has its own, smaller limit.
    if (name.empty() || name == "default") return gate::default_rules();
    if (name == "compat") return gate::compat_rules();
    const Result<token::WholeFile> file = token::read_whole_file(name, bytes_max);
    if (!file) throw ConfigError(file.fault().reason);
    Result<gate::Rules> rules = gate::read_rules(file->text, name);
    if (!rules) throw ConfigError(rules.fault().reason);
    return *std::move(rules);
}

} // namespace anteroom::app
