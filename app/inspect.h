// `anteroom inspect`: looks into a data folder, beside a server that runs or after its end. Changes
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/visit_export.h"
#include "store/history/history_reader.h"

namespace anteroom::app {

struct InspectOptions {
    enum class What : std::uint8_t { rooms, visits, visitor, exported, facts };
    What what = What::rooms;
    std::string folder;
    std::string room; // An id, or ID#INDEX for a room that was removed.
    std::string visitor;
    std::string state; // Empty: all.
    std::uint64_t after = 0;
    std::size_t limit = 100;
    bool json = false;
    ExportFormat format = ExportFormat::csv;
    std::string output; // Empty: standard output.
};

// The exit code. Throws DataError when the folder cannot be read.
int inspect(const InspectOptions& options);

// What a visitor did, step by step, with what each took.
std::string story(const history::VisitEntry& entry);

} // namespace anteroom::app
