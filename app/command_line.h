// The command line: one subcommand with its options. Only command_line.cpp includes CLI11, whose
// headers take seconds to compile.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "app/config_command.h"
#include "app/edge_command.h"
#include "app/health_command.h"
#include "app/inspect_command.h"
#include "app/keys.h"
#include "app/plan_command.h"
#include "app/verify_command.h"

namespace anteroom::app {

struct CommandLine {
    enum class Command : std::uint8_t { serve, config, keys, health, inspect, verify, edge, plan };

    Command command = Command::serve;
    std::string config_path; // Of every command but plan. Empty: no file.
    bool demo = false;       // Of serve.
    ConfigCommandOptions config;
    KeysOptions keys;
    HealthOptions health;
    anteroom::inspect::Options inspect;
    VerifyOptions verify;
    EdgeCommandOptions edge;
    anteroom::plan::Options plan;
};

// The exit code instead: the line was wrong, or --help or --version answered it.
std::variant<CommandLine, int> parse_command_line(int argc, char** argv);

} // namespace anteroom::app
