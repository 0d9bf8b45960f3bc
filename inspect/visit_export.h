// Visits as a file for other programs: CSV (RFC 4180) or one JSON object per line.
//
// A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and visitors choose their
// names. In CSV such a text gets an apostrophe in front, which spreadsheets do not show; JSON is
// for programs and is never altered.
#pragma once

#include <string>
#include <string_view>

#include "store/history/history_reader.h"

namespace anteroom::inspect {

enum class ExportFormat : std::uint8_t { csv, json_lines };

// The first line; empty for JSON.
std::string export_header(ExportFormat format);
void append_visit(std::string& out, const history::VisitEntry& entry, ExportFormat format);

// One cell: quoted when it has to be, harmless to a spreadsheet.
std::string csv_cell(std::string_view text);

} // namespace anteroom::inspect
