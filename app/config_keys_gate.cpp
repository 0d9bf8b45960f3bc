#include "app/config_tables.h"

namespace anteroom::app {
namespace {

const ConfigKey gate_table[] = {
    {"gate", "origin", &Config::gate_origin, "http or https URLs without a path",
     "The sites behind the gate; requests that are not the waiting room's own go there. Empty: "
     "nothing is passed on."},
    {"gate", "rules", &Config::gate_rules, "default, compat or a file",
     "The rules of the gate: the built-in ones, system U's as they were (compat), or a rule file.",
     Secret::none, Reload::file},
    {"gate", "redeem", &Config::gate_redeem, "switch",
     "An entry pass opens the gate only after it was exchanged for a session."},
    {"gate", "health_path", &Config::gate_health_path, "path",
     "The path that is asked of each origin to see whether it is well. Empty: none is asked."},
    {"gate", "timeout", &Config::gate_timeout, "duration, at most 1h",
     "How long an origin may take to the first byte of its answer."},
    {"gate", "authorities", &Config::gate_authorities, "PEM file",
     "The certificate authorities that https origins must be signed by. Empty: those of the "
     "system."},
    {"gate", "edge_key", &Config::gate_edge_key, "secret of at least 32 bytes",
     "The secret with which an edge signs the requests that it lets through; the gate then "
     "refuses all others. Empty: no signature is asked for.",
     Secret::whole},
    {"gate", "edge_key_file", &Config::gate_edge_key_file, "file",
     "A file with up to four such secrets, one in each line, instead of gate.edge_key; the edge "
     "signs with the first.",
     Secret::none, Reload::file},
    {"gate", "limits", &Config::gate_limits, "choice",
     "When calls per minute are counted: always, only when there is a gate.origin (origin), or "
     "never.",
     Secret::none, Reload::no, "always origin never"},
    {"gate", "auth_per_minute", &Config::gate_auth_per_minute, "per minute",
     "How many calls of the login one client may make. 0: no limit."},
    {"gate", "queue_per_minute", &Config::gate_queue_per_minute, "per minute",
     "How many calls of the queue one client may make. 0: no limit."},
    {"gate", "booking_per_minute", &Config::gate_booking_per_minute, "per minute",
     "How many calls that book something one client may make. 0: no limit."},
    {"gate", "general_per_minute", &Config::gate_general_per_minute, "per minute",
     "How many other calls below /api/ one client may make. 0: no limit."},
    {"rooms", "create", &Config::create_rooms, "choice",
     "Who makes a room: the first visitor who asks for it (first-use), or only an operator "
     "(admin).",
     Secret::none, Reload::no, "first-use admin"},
    {"rooms", "max", &Config::rooms_max, "count from 1 to 65536", "How many rooms there may be."},
    {"rooms", "joins_per_second", &Config::joins_per_second, "per second",
     "How many places one address may take per second in the long run. 0: no limit."},
    {"rooms", "joins_burst", &Config::joins_burst, "count, at least 1",
     "How many places one address may take at once."},
    {"log", "level", &Config::log_level, "choice",
     "The least important lines that are logged. The log is JSON on standard error, one line "
     "each.",
     Secret::none, Reload::no, "trace debug info warning error critical off"},
};

} // namespace

std::span<const ConfigKey> gate_keys() {
    return gate_table;
}

} // namespace anteroom::app
