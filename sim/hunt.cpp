#include "sim/hunt.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "sim/plan.h"
#include "sim/world.h"

#ifdef ANTEROOM_PLANTED_BUGS

namespace anteroom::sim {
namespace {

// One line per seed before it runs, and what was found behind the last one.
[[noreturn]] void run_child(int out, Bug bug, std::uint64_t first, std::uint64_t last,
                            Millis length) {
    const auto say = [out](const std::string& text) {
        if (write(out, text.data(), text.size()) < 0) _exit(2);
    };
    planted_bug = bug;
    if (!std::freopen("/dev/null", "w", stderr)) _exit(2); // A failed CHECK is no news here.
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        say("\n" + std::to_string(seed) + " ");
        const Report report = run_world(make_plan(seed, length));
        if (!report.violation) continue;
        say(report.violation->what);
        _exit(1);
    }
    _exit(0);
}

} // namespace

Hunt hunt(Bug bug, std::uint64_t first, std::uint64_t last, Millis length) {
    std::array<int, 2> ends{};
    CHECK(pipe(ends.data()) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) run_child(ends[1], bug, first, last, length);
    close(ends[1]);
    std::string said;
    std::array<char, 4'096> buffer{};
    for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
        said.append(buffer.data(), static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);

    const std::string last_line = said.substr(said.rfind('\n') + 1);
    Hunt result{.found = status != 0, .seed = std::strtoull(last_line.c_str(), nullptr, 10)};
    result.what = last_line.substr(last_line.find(' ') + 1);
    if (result.found && result.what.empty()) result.what = "a check of the engine failed";
    return result;
}

} // namespace anteroom::sim

#endif
