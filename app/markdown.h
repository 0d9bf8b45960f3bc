// Tables of Markdown, for the documents that are written from tables of the code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace anteroom::app {

// `text`, as code.
std::string code(std::string_view text);

class MarkdownTable {
  public:
    explicit MarkdownTable(const std::vector<std::string>& titles);
    // REQUIRES: as many cells as titles.
    void add(const std::vector<std::string>& cells);
    const std::string& text() const { return text_; }

  private:
    std::size_t columns_;
    std::string text_;
};

} // namespace anteroom::app
