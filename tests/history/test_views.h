// Views for the tests of the history: those of the dialects that have some.
#pragma once

#include <vector>

#include "dialects/portal/history_views.h"

namespace anteroom::history::testing {

inline std::vector<const HistoryViews*> dialect_views() {
    return {&portal::history_views()};
}

} // namespace anteroom::history::testing
