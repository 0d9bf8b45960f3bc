#include "inspect/inspect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "base/json_text.h"
#include "base/text.h"
#include "base/text_table.h"
#include "engine/fact.h"
#include "store/history/fact_feed.h"

namespace anteroom::inspect {
namespace {

using history::FactFeed;
using history::FactRow;
using history::HistoryReader;
using history::RoomRow;
using history::RoomSummary;
using history::Visit;
using history::VisitEntry;
using Align = TextTable::Align;

template <class... Parts>
End not_found(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::print(stderr, "anteroom: {}\n", fmt::format(format, std::forward<Parts>(parts)...));
    return End::not_found;
}

// --- Where to write ------------------------------------------------------------------------------

// Standard output or a file. A disk that is full is noticed: every writing says whether it worked.
class Out {
  public:
    explicit Out(const std::string& path)
        : path_(path),
          file_(path.empty() ? stdout : std::fopen(path.c_str(), "we")),
          open_error_(file_ ? 0 : errno) {}
    ~Out() {
        if (file_ && file_ != stdout) std::fclose(file_);
    }
    Out(const Out&) = delete;
    Out& operator=(const Out&) = delete;

    Result<void> write(std::string_view text) {
        if (!file_ || std::fwrite(text.data(), 1, text.size(), file_) != text.size())
            return fault();
        return {};
    }
    Result<void> finish() {
        if (!file_ || std::fflush(file_) != 0) return fault();
        return {};
    }

