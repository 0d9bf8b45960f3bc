#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <map>

#include "app/dialects.h"
#include "app/exit_codes.h"
#include "base/text_table.h"

namespace anteroom::app {
namespace {

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

using What = inspect::Options::What;

CLI::App* add(CLI::App& inspect, inspect::Options& options, What what, const char* name,
              const char* meaning) {
    CLI::App* command = inspect.add_subcommand(name, meaning);
    command->callback([&options, what] { options.what = what; });
    return command;
}

void add_room(CLI::App* command, inspect::Options& options) {
    command->add_option("ROOM", options.room, "its id, or ID#INDEX for one that was removed")
        ->required();
}

void add_json(CLI::App* command, inspect::Options& options) {
    command->add_flag("--json", options.json, "one JSON object per line; times in ms since 1970");
}

void add_limit(CLI::App* command, inspect::Options& options) {
    command->add_option("--limit", options.limit, "at most so many")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
}

void add_inspect_options(CLI::App& inspect, inspect::Options& options) {
    inspect.require_subcommand(1);
    inspect.fallthrough(); // --data may stand before the question or behind it.
    inspect.add_option("--data", options.folder, "data folder; otherwise as configured");

    CLI::App* rooms =
        add(inspect, options, What::rooms, "rooms", "rooms, and how many visits each had");
    add_json(rooms, options);

    CLI::App* visits = add(inspect, options, What::visits, "visits", "the visits of a room");
    add_room(visits, options);
    visits->add_option("--state", options.state, "only visits in this state")
        ->check(CLI::IsMember({"waiting", "called", "active", "finished", "left", "expired"}));
    visits->add_option("--after", options.after, "only numbers behind this one");
    add_limit(visits, options);
    add_json(visits, options);

    CLI::App* visitor =
        add(inspect, options, What::visitor, "visitor", "the story of a visitor, in all rooms");
    visitor->add_option("ID", options.visitor, "the visitor's id, or the key of an anonymous one")
        ->required();
    visitor->add_option("--room", options.room, "only in this room");
    add_json(visitor, options);

    CLI::App* exported =
        add(inspect, options, What::exported, "export", "all visits, for other programs");
    exported->add_option("--room", options.room, "only of this room");
    exported->add_option("--format", options.format, "csv (the default) or jsonl")
        ->transform(CLI::CheckedTransformer(std::map<std::string, inspect::ExportFormat>{
                                                {"csv", inspect::ExportFormat::csv},
                                                {"jsonl", inspect::ExportFormat::json_lines}})
                        .description("{csv,jsonl}")); // Its own would print the enum as bytes.
    exported->add_option("--output", options.output, "a file instead of standard output");

    CLI::App* facts = add(inspect, options, What::facts, "facts", "the last facts of a room");
    add_room(facts, options);
    add_limit(facts, options);
    add_json(facts, options);
}

void add_health_options(CLI::App& command, HealthOptions& options) {
    command.add_option("URL", options.url,
                       "of the server, or of its /readyz; default: as configured, on loopback");
    command.add_option("--authorities", options.authorities,
                       "PEM file of who may have signed the certificate of an https URL");
}

void add_verify_options(CLI::App& command, VerifyOptions& options) {
    command.add_option("METHOD", options.method, "as it is sent: GET, POST, …")->required();
    command.add_option("URL", options.url, "https://host/path or /path")->required();
    command.add_option("--rules", options.rules, "default, compat, or a file");
    const auto add = [&](const char* name, std::vector<std::string>& list, const char* what) {
        command.add_option(name, list, what)->expected(1)->take_all();
    };
    add("--cookie", options.cookies, "NAME=VALUE; may come again");
    add("--header", options.headers, "NAME:VALUE; may come again");
    add("--active", options.active, "an event whose outer line is active; may come again");
    command.add_option("--body", options.body,
                       "what is sent along, as application/json unless --header says another type");
    command.add_option("--user", options.user, "who is logged in; otherwise by the access token");
    command.add_option("--role", options.role, "that user's role");
    command.add_flag("--json", options.json, "for machines");
}

void add_edge_options(CLI::App& command, EdgeCommandOptions& options) {
    command.add_option("PLATFORM", options.platform, "cloudfront or cloudflare")
        ->required()
        ->check(CLI::IsMember({"cloudfront", "cloudflare"}));
    command.add_option("--rules", options.rules, "default, compat, or a file");
    command.add_option("--out", options.output, "a file instead of standard output");
    command.add_option("--active-url", options.active_url,
                       "where the server says which outer lines are active; otherwise the "
                       "variable ANTEROOM_ACTIVE_URL");
    command.add_option("--active-seconds", options.active_seconds, "how long that is kept")
        ->check(CLI::Range(1, 3'600))
        ->capture_default_str();
    command
        .add_option("--fail", options.fail,
                    "when it cannot be asked: closed (all are active) or open (none is)")
        ->check(CLI::IsMember({"closed", "open"}))
        ->capture_default_str();
    command.add_flag("--inline-secrets", options.inline_secrets, "put HS256 secrets into the file");
}

std::vector<std::string> poll_names() {
    std::vector<std::string> names;
    for (const plan::System* system : plan_systems()) names.emplace_back(system->name);
    return names;
}

void add_plan_options(CLI::App& command, plan::Options& options) {
    options.systems = plan_systems();
    command.add_option("--qps", options.qps, "queries a second that the origin stands");
    command.add_option("--queries", options.queries, "queries of one call, on average");
    command.add_option("--calls", options.calls, "calls of one visitor");
    command.add_option("--retry", options.retry, "1.5: every second call is made twice");
    command.add_option("--margin", options.margin, "how much of it is kept back, such as 10%");
    command.add_option("--interval", options.interval, "between batches; 10s when not given");
    command.add_option("--batch", options.batch, "so many go in per interval");
    command.add_option("--rate", options.rate, "so many go in per second");
    command.add_option("--capacity", options.capacity, "at most so many inside at once");
    command.add_option("--stay", options.stay, "how long one stays inside");
    command.add_option("--crowd", options.crowd, "how many people come");
    command.add_option("--arrive", options.arrive, "within how long they come; otherwise at once");
    command
        .add_option("--poll", options.poll,
                    "whose clients come: how often they ask, and whose rooms are planned")
        ->check(CLI::IsMember(poll_names()))
        ->capture_default_str();
    command.add_option("--chart", options.chart, "a picture of it: FILE.svg or FILE.html");
    command.add_flag("--toml", options.toml, "only the settings, as `anteroom serve` takes them");
    command.add_option("--measure", options.measure,
                       "try what this URL stands, and plan with that");
    command
        .add_option("--measure-from", options.measure_from, "calls per second of the first step")
        ->capture_default_str();
    command.add_option("--measure-max", options.measure_max, "never more calls per second")
        ->capture_default_str();
    command.add_option("--measure-total", options.measure_total, "never more calls in all")
        ->capture_default_str();
    command.add_option("--measure-step", options.measure_step, "how long a step lasts")
        ->capture_default_str();
    command.add_option("--latency", options.latency, "95 of 100 answers must be this fast")
        ->capture_default_str();
    command.add_option("--errors", options.errors, "so many answers may be errors")
        ->capture_default_str();
}

std::string as_typed(int argc, char** argv) {
    std::string line = "anteroom";
    for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
    return printable(line);
}

} // namespace

std::variant<CommandLine, int> parse_command_line(int argc, char** argv) {
    using Command = CommandLine::Command;
    CommandLine line;
    CLI::App app("Anteroom: a virtual waiting room.");
    app.require_subcommand(1);
    app.footer(examples);
    app.set_version_flag("--version", ANTEROOM_VERSION);
    const auto add = [&](Command which, const char* name, const char* what) -> CLI::App& {
        CLI::App* command = app.add_subcommand(name, what);
        command->callback([&line, which] { line.command = which; });
        return *command;
    };
    const auto add_configured = [&](Command which, const char* name,
                                    const char* what) -> CLI::App& {
        CLI::App& command = add(which, name, what);
        command.add_option("--config", line.config_path, "configuration file (TOML)")
            ->check(CLI::ExistingFile);
        return command;
    };
    add_configured(Command::serve, "serve", "run the server")
        .add_flag("--demo", line.demo, "with a demo room and a small simulated crowd");
    add_config_options(add_configured(Command::config, "config", "check the configuration"),
                       line.config);
    add_keys_options(add_configured(Command::keys, "keys", "list or rotate the signing keys"),
                     line.keys);
    add_inspect_options(add_configured(Command::inspect, "inspect",
                                       "look into a data folder: rooms, visits, facts"),
                        line.inspect);
    add_health_options(
        add_configured(Command::health, "health", "ask a running server whether it takes requests"),
        line.health);
    add_verify_options(add_configured(Command::verify, "verify",
                                      "ask whether a request would pass the gate, and why"),
                       line.verify);
    add_edge_options(
        add_configured(Command::edge, "edge", "write the gate's rules as JavaScript for a CDN"),
        line.edge);
    line.plan.command = as_typed(argc, argv);
    add_plan_options(
        add(Command::plan, "plan", "how many to let in, how long a crowd waits, what it takes"),
        line.plan);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_done : exit_config;
    }
    return line;
}

} // namespace anteroom::app
