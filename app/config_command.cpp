#include "app/config_command.h"

#include <fmt/format.h>

#include "app/config_text.h"
#include "app/exit_codes.h"
#include "app/metric_families.h"

namespace anteroom::app {

void add_config_options(CLI::App& command, ConfigCommandOptions& options) {
    // One document at a time.
    CLI::Option_group* group = command.add_option_group("What is printed");
    group->require_option(0, 1);
    group->add_flag("--print", options.print, "what is in force, secrets masked");
    group->add_flag("--example", options.example, "a file with every setting and its default");
    group->add_flag("--reference", options.reference, "docs/configuration.md");
    group->add_flag("--metrics", options.metrics, "docs/metrics.md");
    group->add_flag("--exit-codes", options.exit_codes, "docs/exit-codes.md");
}

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
