#include "inspect/inspect.h"

#include <gtest/gtest.h>

#include "inspect/visit_export.h"

namespace anteroom::inspect {
namespace {

using history::Cause;
using history::Visit;
using history::VisitEntry;

constexpr std::int64_t ten = 1'763'287'200'000; // 2025-11-16 10:00:00 UTC.

TEST(CsvCell, IsQuotedOnlyWhenItHasToBe) {
    EXPECT_EQ(csv_cell(""), "");
    EXPECT_EQ(csv_cell("ann"), "ann");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(csv_cell("two\r\nlines"), "\"two\r\nlines\"");
    EXPECT_EQ(csv_cell("ann@example.org"), "ann@example.org");
    EXPECT_EQ(csv_cell("a=b"), "a=b");
}

TEST(CsvCell, IsNoFormula) {
    for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1",
                             "＋1", "－1", "＠1", "=cmd|' /C calc'!A0"}) {
        const std::string cell = csv_cell(text);
        EXPECT_EQ(cell.substr(0, 2), "\"'") << text;
        EXPECT_EQ(cell.back(), '"');
    }
    EXPECT_EQ(csv_cell("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
}

TEST(VisitExport, WritesCsvAndJsonLines) {
    const VisitEntry entry{.room_id = "sale",
                           .visit = {.room = 1,
                                     .number = 7,
                                     .visitor = "=ann",
                                     .lane = 1,
                                     .joined_at = Instant{ten},
                                     .progress = {.called_at = Instant{ten + 1'234},
                                                  .ended_at = Instant{ten + 60'000},
                                                  .outcome = VisitorState::expired,
                                                  .cause = Cause::no_show}}};
    std::string csv = export_header(ExportFormat::csv);
    append_visit(csv, entry, ExportFormat::csv);
    EXPECT_EQ(
        csv,
        "room,number,visitor,lane,state,joined_at,called_at,entered_at,ended_at,outcome,cause\r\n"
        "sale,7,\"'=ann\",1,expired,2025-11-16T10:00:00.000Z,2025-11-16T10:00:01.234Z,,"
        "2025-11-16T10:01:00.000Z,expired,no_show\r\n");
    std::string json = export_header(ExportFormat::json_lines);
    append_visit(json, entry, ExportFormat::json_lines);
    EXPECT_EQ(json.find(R"({"room":"sale","number":7,"visitor":"=ann",)"), 0u) << json;
    EXPECT_EQ(json.back(), '\n');
}

TEST(Story, SaysWhatEachStepTook) {
    Visit visit{.number = 17,
                .visitor = "ann",
                .joined_at = Instant{ten},
                .progress = {.called_at = Instant{ten + 250'000},
                             .entered_at = Instant{ten + 250'350},
                             .ended_at = Instant{ten + 3'900'999},
                             .outcome = VisitorState::finished}};
    EXPECT_EQ(story({.room_id = "sale", .visit = visit}),
              "ann in the room sale: number 17, lane 0, finished\n"
              "  2025-11-16 10:00:00  joined\n"
              "  2025-11-16 10:04:10  called after 4m10s\n"
              "  2025-11-16 10:04:10  went in after 350ms\n"
              "  2025-11-16 11:05:00  finished after 1h50s\n");
    visit.progress = {
        .ended_at = Instant{ten}, .outcome = VisitorState::expired, .cause = Cause::silent};
    EXPECT_EQ(story({.room_id = "sale", .visit = visit}),
              "ann in the room sale: number 17, lane 0, expired\n"
              "  2025-11-16 10:00:00  joined\n"
              "  2025-11-16 10:00:00  expired (silent) after 0s\n");
}

} // namespace
} // namespace anteroom::inspect
