#include "store/redis/link.h"

#include <algorithm>

#include "net/loop.h"
#include "store/redis/core.h"
#include "store/redis/node.h"

namespace anteroom::redis {
namespace {

constexpr Millis pause_min{50};
constexpr Millis pause_max{2'000};

} // namespace

Link::Link(Core& core, Node& node)
    : core_(core),
      node_(node),
      pause_(this, [](void* self) { static_cast<Link*>(self)->take_turn(); }),
      check_(this, [](void* self) { static_cast<Link*>(self)->check(); }) {}

Link::~Link() = default;

void Link::take_turn() {
    if (is_ready()) {
        flush();
    } else if (!connection_ && !pause_.armed() && is_wanted()) {
        connect();
    }
}

void Link::connect() {
    Connection::Owner& owner = *this;
    connection_ = std::make_unique<Connection>(core_.loop(), core_.options(), core_.counters(),
                                               node_.address, owner);
    connection_->open(); // May have failed, and be gone, when this returns.
}

// It may be in the middle of one of its own calls.
void Link::discard() {
    check_.cancel();
    if (!connection_) return;
    connection_->close();
    core_.loop().soon([dead = std::move(connection_)] {});
}

void Link::hang_up() {
    discard();
}

void Link::shut() {
    discard();
    pause_.cancel();
    on_shut();
}

void Link::pause() {
    const std::int64_t longest =
        std::min(pause_max.count, pause_min.count << std::min(failures_, 10));
    ++failures_;
    // Half of it is chance, so that many clients do not come back all at once.
    core_.loop().arm(pause_, Millis{longest / 2 + core_.random(longest / 2)});
}

void Link::on_ready(const Role& role) {
    if (role.is_replica) {
        discard();
        pause();
        core_.on_replica(node_, role.primary);
        return;
    }
    failures_ = 0;
    refusal_.reset();
    core_.loop().arm(check_, core_.options().check_interval);
    core_.on_link_ready(*this);
    on_up();
    core_.schedule(*this);
}

void Link::on_ended(const Ending& ending) {
    discard();
    core_.counters().reconnects.add();
    if (ending.how == Ended::refused) refusal_ = ending.why;
    pause();
    on_down(ending);
    core_.on_link_failed(*this, ending);
}

void Link::check() {
    core_.loop().arm(check_, core_.options().check_interval);
    on_check();
}

} // namespace anteroom::redis
