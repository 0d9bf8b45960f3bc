// History: who was in a room, and what became of them. A port: answers come later, from wherever
// the history is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_function.h"
#include "engine/visitor.h"

namespace anteroom::net {
class Loop;
}

namespace anteroom {

struct PastVisit {
    Number number = 0;
    std::string visitor; // The id of one who was named, otherwise the key in hexadecimal.
    std::uint8_t lane = 0;
    VisitorState state = VisitorState::unknown;
    std::string cause; // Why somebody expired; empty: did not.
    Instant joined;
    std::optional<Instant> called;
    std::optional<Instant> entered;
    std::optional<Instant> ended;
};

struct HistoryQuestion {
    std::uint32_t room = 0;
    std::optional<VisitorState> state;
    Number after = 0;
    std::size_t limit = 100;
};

struct HistoryPage {
    std::vector<PastVisit> visits; // In order of their numbers.
    bool is_last = true;
};

class History {
  public:
    using OnPage = UniqueFunction<void(const Result<HistoryPage>&)>;

    History() = default;
    History(const History&) = delete;
    History& operator=(const History&) = delete;
    virtual ~History() = default;

    // Any thread; `done` runs on `loop`'s.
    virtual void ask(const HistoryQuestion& question, net::Loop& loop, OnPage done) = 0;
};

} // namespace anteroom
