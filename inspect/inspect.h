// The command `anteroom inspect`: prints rooms, visits and facts of a data folder, while a server
// runs on it or after its end. Changes nothing in the folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "inspect/visit_export.h"
#include "store/history/history_reader.h"

namespace anteroom::inspect {

struct Options {
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

// not_found: there is no such room, visitor or history, and a line on standard error says so.
enum class End : std::uint8_t { shown, not_found };

// Prints the rooms, visits or facts. A fault: the folder cannot be read, or the output cannot be
// written.
Result<End> run(const Options& options);

// The steps of a visit (joined, called, went in, ended), with the time that each took.
std::string story(const history::VisitEntry& entry);

} // namespace anteroom::inspect
