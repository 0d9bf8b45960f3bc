#include "store/history/fold.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace anteroom::history {
namespace {

constexpr std::int64_t lane_bits = 0xff; // The bits above say how the visitor came.

Cause cause_of(std::int64_t detail) {
    switch (detail) {
        case 0: return Cause::silent;
        case 1: return Cause::no_show;
        case 2: return Cause::lease;
        default: return Cause::none;
    }
}

class Writer {
  public:
    void take(const FactRow& fact) {
        switch (fact.kind) {
            case FactKind::joined: return arrive(fact);
            case FactKind::called: progress_of(fact).called_at = fact.at; return;
            case FactKind::claimed: progress_of(fact).entered_at = fact.at; return;
            case FactKind::finished: return end(fact, VisitorState::finished, Cause::none);
            case FactKind::left: return end(fact, VisitorState::left, Cause::none);
            case FactKind::expired: return end(fact, VisitorState::expired, cause_of(fact.detail));
            case FactKind::configured: return configure(fact);
            case FactKind::state_changed: return change_state(fact);
            case FactKind::cleared:
                chapter_.clearing = Clearing{.room = fact.room, .at = fact.at};
                return finish_chapter();
            case FactKind::missed: return take_back_call(fact);
            // A visitor who leaves and comes back within the grace period was never away; the outer
            // line has numbers, not visits.
            case FactKind::leaving:
            case FactKind::returned:
            case FactKind::redeemed:
            case FactKind::lease_set:
            case FactKind::number_taken:
            case FactKind::advanced:
            case FactKind::outer_expired:
            case FactKind::activated:
            case FactKind::deactivated: return;
        }
    }

    std::vector<Chapter> finish() {
        finish_chapter();
        return std::move(chapters_);
    }

  private:
    struct Key {
        std::uint32_t room;
        Number number;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return (key.number * 65'537 + key.room) * 0x9e37'79b9'7f4a'7c15;
        }
    };
    struct Spot {
        bool is_arrival;
        std::size_t index;
    };

    void arrive(const FactRow& fact) {
        spots_[{fact.room, fact.number}] = {true, chapter_.arrivals.size()};
        chapter_.arrivals.push_back({
            .room = fact.room,
            .number = fact.number,
            .visitor = fact.who.empty() ? fact.visitor : fact.who,
            .lane = static_cast<std::uint8_t>(fact.detail & lane_bits),
            .joined_at = fact.at,
        });
    }

    Progress& progress_of(const FactRow& fact) {
        const auto [spot, is_new] =
            spots_.try_emplace({fact.room, fact.number}, Spot{false, chapter_.changes.size()});
        if (is_new) chapter_.changes.push_back({.room = fact.room, .number = fact.number});
        return spot->second.is_arrival ? chapter_.arrivals[spot->second.index].progress
                                       : chapter_.changes[spot->second.index].progress;
    }

    void take_back_call(const FactRow& fact) {
        Progress& progress = progress_of(fact);
        const bool is_arrival = spots_.at({fact.room, fact.number}).is_arrival;
        progress.called_at = is_arrival ? std::nullopt : std::optional(call_taken_back);
    }

    void end(const FactRow& fact, VisitorState outcome, Cause cause) {
        Progress& progress = progress_of(fact);
        progress.ended_at = fact.at;
        progress.outcome = outcome;
        progress.cause = cause;
    }

    void configure(const FactRow& fact) {
        if (!fact.admission) return;
        chapter_.rooms.push_back({.room = fact.room, .at = fact.at, .admission = fact.admission});
    }

    void change_state(const FactRow& fact) {
        if (fact.detail < 0 || fact.detail > static_cast<int>(RoomState::passthrough)) return;
        chapter_.rooms.push_back(
            {.room = fact.room, .at = fact.at, .state = static_cast<RoomState>(fact.detail)});
    }

    void finish_chapter() {
        // Of the index by visitor, a batch of a large crowd touches a page per arrival. In the
        // order of the index each page is needed once, so that a small cache is enough.
        std::sort(chapter_.arrivals.begin(), chapter_.arrivals.end(),
                  [](const Visit& a, const Visit& b) {
                      return std::tie(a.visitor, a.room, a.number) <
                             std::tie(b.visitor, b.room, b.number);
                  });
        // Neighbours lie on one page; without the order, a batch touches many more.
        std::sort(chapter_.changes.begin(), chapter_.changes.end(),
                  [](const VisitChange& a, const VisitChange& b) {
                      return std::tie(a.room, a.number) < std::tie(b.room, b.number);
                  });
        const bool empty = chapter_.arrivals.empty() && chapter_.changes.empty() &&
                           chapter_.rooms.empty() && !chapter_.clearing;
        if (!empty) chapters_.push_back(std::move(chapter_));
        chapter_ = {};
        spots_.clear();
    }

    std::vector<Chapter> chapters_;
    Chapter chapter_;
    std::unordered_map<Key, Spot, Hash> spots_;
};

} // namespace

std::vector<Chapter> fold(std::span<const FactRow> facts) {
    Writer writer;
    for (const FactRow& fact : facts) writer.take(fact);
    return writer.finish();
}

} // namespace anteroom::history
