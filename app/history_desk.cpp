#include "app/history_desk.h"

#include "net/loop.h"
#include "store/history/history_reader.h"

namespace anteroom::app {
namespace {

// Operators ask, not visitors: more than that is a mistake.
constexpr std::size_t questions_max = 100;

} // namespace

HistoryDesk::HistoryDesk(std::string folder) : folder_(std::move(folder)) {
    thread_ = std::thread([this] { run(); });
}

HistoryDesk::~HistoryDesk() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void HistoryDesk::ask(const HistoryQuestion& question, net::Loop& loop, OnPage done) {
    {
        const std::lock_guard lock(mutex_);
        if (asked_.size() < questions_max) {
            asked_.push_back({.question = question, .loop = &loop, .done = std::move(done)});
            changed_.notify_one();
            return;
        }
    }
    loop.post([done = std::move(done)] { done(Fault{"too many questions about the past"}); });
}

void HistoryDesk::run() {
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopping_ || !asked_.empty(); });
        if (stopping_) return;
        Asked asked = std::move(asked_.front());
        asked_.pop_front();
        lock.unlock();
        asked.loop->post(
            [done = std::move(asked.done), page = answer(asked.question)] { done(page); });
    }
}

Result<HistoryPage> HistoryDesk::answer(const HistoryQuestion& question) const {
    if (!history::HistoryReader::is_there(folder_)) return HistoryPage{};
    Result<history::HistoryReader> reader = history::HistoryReader::open(folder_);
    if (!reader) return reader.fault();
    const Result<history::VisitPage> found = reader->visits(
        question.room, {.state = question.state, .after = question.after, .limit = question.limit});
    if (!found) return found.fault();
    HistoryPage page{.is_last = !found->next_after};
    for (const history::Visit& visit : found->visits)
        page.visits.push_back({.number = visit.number,
                               .visitor = visit.visitor,
                               .lane = visit.lane,
                               .state = state_of(visit.progress),
                               .cause = std::string(name(visit.progress.cause)),
                               .joined = visit.joined_at,
                               .called = visit.progress.called_at,
                               .entered = visit.progress.entered_at,
                               .ended = visit.progress.ended_at});
    return page;
}

} // namespace anteroom::app
