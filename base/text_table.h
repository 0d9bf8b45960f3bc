// Text for people at a terminal: tables in columns, times in UTC, spans in words. Names that
// visitors chose cannot move the cursor or colour the screen: see printable().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace anteroom {

class TextTable {
  public:
    enum class Align : std::uint8_t { left, right };
    struct Column {
        std::string title;
        Align align = Align::left;
    };

    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
    // REQUIRES: as many cells as columns.
    void add(std::vector<std::string> cells);
    // Columns as wide as their widest cell, two spaces between them.
    std::string text() const;

  private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// Without control characters, which become U+FFFD, as do bytes that are no UTF-8.
std::string printable(std::string_view text);

// "2026-11-16 10:04:10"; empty when there is none.
std::string utc_text(const std::optional<Instant>& at);
// "2026-11-16T10:04:10.123Z" (RFC 3339); empty when there is none.
std::string utc_stamp(const std::optional<Instant>& at);
// "4m10s"; milliseconds only below a second.
std::string span_text(Millis span);

} // namespace anteroom
