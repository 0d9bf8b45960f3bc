// System P's tables waiting_queues and queue_entries as views of the history:
// docs/formats-history.md.
#pragma once

#include "service/history_views.h"

namespace anteroom::portal {

const HistoryViews& history_views();

} // namespace anteroom::portal
