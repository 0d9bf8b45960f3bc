// Audit: who changed what, when. The last ten thousand entries, newest last.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"

namespace anteroom {

struct AuditEntry {
    std::uint64_t id = 0;
    Instant at;
    std::string actor;   // "admin", or the user id of an admin; never a token.
    std::string address; // Of the client.
    std::string room;
    std::string action;
    std::string detail;
};

class Audit {
  public:
    // Gives the entry its id.
    void note(AuditEntry& entry) {
        const std::lock_guard lock(mutex_);
        entry.id = ++last_id_;
        add(entry);
    }

    // An entry of an earlier life. REQUIRES: ids grow.
    void bring_back(const AuditEntry& entry) {
        const std::lock_guard lock(mutex_);
        last_id_ = entry.id;
        add(entry);
    }

    // Entries after this id, oldest first.
    std::vector<AuditEntry> after(std::uint64_t id, std::size_t limit) const {
        const std::lock_guard lock(mutex_);
        std::vector<AuditEntry> found;
        for (const AuditEntry& entry : entries_)
            if (entry.id > id && found.size() < limit) found.push_back(entry);
        return found;
    }

    static constexpr std::size_t entries_max = 10'000;

  private:
    void add(const AuditEntry& entry) {
        if (entries_.size() >= entries_max) entries_.pop_front();
        entries_.push_back(entry);
    }

    mutable std::mutex mutex_;
    std::deque<AuditEntry> entries_;
    std::uint64_t last_id_ = 0;
};

} // namespace anteroom
