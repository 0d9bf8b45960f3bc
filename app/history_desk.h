// HistoryDesk: answers questions about the past from history.db, on a thread of its own: a loop
// never waits for the disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "service/history.h"

namespace anteroom::app {

class HistoryDesk final : public History {
  public:
    explicit HistoryDesk(std::string folder);
    ~HistoryDesk() override; // Questions that were not answered are forgotten.

    void ask(const HistoryQuestion& question, net::Loop& loop, OnPage done) override;

  private:
    struct Asked {
        HistoryQuestion question;
        net::Loop* loop;
        OnPage done;
    };
    void run();
    Result<HistoryPage> answer(const HistoryQuestion& question) const;

    const std::string folder_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Asked> asked_; // Guarded by mutex_.
    bool stopping_ = false;   // Guarded by mutex_.
    std::thread thread_;
};

} // namespace anteroom::app
