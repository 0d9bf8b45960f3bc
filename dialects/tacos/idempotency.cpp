#include "dialects/tacos/idempotency.h"

#include <random>
#include <utility>

#include "base/check.h"
#include "token/secret.h"

namespace anteroom::tacos {
namespace {

token::Hmac new_mac() {
    const Result<token::Secret> secret = token::Secret::random();
    CHECK(secret);
    return token::Hmac(secret->bytes());
}

std::uint64_t new_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

} // namespace

std::size_t IdempotencyBook::Hash::operator()(const IdempotencyKey& key) const {
    constexpr std::uint64_t odd = 0x9e37'79b9'7f4a'7c15;
    std::uint64_t hash = seed;
    for (const std::size_t half : {std::size_t{0}, std::size_t{8}}) {
        hash = (hash ^ token::load_number<8>(key.data() + half)) * odd;
        hash ^= hash >> 32;
    }
    return hash;
}

std::shared_ptr<IdempotencyBook> IdempotencyBook::open(Millis memory, const Limits& limits) {
    return std::shared_ptr<IdempotencyBook>(new IdempotencyBook(memory, limits));
}

IdempotencyBook::IdempotencyBook(Millis memory, const Limits& limits)
    : memory_(memory), limits_(limits), mac_(new_mac()), entries_(16, Hash{new_seed()}) {}

// Each part with its length: two calls that differ never read the same.
token::Digest IdempotencyBook::fingerprint(std::string_view method, std::string_view path,
                                           std::string_view query, std::string_view body,
                                           std::string_view user) const {
    std::string text;
    for (const std::string_view part : {method, path, query, body, user})
        text.append(std::to_string(part.size())).append(":").append(part);
    return mac_.sign(text);
}

std::size_t IdempotencyBook::bytes_of(const Entry& entry) {
    return sizeof(Entry) + sizeof(Done) + (entry.answer ? entry.answer->body.size() : 0);
}

void IdempotencyBook::forget_oldest() {
    const auto found = entries_.find(done_.front().key);
    CHECK(found != entries_.end() && found->second.answer);
    bytes_ -= bytes_of(found->second);
    entries_.erase(found);
    done_.pop_front();
}

void IdempotencyBook::forget_old(Instant now) {
    while (!done_.empty() && done_.front().at + memory_ <= now) forget_oldest();
}

IdempotencyBook::Verdict IdempotencyBook::begin(const IdempotencyKey& key,
                                                const token::Digest& fingerprint, Instant now,
                                                OnAnswer on_answer) {
    const std::lock_guard lock(mutex_);
    forget_old(now);
    const auto found = entries_.find(key);
    if (found != entries_.end()) {
        Entry& entry = found->second;
        if (entry.fingerprint != fingerprint) return Conflict{};
        if (entry.answer) return entry.answer;
        if (entry.waiting.size() >= limits_.waiting_max) return Crowded{};
        entry.waiting.push_back(std::move(on_answer));
        return Waits{};
    }
    const auto is_full = [&] {
        return entries_.size() >= limits_.calls_max || bytes_ >= limits_.bytes_max;
    };
    while (is_full() && !done_.empty()) forget_oldest();
    if (is_full()) return Full{};
    Entry& entry = entries_[key];
    entry.fingerprint = fingerprint;
    bytes_ += bytes_of(entry);
    return Lock(shared_from_this(), key);
}

void IdempotencyBook::settle(const IdempotencyKey& key, const std::shared_ptr<const Answer>& answer,
                             Instant now) {
    std::vector<OnAnswer> waiting;
    {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(key);
        CHECK(found != entries_.end() && !found->second.answer);
        Entry& entry = found->second;
        waiting = std::exchange(entry.waiting, {});
        bytes_ -= bytes_of(entry);
        const bool succeeded = answer && net::code(answer->status) / 100 == 2;
        if (succeeded) {
            entry.answer = answer;
            bytes_ += bytes_of(entry);
            done_.push_back({.at = now, .key = key});
        } else {
            entries_.erase(found);
        }
    }
    for (OnAnswer& hears : waiting) hears(answer);
}

void IdempotencyBook::Lock::answer(net::Status status, std::string_view body, Instant now) {
    CHECK(book_);
    auto answer =
        std::make_shared<const Answer>(Answer{.status = status, .body = std::string(body)});
    std::exchange(book_, nullptr)->settle(key_, answer, now);
}

IdempotencyBook::Lock::~Lock() {
    if (book_) book_->settle(key_, nullptr, Instant{});
}

std::size_t IdempotencyBook::waiting(const IdempotencyKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found == entries_.end() ? 0 : found->second.waiting.size();
}

std::size_t IdempotencyBook::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

} // namespace anteroom::tacos
