// Who is in a room, and who was: the history as far as it goes, with what the room says now.
#include <fmt/format.h>

#include <array>

#include "api/native.h"
#include "base/json_text.h"
#include "base/text.h"
#include "net/url.h"

namespace anteroom::api {
namespace {

using net::Status;

constexpr std::size_t page_max = 1'000;
// A page looks at so many numbers of the room at the most, and says where the next one goes on.
constexpr std::uint64_t looks_max = 100'000;

std::uint64_t number_in(const net::Query& query, std::string_view name, std::uint64_t otherwise) {
    const std::string* text = query.find(name);
    return text ? parse_leading_number<std::uint64_t>(*text).value_or(otherwise) : otherwise;
}

std::optional<VisitorState> state_named(std::string_view name) {
    constexpr std::array states{VisitorState::waiting, VisitorState::leaving,  VisitorState::called,
                                VisitorState::active,  VisitorState::finished, VisitorState::left,
                                VisitorState::expired};
    for (const VisitorState state : states)
        if (name == anteroom::name(state)) return state;
    return std::nullopt;
}

void append_time(std::string& out, std::string_view name, std::optional<Instant> at) {
    out += at ? fmt::format(R"(,"{}":{})", name, at->ms) : fmt::format(R"(,"{}":null)", name);
}

// Builds the document, in order of numbers.
class List {
  public:
    List(const HostedRoom& room, const HistoryQuestion& question, Instant now)
        : room_(room), question_(question), now_(now), last_(question.after) {}

    bool is_full() const { return count_ >= question_.limit; }
    Number last() const { return last_; }

    // From the history; what the room says now is newer.
    void add(const PastVisit& visit) {
        const Standing now = room_.view().standing(visit.number);
        const bool lives = is_live(now.state);
        add_gap(visit.number);
        last_ = std::max(last_, visit.number);
        if (is_full()) return;
        write(visit.number, now.state == VisitorState::unknown ? visit.state : now.state,
              visit.visitor, lives ? &now : nullptr, visit);
    }

    // What the history has not heard of yet, and before this number.
    void add_gap(Number before) {
        const Number end = std::min(before, room_.view().issued() + 1);
        for (; last_ + 1 < end && !is_full() && looks_ < looks_max; ++looks_) {
            const Standing now = room_.view().standing(++last_);
            if (now.state == VisitorState::unknown) continue;
            if (question_.state && *question_.state != now.state) continue;
            const VisitorKey* key = room_.view().visitor(last_);
            PastVisit known{.lane = now.lane, .joined = now.joined};
            write(last_, now.state, key ? key_text(*key) : "", is_live(now.state) ? &now : nullptr,
                  known);
        }
    }

    std::string finish(bool has_more) {
        text_ +=
            has_more ? fmt::format(R"(],"next_after":{}}})", last_) : R"(],"next_after":null})";
        return std::move(text_);
    }

  private:
    void write(Number number, VisitorState state, std::string_view visitor, const Standing* now,
               const PastVisit& past) {
        if (question_.state && *question_.state != state) return;
        text_ += fmt::format(R"({}{{"number":{},"state":"{}","visitor":)", count_++ > 0 ? "," : "",
                             number, name(state));
        append_json_string(text_, visitor);
        text_ += fmt::format(R"(,"lane":{})", now ? now->lane : past.lane);
        append_time(text_, "joined_at",
                    past.joined.ms != 0 ? std::optional(past.joined) : std::nullopt);
        append_time(text_, "called_at", past.called);
        append_time(text_, "entered_at", past.entered);
        append_time(text_, "ended_at", past.ended);
        if (!past.cause.empty()) text_ += fmt::format(R"(,"cause":"{}")", past.cause);
        if (now) text_ += fmt::format(R"(,"ahead":{})", now->ahead);
        if (now && is_in_line(state))
            text_ += fmt::format(R"(,"present":{},"missed_calls":{})",
                                 room_.view().is_present(number, now_), now->missed);
        text_ += "}";
    }

    const HostedRoom& room_;
    const HistoryQuestion question_;
    const Instant now_;
    std::string text_ = R"({"visitors":[)";
    Number last_;
    std::uint64_t count_ = 0;
    std::uint64_t looks_ = 0;
};

} // namespace

void Native::admin_visitors(Call& call) {
    HostedRoom* found = find_room(call);
    if (!found) return;
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    if (!query) return refuse(call, Code::bad_request, "the query cannot be read");
    HistoryQuestion question{.room = found->index(), .after = number_in(*query, "after", 0)};
    question.limit = std::clamp<std::uint64_t>(number_in(*query, "limit", 100), 1, page_max);
    if (const std::string* state = query->find("state")) {
        question.state = state_named(*state);
        if (!question.state) return refuse(call, Code::bad_request, "there is no such state");
    }
    call.defer();
    auto answer = [this, room = found->shared_from_this(), question,
                   call = std::move(call)](const Result<HistoryPage>& page) mutable {
        if (!page) return refuse(call, Code::unavailable, page.fault().reason);
        List list(*room, question, service_.clock().now());
        for (const PastVisit& visit : page->visits) list.add(visit);
        if (page->is_last) list.add_gap(room->view().issued() + 1);
        const bool has_more = !page->is_last || list.last() < room->view().issued();
        net::Answer out = call.begin(Status::ok);
        out.header("Content-Type", "application/json");
        net::append(out.body(), list.finish(has_more));
    };
    if (desk_.shared().history)
        return desk_.shared().history->ask(question, desk_.loop(), std::move(answer));
    answer(HistoryPage{});
}

} // namespace anteroom::api
