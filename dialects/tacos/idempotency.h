// IdempotencyBook: what was answered to the last calls that carried an Idempotency-Key.
//
// The first call of a key holds it until its answer is there; the same call again meanwhile waits
// for that answer, and later gets it from the book. Another call under the same key is told so.
// Only successes are kept: a call that was refused may be tried again.
//
// Bounded in number and in bytes; when there is no room the oldest answers go first. Of this
// process only: across processes a repeated join or enter is answered alike by the rules of the
// room. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/unique_function.h"
#include "dialects/tacos/body.h"
#include "net/status.h"
#include "token/hmac.h"

namespace anteroom::tacos {

class IdempotencyBook : public std::enable_shared_from_this<IdempotencyBook> {
  public:
    struct Answer {
        net::Status status = net::Status::ok;
        std::string body;
    };
    // Hears the answer of the call that came first; null: there was none. Runs on that call's
    // thread.
    using OnAnswer = UniqueFunction<void(std::shared_ptr<const Answer>)>;

    struct Limits {
        std::size_t calls_max = 65'536;
        std::size_t bytes_max = std::size_t{32} << 20;
        std::size_t waiting_max = 64; // For one call.
    };

    static std::shared_ptr<IdempotencyBook> open(Millis memory, const Limits& limits);

    // What tells one call from another.
    token::Digest fingerprint(std::string_view method, std::string_view path,
                              std::string_view query, std::string_view body,
                              std::string_view user) const;

    // The right to answer first. Destroyed without an answer: the calls that wait hear null.
    class Lock {
      public:
        Lock(Lock&&) noexcept = default;
        Lock& operator=(Lock&&) = delete;
        ~Lock();
        void answer(net::Status status, std::string_view body, Instant now);

      private:
        friend class IdempotencyBook;
        Lock(std::shared_ptr<IdempotencyBook> book, const IdempotencyKey& key)
            : book_(std::move(book)), key_(key) {}
        std::shared_ptr<IdempotencyBook> book_; // Null: answered, or moved from.
        IdempotencyKey key_;
    };
    struct Conflict {}; // Another call has this key.
    struct Waits {};    // `on_answer` will be called.
    struct Crowded {};  // Too many wait for the answer to this call.
    struct Full {};     // A new call, but too many others are under way.
    using Verdict =
        std::variant<Lock, std::shared_ptr<const Answer>, Waits, Conflict, Crowded, Full>;

    Verdict begin(const IdempotencyKey& key, const token::Digest& fingerprint, Instant now,
                  OnAnswer on_answer);

    std::size_t size() const;
    std::size_t waiting(const IdempotencyKey& key) const; // For the answer of the first.

  private:
    IdempotencyBook(Millis memory, const Limits& limits);

    struct Entry {
        token::Digest fingerprint{};
        std::shared_ptr<const Answer> answer; // Null: under way.
        std::vector<OnAnswer> waiting;
    };
    struct Done {
        Instant at;
        IdempotencyKey key;
    };
    // Seeded: clients cannot choose keys that fall into one slot.
    struct Hash {
        std::uint64_t seed = 0;
        std::size_t operator()(const IdempotencyKey& key) const;
    };
    static std::size_t bytes_of(const Entry& entry);
    void forget_oldest();
    void forget_old(Instant now);
    void settle(const IdempotencyKey& key, const std::shared_ptr<const Answer>& answer,
                Instant now);

    const Millis memory_;
    const Limits limits_;
    const token::Hmac mac_; // Under a key of this process.
    mutable std::mutex mutex_;
    std::unordered_map<IdempotencyKey, Entry, Hash> entries_; // Guarded by mutex_, as is the rest.
    std::deque<Done> done_;                                   // Those with an answer, oldest first.
    std::size_t bytes_ = 0;
};

} // namespace anteroom::tacos
