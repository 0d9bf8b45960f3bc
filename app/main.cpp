// The program: a table of contents. Each subcommand is a line here and a file of its own.
#include <fmt/format.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/config.h"
#include "app/exit_codes.h"
#include "app/foreign_names.h"
#include "app/serve.h"

namespace {

using namespace anteroom::app;

int run(CommandLine& line) {
    using Command = CommandLine::Command;
    // These do not depend on the configuration, not even on a wrong one.
    if (line.command == Command::plan) return plan(line.plan);
    if (line.command == Command::config && line.config.is_reference())
        return print_reference(line.config);

    const Config config = load_config(line.config_path, environ);
    switch (line.command) {
        case Command::serve:
            return serve({.config = config,
                          .demo = line.demo,
                          .warnings = foreign_warnings(config, environ)});
        case Command::keys: return keys(config, line.keys);
        case Command::health: return health(config, line.health);
        case Command::inspect:
            if (line.inspect.folder.empty()) line.inspect.folder = data_folder(config);
            return inspect(line.inspect);
        case Command::verify: return verify(config, line.verify);
        case Command::edge: return edge(config, line.edge);
        case Command::config:
        case Command::plan: break;
    }
    return check_config(config, line.config, foreign_warnings(config, environ));
}

} // namespace

int main(int argc, char** argv) {
    std::variant<CommandLine, int> line = parse_command_line(argc, argv);
    if (const int* code = std::get_if<int>(&line)) return *code;
    try {
        return run(std::get<CommandLine>(line));
    } catch (const anteroom::ConfigError& error) {
        fmt::print(stderr, "anteroom: {}\n", error.what());
        return exit_config;
    } catch (const DataError& error) {
        fmt::print(stderr, "anteroom: {}\n", error.what());
        return exit_data;
    }
}
