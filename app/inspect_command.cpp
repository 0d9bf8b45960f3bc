#include "app/inspect_command.h"

#include "app/config.h"
#include "app/exit_codes.h"

namespace anteroom::app {

int inspect(const inspect::Options& options) {
    const Result<inspect::End> end = inspect::run(options);
    if (!end) throw DataError(end.fault().reason);
    return *end == inspect::End::shown ? exit_done : exit_no;
}

} // namespace anteroom::app
