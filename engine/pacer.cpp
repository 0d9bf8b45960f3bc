#include "engine/pacer.h"

#include <algorithm>
#include <numeric>

#include "base/byte_stream.h"
#include "engine/planted.h"

namespace anteroom {

void CallWindow::configure(std::int64_t max, Millis span) {
    max_ = max;
    span_ = span;
}

std::int64_t CallWindow::allowed(Instant now) const {
    std::int64_t used = used_;
    for (std::size_t i = oldest_; i < calls_.size() && is_over(calls_[i], now); ++i)
        used -= calls_[i].count;
    return std::max<std::int64_t>(0, max_ - used);
}

Instant CallWindow::next(Instant now) const {
    std::int64_t used = used_;
    for (std::size_t i = oldest_; i < calls_.size() && used >= max_; ++i) {
        used -= calls_[i].count;
        if (used < max_) return std::max(now, calls_[i].at + span_);
    }
    return now;
}

void CallWindow::record(Instant now) {
    forget(now);
    if (belongs_to_last(now)) {
        calls_.back().at = now;
        ++calls_.back().count;
    } else {
        calls_.push_back({.at = now, .count = 1});
    }
    ++used_;
}

// Bounded memory: when there are many, calls in the same small slice of the span become one entry
// at the later time, so the window errs by letting through a slice later, never earlier. The slice
// is fixed: merging neighbours again and again made ever larger entries, and a long window stood
// still for a third of its span before it let thousands through at once.
bool CallWindow::belongs_to_last(Instant now) const {
    if (calls_.size() == oldest_) return false;
    if (calls_.back().at == now) return true;
    const std::int64_t slice = span_.count / entries_max;
    const bool many = calls_.size() - oldest_ >= static_cast<std::size_t>(entries_max);
    return many && slice > 0 && calls_.back().at.ms / slice == now.ms / slice;
}

void CallWindow::forget(Instant now) {
    while (oldest_ < calls_.size() && is_over(calls_[oldest_], now))
        used_ -= calls_[oldest_++].count;
    if (oldest_ * 2 < calls_.size()) return;
    calls_.erase(calls_.begin(), calls_.begin() + static_cast<std::ptrdiff_t>(oldest_));
    oldest_ = 0;
}

void CallWindow::write(std::string& out) const {
    ByteWriter writer(out);
    writer.word(std::uint64_t{calls_.size() - oldest_});
    for (std::size_t i = oldest_; i < calls_.size(); ++i) {
        writer.word(calls_[i].at.ms);
        writer.word(calls_[i].count);
    }
}

bool CallWindow::restore(ByteReader& in) {
    const std::uint64_t count = in.word();
    if (count > in.left() / 16) return false;
    calls_.resize(count);
    for (Calls& calls : calls_) {
        calls.at = Instant{in.signed_word()};
        calls.count = in.signed_word();
        if (calls.count < 1 || calls.count > limits::count_max) return false;
        used_ += calls.count;
    }
    return in.ok();
}

void Pacer::write(std::string& out) const {
    batch_.write(out);
    rate_.write(out);
    ByteWriter writer(out);
    writer.word(level_);
    writer.word(level_at_.ms);
}

bool Pacer::restore(ByteReader& in, const Settings& settings) {
    configure(settings, Instant{});
    if (!batch_.restore(in) || !rate_.restore(in)) return false;
    level_ = in.signed_word();
    level_at_ = Instant{in.signed_word()};
    // Without a rate the level is what an earlier one left.
    return in.ok() && level_ >= 0 && (rate_milli_ == 0 || level_ <= level_max_);
}

void Pacer::configure(const Settings& settings, Instant now) {
    batch_.configure(settings.admit_batch, settings.admit_interval);
    if (settings.rate_milli == rate_milli_) return;
    rate_milli_ = settings.rate_milli;
    if (rate_milli_ == 0) return;
    // The shortest window of at least a second that holds a whole number of calls at this rate.
    const std::int64_t common = std::gcd(rate_milli_, std::int64_t{1'000'000});
    const std::int64_t span = 1'000'000 / common;
    const std::int64_t times = (1'000 + span - 1) / span;
    rate_.configure(rate_milli_ / common * times, Millis{span * times});
    level_max_ = std::max(one_call, rate_milli_ * 100);
    level_ = one_call;
    level_at_ = now;
}

std::int64_t Pacer::level(Instant now) const {
    const std::int64_t elapsed = std::max<std::int64_t>(0, (now - level_at_).count);
    const std::int64_t needed = (level_max_ - level_ + rate_milli_ - 1) / rate_milli_;
    if (elapsed >= needed) return level_max_;
    return level_ + elapsed * rate_milli_;
}

std::int64_t Pacer::allowed(Instant now) const {
    const std::int64_t by_batch = batch_.allowed(now);
    if (rate_milli_ == 0) return by_batch;
    const std::int64_t by_rate = planted(Bug::rate_doubled_at_window_edge)
                                     ? std::max(level(now) / one_call, level_max_ / one_call)
                                     : std::min(rate_.allowed(now), level(now) / one_call);
    return std::min(by_batch, by_rate);
}

Instant Pacer::next(Instant now) const {
    Instant at = batch_.next(now);
    if (rate_milli_ == 0) return at;
    at = std::max(at, rate_.next(now));
    const std::int64_t missing = one_call - level(at);
    if (missing > 0) at = at + Millis{(missing + rate_milli_ - 1) / rate_milli_};
    return at;
}

void Pacer::record(Instant now) {
    batch_.record(now);
    if (rate_milli_ == 0) return;
    rate_.record(now);
    level_ = std::max<std::int64_t>(0, level(now) - one_call);
    level_at_ = now;
}

} // namespace anteroom