  private:
    Fault fault() const {
        return {fmt::format("{} cannot be written: {}", path_.empty() ? "the output" : path_,
                            std::generic_category().message(file_ ? errno : open_error_))};
    }
    std::string path_;
    std::FILE* file_; // Null: it could not be opened.
    int open_error_;
};

Result<End> print(std::string_view text) {
    Out out("");
    if (const Result<void> written = out.write(text); !written) return written.fault();
    if (const Result<void> finished = out.finish(); !finished) return finished.fault();
    return End::shown;
}

// The progress of an export: a line that is overwritten in place, only on a terminal.
class ProgressLine {
  public:
    explicit ProgressLine(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) != 0) {}
    ~ProgressLine() {
        if (drawn_) fmt::print(stderr, "\r\033[K");
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    bool is_shown() const { return shown_; }

    void draw(std::uint64_t done, std::uint64_t all) {
        const auto now = std::chrono::steady_clock::now();
        if (!shown_ || now - last_ < std::chrono::milliseconds(500)) return;
        last_ = now;
        drawn_ = true;
        fmt::print(stderr, "\r{} of {} visits", done, std::max(done, all));
    }

  private:
    bool shown_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// --- Rooms ---------------------------------------------------------------------------------------

// "sale" is the newest room of that name, "sale#3" the one with that index.
template <class Room>
const Room* find_room(const std::vector<Room>& rooms, std::string_view text) {
    const std::size_t mark = text.find('#');
    const std::string_view id = text.substr(0, mark);
    std::optional<std::uint32_t> index;
    if (mark != text.npos) {
        index = parse_whole_number<std::uint32_t>(text.substr(mark + 1));
        if (!index) return nullptr;
    }
    const Room* found = nullptr;
    for (const Room& room : rooms)
        if (room.id == id && (!index || room.room == *index)) found = &room;
    return found;
}

std::string room_json(const RoomSummary& summary) {
    const RoomRow& room = summary.room;
    std::string out = fmt::format(R"({{"index":{},"room":)", room.room);
    append_json_string(out, room.id);
    return out +
           fmt::format(
               R"(,"state":"{}","capacity":{},"created_at":{},"removed_at":{},"visits":{},)"
               R"("waiting":{},"called":{},"active":{},"finished":{},"left":{},"expired":{}}})"
               "\n",
               name(room.state), room.admission.capacity, room.created_at.ms,
               room.removed_at ? std::to_string(room.removed_at->ms) : "null", summary.visits(),
               summary.waiting, summary.called, summary.active, summary.finished, summary.left,
               summary.expired);
}

Result<End> show_rooms(HistoryReader& reader, const Options& options) {
    const Result<std::vector<RoomSummary>> rooms = reader.summaries();
    if (!rooms) return rooms.fault();
    std::string json;
    TextTable table({{"ROOM"},
                     {"INDEX", Align::right},
                     {"STATE"},
                     {"CAPACITY", Align::right},
                     {"VISITS", Align::right},
                     {"WAITING", Align::right},
                     {"CALLED", Align::right},
                     {"ACTIVE", Align::right},
                     {"FINISHED", Align::right},
                     {"LEFT", Align::right},
                     {"EXPIRED", Align::right},
                     {"CREATED (UTC)"},
                     {"REMOVED (UTC)"}});
    for (const RoomSummary& summary : *rooms) {
        const RoomRow& room = summary.room;
        json += room_json(summary);
        table.add({printable(room.id), std::to_string(room.room),
                   room.removed_at ? "removed" : name(room.state),
                   std::to_string(room.admission.capacity), std::to_string(summary.visits()),
                   std::to_string(summary.waiting), std::to_string(summary.called),
                   std::to_string(summary.active), std::to_string(summary.finished),
                   std::to_string(summary.left), std::to_string(summary.expired),
                   utc_text(room.created_at), utc_text(room.removed_at)});
    }
    return print(options.json ? json : table.text());
}

// --- Visits --------------------------------------------------------------------------------------

std::optional<VisitorState> state_named(std::string_view text) {
    using enum VisitorState;
    for (const VisitorState state : {waiting, called, active, finished, left, expired})
        if (text == name(state)) return state;
    return std::nullopt;
}

Result<End> show_visits(HistoryReader& reader, const Options& options) {
    const Result<std::vector<RoomRow>> rooms = reader.rooms();
    if (!rooms) return rooms.fault();
    const RoomRow* room = find_room(*rooms, options.room);
    if (!room) return not_found("there is no room {}", printable(options.room));
    const Result<history::VisitPage> page = reader.visits(
        room->room,
        {.state = state_named(options.state), .after = options.after, .limit = options.limit});
    if (!page) return page.fault();
    std::string json;
    TextTable table({{"NUMBER", Align::right},
                     {"VISITOR"},
                     {"LANE", Align::right},
                     {"STATE"},
                     {"JOINED (UTC)"},
                     {"CALLED"},
                     {"WENT IN"},
                     {"ENDED"},
                     {"CAUSE"}});
    for (const Visit& visit : page->visits) {
        const history::Progress& progress = visit.progress;
        history::append_json(json, visit, room->id);
        json += '\n';
        table.add({std::to_string(visit.number), printable(visit.visitor),
                   std::to_string(visit.lane), name(state_of(progress)), utc_text(visit.joined_at),
                   utc_text(progress.called_at), utc_text(progress.entered_at),
                   utc_text(progress.ended_at), std::string(name(progress.cause))});
    }
    const Result<End> printed = print(options.json ? json : table.text());
    if (printed && page->next_after)
        fmt::print(stderr, "more with --after {}\n", *page->next_after);
    return printed;
}

Result<End> show_visitor(HistoryReader& reader, const Options& options) {
    Result<std::vector<VisitEntry>> visits = reader.visits_of(options.visitor);
    if (!visits) return visits.fault();
    if (!options.room.empty())
        std::erase_if(*visits,
                      [&](const VisitEntry& entry) { return entry.room_id != options.room; });
    if (visits->empty())
        return not_found(
            "nobody of the name {} was {}", printable(options.visitor),
            options.room.empty() ? "in any room" : "in the room " + printable(options.room));
    std::string text;
    for (const VisitEntry& entry : *visits) {
        if (options.json) {
            append_visit(text, entry, ExportFormat::json_lines);
            continue;
        }
        if (!text.empty()) text += '\n';
        text += story(entry);
    }
    return print(text);
}

Result<End> export_visits(HistoryReader& reader, const Options& options) {
    constexpr std::size_t page_size = 5'000;
    if (!options.room.empty()) {
        const Result<std::vector<RoomRow>> rooms = reader.rooms_named(options.room);
        if (!rooms) return rooms.fault();
        if (rooms->empty()) return not_found("there is no room {}", printable(options.room));
    }
    Out out(options.output);
    const bool covers_output = options.output.empty() && isatty(STDOUT_FILENO) != 0;
    ProgressLine progress(!covers_output);
    const Result<std::uint64_t> all = progress.is_shown() ? reader.count() : 0;
    if (!all) return all.fault();
    std::string text = export_header(options.format);
    std::uint64_t seen = 0;
    std::uint32_t room = 0;
    Number number = 0;
    for (;;) {
        if (const Result<void> written = out.write(text); !written) return written.fault();
        const Result<std::vector<VisitEntry>> page = reader.visits_after(room, number, page_size);
        if (!page) return page.fault();
        if (page->empty()) break;
        text.clear();
        for (const VisitEntry& entry : *page)
            if (options.room.empty() || entry.room_id == options.room)
                append_visit(text, entry, options.format);
        seen += page->size();
        room = page->back().visit.room;
        number = page->back().visit.number;
        progress.draw(seen, *all);
    }
    if (const Result<void> finished = out.finish(); !finished) return finished.fault();
    return End::shown;
}

// --- Facts ---------------------------------------------------------------------------------------

std::string detail_text(const FactRow& fact) {
    switch (fact.kind) {
        case history::FactKind::joined:
            return fmt::format("lane {}{}", fact.detail & 0xff,
                               fact.outer ? fmt::format(", outer number {}", fact.outer) : "");
        case history::FactKind::expired:
            return fact.detail >= 0 && fact.detail <= 2 ? name(static_cast<Expiry>(fact.detail))
                                                        : std::to_string(fact.detail);
        case history::FactKind::lease_set: return "until " + utc_text(Instant{fact.detail});
        case history::FactKind::state_changed:
            return fact.detail >= 0 && fact.detail <= 4 ? name(static_cast<RoomState>(fact.detail))
                                                        : std::to_string(fact.detail);
        default: return printable(fact.settings);
    }
}

std::string fact_json(const FactRow& fact) {
    std::string out =
        fmt::format(R"({{"fact":{},"seq":{},"at":{},"kind":"{}","number":{},"visitor":)", fact.fact,
                    fact.seq, fact.at.ms, name(fact.kind), fact.number);
    append_json_string(out, fact.who.empty() ? fact.visitor : fact.who);
    out += ",\"detail\":";
    append_json_string(out, detail_text(fact));
    return out + "}\n";
}

Result<End> show_facts(const Options& options) {
    Result<FactFeed> feed = FactFeed::open(options.folder);
    if (!feed) return feed.fault();
    const Result<std::vector<history::LedgerRoom>> rooms = feed->rooms();
    if (!rooms) return rooms.fault();
    const history::LedgerRoom* room = find_room(*rooms, options.room);
    if (!room) return not_found("there is no room {}", printable(options.room));
    const Result<std::vector<FactRow>> facts = feed->last_of_room(room->room, options.limit);
    if (!facts) return facts.fault();
    std::string json;
    TextTable table({{"FACT", Align::right},
                     {"SEQ", Align::right},
                     {"TIME (UTC)"},
                     {"WHAT"},
                     {"NUMBER", Align::right},
                     {"VISITOR"},
                     {"DETAIL"}});
    for (const FactRow& fact : *facts) {
        json += fact_json(fact);
        table.add({std::to_string(fact.fact), std::to_string(fact.seq), utc_text(fact.at),
                   std::string(name(fact.kind)), fact.number ? std::to_string(fact.number) : "",
                   printable(fact.who.empty() ? fact.visitor : fact.who), detail_text(fact)});
    }
    return print(options.json ? json : table.text());
}

// After a crash the newest facts are only in the ledger until a server runs again.
void say_how_far(HistoryReader& reader, const std::string& folder) {
    Result<FactFeed> feed = FactFeed::open(folder);
    if (!feed) return;
    const Result<std::uint64_t> last = feed->last();
    const Result<std::uint64_t> cursor = reader.cursor();
    if (!last || !cursor || *last <= *cursor) return;
    fmt::print(stderr, "note: the last {} facts of the ledger are not yet in the history\n",
               *last - *cursor);
}

} // namespace

std::string story(const VisitEntry& entry) {
    const Visit& visit = entry.visit;
    const history::Progress& progress = visit.progress;
    std::string text =
        fmt::format("{} in the room {}: number {}, lane {}, {}\n", printable(visit.visitor),
                    printable(entry.room_id), visit.number, visit.lane, name(state_of(progress)));
    Instant before = visit.joined_at;
    const auto step = [&](std::string_view what, const std::optional<Instant>& at) {
        if (!at) return;
        text += fmt::format("  {}  {}", utc_text(at), what);
        if (*at != visit.joined_at || what != "joined")
            text += fmt::format(" after {}", span_text(*at - before));
        text += '\n';
        before = *at;
    };
    step("joined", visit.joined_at);
    step("called", progress.called_at);
    step("went in", progress.entered_at);
    std::string end = progress.outcome ? name(*progress.outcome) : "";
    if (progress.cause != history::Cause::none) end += fmt::format(" ({})", name(progress.cause));
    step(end, progress.ended_at);
    return text;
}

Result<End> run(const Options& options) {
    using What = Options::What;
    if (options.what == What::facts) return show_facts(options); // The ledger may stand alone.
    if (!HistoryReader::is_there(options.folder))
        return not_found("there is no history in {}", options.folder);
    Result<HistoryReader> reader = HistoryReader::open(options.folder);
    if (!reader) return reader.fault();
    say_how_far(*reader, options.folder);
    switch (options.what) {
        case What::rooms: return show_rooms(*reader, options);
        case What::visits: return show_visits(*reader, options);
        case What::visitor: return show_visitor(*reader, options);
        case What::exported: return export_visits(*reader, options);
        case What::facts: break;
    }
    return show_facts(options);
}

} // namespace anteroom::inspect
