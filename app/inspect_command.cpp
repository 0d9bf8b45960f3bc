#include "app/inspect_command.h"

#include <map>

namespace anteroom::app {
namespace {

using What = InspectOptions::What;

CLI::App* add(CLI::App& inspect, InspectOptions& options, What what, const char* name,
              const char* meaning) {
    CLI::App* command = inspect.add_subcommand(name, meaning);
    command->callback([&options, what] { options.what = what; });
    return command;
}

void add_room(CLI::App* command, InspectOptions& options) {
    command->add_option("ROOM", options.room, "its id, or ID#INDEX for one that was removed")
        ->required();
}

void add_json(CLI::App* command, InspectOptions& options) {
    command->add_flag("--json", options.json, "one JSON object per line; times in ms since 1970");
}

void add_limit(CLI::App* command, InspectOptions& options) {
    command->add_option("--limit", options.limit, "at most so many")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
}

} // namespace

void add_inspect_options(CLI::App& inspect, InspectOptions& options) {
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
        ->transform(CLI::CheckedTransformer(
                        std::map<std::string, ExportFormat>{{"csv", ExportFormat::csv},
                                                            {"jsonl", ExportFormat::json_lines}})
                        .description("{csv,jsonl}")); // Its own would print the enum as bytes.
    exported->add_option("--output", options.output, "a file instead of standard output");

    CLI::App* facts = add(inspect, options, What::facts, "facts", "the last facts of a room");
    add_room(facts, options);
    add_limit(facts, options);
    add_json(facts, options);
}

} // namespace anteroom::app
