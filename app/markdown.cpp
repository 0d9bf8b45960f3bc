#include "app/markdown.h"

#include "base/check.h"

namespace anteroom::app {
namespace {

void append_row(std::string& out, const std::vector<std::string>& cells) {
    out += '|';
    for (const std::string& cell : cells) {
        out += ' ';
        for (const char c : cell) {
            if (c == '|') out += '\\'; // Ends a cell, also within code.
            out += c;
        }
        if (!cell.empty()) out += ' ';
        out += '|';
    }
    out += '\n';
}

} // namespace

std::string code(std::string_view text) {
    return '`' + std::string(text) + '`';
}

MarkdownTable::MarkdownTable(const std::vector<std::string>& titles) : columns_(titles.size()) {
    append_row(text_, titles);
    text_ += '|';
    for (std::size_t i = 0; i < columns_; ++i) text_ += "---|";
    text_ += '\n';
}

void MarkdownTable::add(const std::vector<std::string>& cells) {
    CHECK(cells.size() == columns_);
    append_row(text_, cells);
}

} // namespace anteroom::app
