// The program: a table of contents. Each subcommand is a few lines here and a file of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "app/config.h"
#include "app/config_command.h"
#include "app/edge_command.h"
#include "app/exit_codes.h"
#include "app/foreign_names.h"
#include "app/health_command.h"
#include "app/inspect.h"
#include "app/inspect_command.h"
#include "app/keys.h"
#include "app/plan_command.h"
#include "app/serve.h"
#include "app/text_table.h"
#include "app/verify_command.h"

namespace {

using namespace anteroom::app;

constexpr const char* examples = R"(
Examples:
  anteroom serve --demo                   a room with something to see, on http://127.0.0.1:8080
  anteroom serve --config anteroom.toml   as configured; ANTEROOM_<SECTION>_<KEY> overrides a key
  anteroom config --print                 what is in force, secrets masked
  anteroom config --example               a file with every setting, its meaning and its default
  anteroom health                         does the configured server take requests: exit code 0 or 1
  anteroom keys --rotate entry            a new key for entry passes; the old one verifies for an hour
  anteroom inspect --data data rooms      what is in a data folder; also while the server runs
  anteroom inspect visitor ann            when ann joined, was called, went in and left
  anteroom inspect export --room sale --format jsonl --output sale.jsonl
  anteroom verify GET /events/spring      would it pass the gate, which rule decides, and why
  anteroom edge cloudfront --out edge.js  the gate's rules as a function for a CDN
  anteroom plan --crowd 200000 --batch 4000 --interval 10s --chart plan.html
                                          how long people wait, what the room needs, settings for it

Exit codes: 0 done, 1 the answer is no, 2 the command line or the configuration is wrong, 3 the data cannot be used;
`anteroom config --exit-codes` explains all of them (docs/exit-codes.md).)";

void add_keys_options(CLI::App& command, KeysOptions& options) {
    command.add_option("--rotate", options.rotate, "make a new key for: ticket, outer or entry");
    command.add_option("--overlap", options.overlap, "how long the old key still verifies")
        ->capture_default_str();
    command.add_flag("--ed25519", options.ed25519,
                     "sign passes with Ed25519: an edge needs only the public key");
}

std::string command_line(int argc, char** argv) {
    std::string line = "anteroom";
    for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
    return printable(line);
}

int run(int argc, char** argv) {
    CLI::App app("Anteroom: a virtual waiting room.");
    app.require_subcommand(1);
    app.footer(examples);
    app.set_version_flag("--version", ANTEROOM_VERSION);
    std::string path;
    const auto add = [&](const char* name, const char* what) {
        CLI::App* command = app.add_subcommand(name, what);
        command->add_option("--config", path, "configuration file (TOML)")
            ->check(CLI::ExistingFile);
        return command;
    };
    CLI::App* serve_command = add("serve", "run the server");
    bool demo = false;
    serve_command->add_flag("--demo", demo, "with a demo room and a small simulated crowd");
    CLI::App* config_command = add("config", "check the configuration");
    ConfigCommandOptions config_options;
    add_config_options(*config_command, config_options);
    CLI::App* keys_command = add("keys", "list or rotate the signing keys");
    KeysOptions keys_options;
    add_keys_options(*keys_command, keys_options);
    CLI::App* inspect_command = add("inspect", "look into a data folder: rooms, visits, facts");
    InspectOptions inspect_options;
    add_inspect_options(*inspect_command, inspect_options);
    CLI::App* verify_command = add("verify", "ask whether a request would pass the gate, and why");
    VerifyOptions verify_options;
    add_verify_options(*verify_command, verify_options);
    CLI::App* edge_command = add("edge", "write the gate's rules as JavaScript for a CDN");
    EdgeCommandOptions edge_options;
    add_edge_options(*edge_command, edge_options);
    CLI::App* health_command = add("health", "ask a running server whether it takes requests");
    HealthOptions health_options;
    add_health_options(*health_command, health_options);

    CLI::App* plan_command =
        app.add_subcommand("plan", "how many to let in, how long a crowd waits, what it takes");
    PlanOptions plan_options;
    plan_options.command = command_line(argc, argv);
    add_plan_options(*plan_command, plan_options);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_done : exit_config;
    }
    if (plan_command->parsed()) return plan(plan_options); // Whatever the configuration says.
    if (config_options.is_reference()) return print_reference(config_options);
    const Config config = load_config(path, environ);
    if (serve_command->parsed())
        return serve(
            {.config = config, .demo = demo, .warnings = foreign_warnings(config, environ)});
    if (keys_command->parsed()) return keys(config, keys_options);
    if (inspect_command->parsed()) {
        if (inspect_options.folder.empty()) inspect_options.folder = data_folder(config);
        return inspect(inspect_options);
    }
    if (verify_command->parsed()) return verify(config, verify_options);
    if (edge_command->parsed()) return edge(config, edge_options);
    if (health_command->parsed()) return health(config, health_options);
    return check_config(config, config_options, foreign_warnings(config, environ));
}

} // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const ConfigError& error) {
        fmt::print(stderr, "anteroom: {}\n", error.what());
        return exit_config;
    } catch (const DataError& error) {
        fmt::print(stderr, "anteroom: {}\n", error.what());
        return exit_data;
    }
}
