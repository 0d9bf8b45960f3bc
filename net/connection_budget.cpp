#include "net/connection_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "base/check.h"

namespace anteroom::net {

namespace {

IpAddress counted_as(IpAddress address) {
    if (!address.is_v4())
        std::fill(address.bytes.begin() + 8, address.bytes.end(), std::uint8_t{0});
    return address;
}

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

} // namespace

std::uint32_t connections_max_of_process(std::uint32_t reserved) {
    rlimit descriptors{};
    CHECK(getrlimit(RLIMIT_NOFILE, &descriptors) == 0);
    constexpr std::uint64_t ceiling = std::numeric_limits<std::int32_t>::max();
    const std::uint64_t have = std::min<std::uint64_t>(descriptors.rlim_cur, ceiling);
    return static_cast<std::uint32_t>(have > reserved ? have - reserved : 1);
}

ConnectionBudget::ConnectionBudget(std::uint32_t connections_max, std::uint32_t per_address_max)
    : connections_max_(connections_max),
      per_address_max_(per_address_max),
      by_address_(0, Hash{random_seed()}) {}

ConnectionBudget::Verdict ConnectionBudget::enter(const IpAddress& address, bool shared) {
    const std::lock_guard lock(mutex_);
    if (connections_ >= connections_max_) return Verdict::process_full;
    if (!shared) {
        std::uint32_t& count = by_address_[counted_as(address)];
        if (count >= per_address_max_) return Verdict::address_full;
        ++count;
    }
    ++connections_;
    return Verdict::welcome;
}

void ConnectionBudget::leave(const IpAddress& address, bool shared) {
    const std::lock_guard lock(mutex_);
    CHECK(connections_ > 0);
    --connections_;
    if (shared) return;
    const auto found = by_address_.find(counted_as(address));
    CHECK(found != by_address_.end());
    if (--found->second == 0) by_address_.erase(found);
}

std::uint32_t ConnectionBudget::connections() const {
    const std::lock_guard lock(mutex_);
    return connections_;
}

std::size_t ConnectionBudget::Hash::operator()(const IpAddress& address) const {
    std::uint64_t halves[2];
    std::memcpy(halves, address.bytes.data(), sizeof halves);
    std::uint64_t mixed = seed;
    for (const std::uint64_t half : halves) {
        mixed = (mixed ^ half) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 29;
    }
    return mixed;
}

} // namespace anteroom::net
