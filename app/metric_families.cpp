#include "app/metric_families.h"

#include <algorithm>

#include "app/dialects.h"
#include "app/markdown.h"

namespace anteroom::app {
namespace {

std::string label_list(std::string_view labels) {
    std::string out;
    while (!labels.empty()) {
        const std::string_view one = labels.substr(0, labels.find(' '));
        labels.remove_prefix(std::min(one.size() + 1, labels.size()));
        if (!out.empty()) out += ", ";
        out += code(one);
    }
    return out;
}

void add_rows(MarkdownTable& table, std::span<const MetricFamily> families) {
    for (const MetricFamily& family : families)
        table.add({code(family.name), std::string(type_name(family.type)),
                   label_list(family.labels),
                   family.when.empty() ? "always" : std::string(family.when),
                   std::string(family.meaning)});
}

} // namespace

std::string metric_reference() {
    MarkdownTable table({"metric", "type", "labels", "when", "meaning"});
    add_rows(table, metric_families);
    for (const DialectInfo* dialect : dialects()) add_rows(table, dialect->metrics);
    return "# Metrics\n\n"
           "<!-- Written by scripts/write-reference from the tables in app/ and dialects/. "
           "Change the tables, not this file. -->\n\n"
           "`GET /metrics`, in the text format of Prometheus. Counters begin at 0 with the process. "
           "A histogram has `_bucket` (with the\nlabel `le`), `_sum` and `_count` behind its name. "
           "`room` and `event_id` are the room's id, `loop` is the number of the thread.\n"
           "`examples/grafana-dashboard.json` draws them.\n\n" +
           table.text();
}

} // namespace anteroom::app
