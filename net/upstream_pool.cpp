#include "net/upstream_pool.h"

#include <algorithm>

#include "base/check.h"
#include "net/loop.h"

namespace anteroom::net {

std::unique_ptr<Upstream> UpstreamPool::reuse(Upstream::Owner& owner, bool certain) {
    while (!idle_.empty()) {
        std::unique_ptr<Upstream> upstream = std::move(idle_.back());
        idle_.pop_back();
        if (certain && !upstream->is_quiet()) {
            discard(std::move(upstream));
            continue;
        }
        upstream->set_owner(owner);
        ++upstream->uses;
        return upstream;
    }
    return nullptr;
}

std::unique_ptr<Upstream> UpstreamPool::open(const UpstreamAddress& to, Upstream::Owner& owner) {
    if (is_full()) return nullptr;
    auto upstream = std::make_unique<Upstream>(loop_);
    if (!upstream->connect(to, limits_.connect_deadline, owner)) return nullptr;
    ++upstream->uses;
    ++connections_;
    return upstream;
}

void UpstreamPool::give_back(std::unique_ptr<Upstream> upstream) {
    CHECK(upstream->is_open());
    if (idle_.size() >= limits_.idle_max) return discard(std::move(upstream));
    upstream->set_owner(*this);
    upstream->set_deadline(limits_.idle_deadline);
    upstream->resume();
    idle_.push_back(std::move(upstream));
}

void UpstreamPool::discard(std::unique_ptr<Upstream> upstream) {
    upstream->close();
    --connections_;
    // Later: the Upstream may be calling its owner right now.
    loop_.soon([dead = std::move(upstream)] {});
}

void UpstreamPool::forget(Upstream& upstream) {
    const auto found = std::find_if(idle_.begin(), idle_.end(),
                                    [&](const auto& one) { return one.get() == &upstream; });
    if (found == idle_.end()) return;
    std::unique_ptr<Upstream> gone = std::move(*found);
    idle_.erase(found);
    discard(std::move(gone));
}

} // namespace anteroom::net
