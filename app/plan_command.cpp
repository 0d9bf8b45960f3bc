#include "app/plan_command.h"

#include "app/config.h"
#include "app/exit_codes.h"
#include "plan/options_error.h"

namespace anteroom::app {

int plan(const plan::Options& options) {
    try {
        const Result<plan::End> end = plan::run(options);
        if (!end) throw DataError(end.fault().reason);
        switch (*end) {
            case plan::End::planned: return exit_done;
            case plan::End::no_good_step: return exit_no;
            case plan::End::interrupted: return exit_interrupted;
        }
    } catch (const plan::OptionsError& error) {
        throw ConfigError(error.what());
    }
    return exit_done;
}

} // namespace anteroom::app
