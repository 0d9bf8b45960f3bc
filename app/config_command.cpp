#include "app/config_command.h"

#include <fmt/format.h>

#include "app/config_text.h"
#include "app/exit_codes.h"
#include "app/metric_families.h"

namespace anteroom::app {

int print_reference(const ConfigCommandOptions& options) {
    fmt::print("{}", options.example     ? example_config()
                     : options.reference ? config_reference()
                     : options.metrics   ? metric_reference()
                                         : exit_code_reference());
    return exit_done;
}

int check_config(const Config& config, const ConfigCommandOptions& options,
                 const std::vector<std::string>& warnings) {
    for (const std::string& line : warnings) fmt::print(stderr, "anteroom: {}\n", line);
    fmt::print("{}", options.print ? print_config(config) : "the configuration is fine\n");
    return exit_done;
}

} // namespace anteroom::app
