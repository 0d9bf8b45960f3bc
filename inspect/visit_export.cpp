#include "inspect/visit_export.h"

#include <fmt/format.h>

#include <array>

#include "base/text_table.h"

namespace anteroom::inspect {
namespace {

// Whether a spreadsheet may read the text as a formula. Some skip spaces before it, or take the
// full-width signs.
bool is_formula(std::string_view text) {
    if (!text.empty() && (text.front() == '\t' || text.front() == '\r' || text.front() == '\n'))
        return true;
    while (text.starts_with(' ')) text.remove_prefix(1);
    constexpr std::array<std::string_view, 8> starts{"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    for (const std::string_view start : starts)
        if (text.starts_with(start)) return true;
    return false;
}

} // namespace

std::string csv_cell(std::string_view text) {
    const bool is_dangerous = is_formula(text);
    if (!is_dangerous && text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
    std::string cell = is_dangerous ? "\"'" : "\"";
    for (const char c : text) {
        if (c == '"') cell += '"';
        cell += c;
    }
    return cell + '"';
}

std::string export_header(ExportFormat format) {
    if (format == ExportFormat::json_lines) return {};
    return "room,number,visitor,lane,state,joined_at,called_at,entered_at,ended_at,outcome,cause"
           "\r\n";
}

void append_visit(std::string& out, const history::VisitEntry& entry, ExportFormat format) {
    const history::Visit& visit = entry.visit;
    if (format == ExportFormat::json_lines) {
        history::append_json(out, visit, entry.room_id);
        out += '\n';
        return;
    }
    const history::Progress& progress = visit.progress;
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}\r\n",
                   csv_cell(entry.room_id), visit.number, csv_cell(visit.visitor), visit.lane,
                   name(state_of(progress)), utc_stamp(visit.joined_at),
                   utc_stamp(progress.called_at), utc_stamp(progress.entered_at),
                   utc_stamp(progress.ended_at), progress.outcome ? name(*progress.outcome) : "",
                   name(progress.cause));
}

} // namespace anteroom::inspect
