// The route of redis://: the host of the URL, or the primary that it names when it is a replica.
#include "store/redis/core.h"
#include "store/redis/node.h"
#include "store/redis/route.h"

namespace anteroom::redis {
namespace {

class PrimaryRoute final : public Route {
  public:
    explicit PrimaryRoute(Core& core) : core_(core) {}

    void start() override {
        home_ = &core_.node(core_.options().url.hosts.front());
        go_to(*home_);
    }
    Node* node_for(std::uint16_t) override { return primary_; }
    bool keeps(const Node& node) const override { return &node == home_ || &node == primary_; }
    bool is_reachable() const override { return primary_ && primary_->calls.is_ready(); }

    void on_ready(Link& link) override {
        // Where it was found is not where it will be lost: the way home is short again.
        if (&link.node() == primary_) home_->calls.forgive();
    }

    // A primary that we were sent to may have gone for good; whoever runs Redis then moves the host
    // of the URL. Once it is tried again first: a connection may break.
    void on_failed(Link& link) override {
        const bool is_primary = &link == &primary_->calls;
        if (is_primary && primary_ != home_ && link.failures() > 1) go_to(*home_);
    }

    void on_replica(Node& node, const Address& primary) override {
        if (&node != primary_ || primary == node.address) return;
        core_.say_once(node.name, "it is a replica; its primary is " + to_string(primary));
        go_to(core_.node(primary));
    }

    void on_read_only(Node& node) override {
        node.calls.leave();
        node.durable.leave();
    }

    void on_down() override {}
    Node* on_moved(const Redirection&) override { return nullptr; }

    // Reads would go on for ever at a primary that became a replica.
    void check(Node& node) override {
        core_.ask(node, {"ROLE"}, [this, address = node.address](const CallResult& answer) {
            const auto role = parse_role(answer.reply);
            Node* const asked = core_.find(address);
            if (role && role->is_replica && asked) on_read_only(*asked);
        });
    }

  private:
    void go_to(Node& node) {
        if (primary_ == &node) return;
        if (primary_) primary_->is_primary = false;
        primary_ = &node;
        node.is_primary = true;
        core_.schedule(node.calls);
        core_.on_route_changed();
    }

    Core& core_;
    Node* home_ = nullptr;
    Node* primary_ = nullptr;
};

} // namespace

std::unique_ptr<Route> make_primary_route(Core& core) {
    return std::make_unique<PrimaryRoute>(core);
}

} // namespace anteroom::redis
