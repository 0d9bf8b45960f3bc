// The route of redis+cluster://: which primary has which slots, asked of any node, again when a
// node says that it is not so, and often while something is wrong.
#include <algorithm>
#include <array>
#include <set>

#include "net/loop.h"
#include "store/redis/core.h"
#include "store/redis/node.h"
#include "store/redis/route.h"
#include "store/redis/slot.h"

namespace anteroom::redis {
namespace {

constexpr Millis refresh_pause{100};    // Between two questions at least.
constexpr Millis trouble_interval{250}; // While something is wrong.
constexpr Millis question_deadline{1'000};

class ClusterRoute final : public Route {
  public:
    explicit ClusterRoute(Core& core)
        : core_(core),
          refresh_(this, [](void* self) { static_cast<ClusterRoute*>(self)->refresh(); }) {}

    void start() override { want_refresh(); }
    Node* node_for(std::uint16_t slot) override {
        if (!map_[slot]) want_refresh();
        return map_[slot];
    }
    // While no node answers, nodes are kept, because each remembers its pause before the next try.
    bool keeps(const Node& node) const override { return node.is_primary || !was_answered_; }
    bool is_reachable() const override;

    void on_ready(Link&) override {}
    void on_failed(Link&) override { want_refresh(); }
    void on_replica(Node&, const Address&) override {}
    void on_read_only(Node&) override { want_refresh(); }
    void on_down() override { want_refresh(); }
    Node* on_moved(const Redirection& moved) override;
    void check(Node& node) override {
        core_.ask(node, {"PING"}, [](const CallResult&) {});
    }

  private:
    void want_refresh();
    void refresh();
    void ask_next();
    void on_answer(const Address& asked, const CallResult& answer);
    void on_refreshed(bool answered);
    void install(const std::vector<SlotRange>& ranges);
    bool is_complete() const;
    bool is_troubled() const;

    Core& core_;
    std::array<Node*, slots> map_{}; // All of them are kept: is_primary.
    std::vector<Address> known_;     // Of the last answer, replicas too.
    std::vector<Address> candidates_;
    net::Timer refresh_;
    Instant refreshed_at_{};
    bool refreshing_ = false;
    bool again_ = false;
    bool was_answered_ = false;
};

bool ClusterRoute::is_complete() const {
    return std::none_of(map_.begin(), map_.end(), [](const Node* node) { return !node; });
}

bool ClusterRoute::is_reachable() const {
    return is_complete() && core_.any_node([](const Node& node) {
        return node.is_primary && node.calls.is_ready();
    });
}

bool ClusterRoute::is_troubled() const {
    return !is_complete() || core_.any_node([](const Node& node) {
        return node.is_primary && !node.calls.is_ready();
    });
}

void ClusterRoute::want_refresh() {
    if (refreshing_) {
        again_ = true;
        return;
    }
    const Instant due = std::max(core_.loop().now(), refreshed_at_ + refresh_pause);
    if (!refresh_.armed() || refresh_.due() > due) core_.loop().arm_at(refresh_, due);
}

// Connected nodes are asked first, in any order: their views of the Cluster may differ.
void ClusterRoute::refresh() {
    refreshing_ = true;
    again_ = false;
    refreshed_at_ = core_.loop().now();
    std::vector<Address> ready;
    core_.any_node([&](const Node& node) {
        if (node.calls.is_ready()) ready.push_back(node.address);
        return false;
    });
    std::vector<Address> seeds = core_.options().url.hosts;
    candidates_.clear();
    for (std::vector<Address>* some : {&ready, &seeds, &known_}) {
        core_.shuffle(*some);
        for (const Address& one : *some) {
            const auto found = std::find(candidates_.begin(), candidates_.end(), one);
            if (found == candidates_.end()) candidates_.push_back(one);
        }
    }
    std::reverse(candidates_.begin(), candidates_.end()); // Taken from the end.
    ask_next();
}

void ClusterRoute::ask_next() {
    if (candidates_.empty()) return on_refreshed(false);
    const Address asked = std::move(candidates_.back());
    candidates_.pop_back();
    core_.ask(
        core_.node(asked), {"CLUSTER", "SLOTS"},
        [this, asked](const CallResult& answer) { on_answer(asked, answer); }, question_deadline);
}

void ClusterRoute::on_answer(const Address& asked, const CallResult& answer) {
    if (core_.is_stopped()) return;
    if (answer.trouble == Trouble::refused) {
        core_.say_once(to_string(asked), "it does not tell the Cluster: " + answer.reply.text);
        if (candidates_.empty() && !was_answered_) core_.refuse_homeless(answer.reply);
    }
    const auto ranges =
        answer.trouble == Trouble::none ? parse_slots(answer.reply, asked) : std::nullopt;
    // A node that was just started, and has met no other node, knows no slots.
    if (!ranges || ranges->empty()) return ask_next();
    install(*ranges);
    on_refreshed(true);
}

void ClusterRoute::on_refreshed(bool answered) {
    refreshing_ = false;
    was_answered_ = answered;
    const Millis next = again_          ? refresh_pause
                        : is_troubled() ? trouble_interval
                                        : core_.options().node_refresh;
    core_.loop().arm(refresh_, next);
}

void ClusterRoute::install(const std::vector<SlotRange>& ranges) {
    std::array<Node*, slots> fresh{};
    std::set<Node*> primaries;
    known_.clear();
    for (const SlotRange& range : ranges) {
        Node& primary = core_.node(range.primary);
        primaries.insert(&primary);
        std::fill(fresh.begin() + range.first, fresh.begin() + range.last + 1, &primary);
        known_.push_back(range.primary);
        known_.insert(known_.end(), range.replicas.begin(), range.replicas.end());
    }
    core_.each_node([&](Node& node) {
        node.is_primary = primaries.contains(&node);
        if (node.is_primary) core_.schedule(node.calls);
    });
    map_ = fresh;
    core_.on_route_changed();
}

Node* ClusterRoute::on_moved(const Redirection& moved) {
    want_refresh();
    Node& node = core_.node(moved.to);
    node.is_primary = true;
    map_[moved.slot] = &node;
    return &node;
}

} // namespace

std::unique_ptr<Route> make_cluster_route(Core& core) {
    return std::make_unique<ClusterRoute>(core);
}

} // namespace anteroom::redis
