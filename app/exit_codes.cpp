#include "app/exit_codes.h"

#include "app/markdown.h"

namespace anteroom::app {

std::string exit_code_reference() {
    MarkdownTable table({"code", "name", "meaning", "example"});
    for (const ExitCode& one : exit_codes)
        table.add({std::to_string(one.code), std::string(one.name), std::string(one.meaning),
                   std::string(one.example)});
    return "# Exit codes\n\n"
           "<!-- Written by scripts/write-reference from the table in app/exit_codes.h. Change the "
           "table, not this file. -->\n\n"
           "What every `anteroom` command ends with.\n\n" +
           table.text();
}

} // namespace anteroom::app
