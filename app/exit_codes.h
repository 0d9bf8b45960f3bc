// Every exit code of the program: the one table behind the commands, `anteroom config --exit-codes`
// and docs/exit-codes.md.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace anteroom::app {

inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;
inline constexpr int exit_config = 2;
inline constexpr int exit_data = 3;
inline constexpr int exit_interrupted = 130; // 128 and the number of SIGINT, as shells have it.
inline constexpr int exit_bug = 134;         // 128 and the number of SIGABRT.

struct ExitCode {
    int code = 0;
    std::string_view name;
    std::string_view meaning;
    std::string_view example;
};

inline constexpr std::array exit_codes{
    ExitCode{exit_done, "done",
             "The command did what it was asked. `serve` ends so after SIGTERM or SIGINT.",
             "`anteroom config` finds no fault"},
    ExitCode{exit_no, "no", "The command worked, and its answer is no.",
             "`anteroom verify` says that the gate refuses the request; `anteroom health` finds a "
             "server that is not ready; `anteroom plan --measure` finds no load that the origin "
             "stands"},
    ExitCode{exit_config, "config",
             "The command line, a setting, an environment variable or a file that a setting names "
             "is wrong, or the address to listen on is taken. One line on standard error says "
             "which. Nothing was served.",
             "`anteroom serve` with `server.lisen` in its file"},
    ExitCode{exit_data, "data",
             "The data folder or the history cannot be used, or a file cannot be written. "
             "`serve` also ends so, at once, when what it acknowledged cannot be made durable.",
             "`anteroom serve` on a data folder that another process has open"},
    ExitCode{exit_interrupted, "interrupted",
             "SIGINT ended `anteroom plan --measure`; what was measured until then is printed.",
             "Ctrl-C during `anteroom plan --measure`"},
    ExitCode{exit_bug, "bug",
             "An invariant does not hold: the program ends (SIGABRT) rather than go on with broken "
             "rooms. Standard error names the check. After a restart every acknowledged place is "
             "there again.",
             "please report it with that line"},
};

// docs/exit-codes.md.
std::string exit_code_reference();

} // namespace anteroom::app
