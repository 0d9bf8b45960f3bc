#include "store/redis/core.h"

#include "base/check.h"
#include "net/loop.h"
#include "store/redis/node.h"

namespace anteroom::redis {
namespace {

constexpr std::size_t said_max = 1'000; // Nodes that we remember a line about.

} // namespace

Core::Core(net::Loop& loop, ClientOptions options)
    : loop_(loop),
      options_(std::move(options)),
      random_(std::random_device{}()),
      alive_(std::make_shared<bool>(true)),
      route_(options_.url.cluster ? make_cluster_route(*this) : make_primary_route(*this)),
      subscriptions_(*this) {
    CHECK(!options_.url.hosts.empty());
    CHECK(!options_.url.tls || options_.tls);
}

Core::~Core() {
    stop();
    deliver(); // To what was asked after the end.
    *alive_ = false;
}

void Core::start() {
    CHECK(!started_ && !stopped_);
    started_ = true;
    route_->start();
    on_route_changed();
}

void Core::stop() {
    if (stopped_) return;
    stopped_ = true;
    subscriptions_.clear();
    each_node([](Node& node) {
        node.calls.shut();
        node.durable.shut();
        node.subscriptions.shut();
    });
    for (Calls* calls : {&homeless_, &delayed_}) {
        while (!calls->empty()) finish(calls->front(), Trouble::unreachable);
    }
    deliver();
}

Node& Core::node(const Address& address) {
    std::unique_ptr<Node>& node = nodes_[to_string(address)];
    if (!node) node = std::make_unique<Node>(*this, address);
    return *node;
}

Node* Core::find(const Address& address) {
    const auto found = nodes_.find(to_string(address));
    return found == nodes_.end() ? nullptr : found->second.get();
}

void Core::schedule(Link& link) {
    if (stopped_) return;
    if (std::find(busy_.begin(), busy_.end(), &link) == busy_.end()) busy_.push_back(&link);
    schedule_turn();
}

void Core::schedule_turn() {
    if (std::exchange(turn_is_scheduled_, true)) return;
    loop_.soon([this, alive = alive_] {
        if (*alive) turn();
    });
}

// Answers first: what they lead to leaves in the same turn.
void Core::turn() {
    turn_is_scheduled_ = false;
    if (!deliver() || stopped_) return;
    const std::vector<Link*> busy = std::exchange(busy_, {});
    for (Link* link : busy) link->take_turn();
    sweep();
}

// Those that there are now: answers to what they lead to come in the next turn. False: gone.
bool Core::deliver() {
    const std::shared_ptr<bool> alive = alive_;
    for (std::size_t left = finished_.size(); left > 0 && !finished_.empty(); --left) {
        const Finished finished = std::move(finished_.front());
        finished_.pop_front();
        finished.done(finished.answer);
        if (!*alive) return false;
    }
    return subscriptions_.deliver(alive);
}

// REQUIRES: not called from inside of a function of one of these nodes.
void Core::sweep() {
    std::erase_if(nodes_, [&](const auto& entry) {
        Node& node = *entry.second;
        if (route_->keeps(node) || !node.is_idle()) return false;
        std::erase_if(busy_, [&](const Link* link) { return &link->node() == &node; });
        return true;
    });
}

void Core::on_link_ready(Link& link) {
    const auto said = said_.find(link.node().name);
    if (said != said_.end()) {
        said_.erase(said);
        say("redis " + link.node().name + ": connected");
    }
    route_->on_ready(link);
}

void Core::on_link_failed(Link& link, const Ending& ending) {
    const std::string_view what = ending.how == Ended::refused       ? "refuses us: "
                                  : ending.how == Ended::unreachable ? "cannot be reached: "
                                                                     : "lost: ";
    say_once(link.node().name, std::string(what) + ending.why);
    if (&link == &link.node().calls) link.node().durable.renew();
    route_->on_failed(link);
}

void Core::on_message(const std::string& channel, std::optional<std::string> message) {
    counters_.messages.add(message ? 1 : 0);
    subscriptions_.note(channel, std::move(message));
    schedule_turn();
}

void Core::on_unsubscribed(Node& node, const std::string& channel, const Reply& error) {
    subscriptions_.lose(node, channel, error);
}

// What waits may have a better place now.
void Core::on_route_changed() {
    Calls moving;
    for (auto at = homeless_.begin(); at != homeless_.end();) move(*at++, moving, Stage::waiting);
    each_node([&](Node& node) {
        for (CallLink* link : {&node.calls, &node.durable}) {
            if (!node.is_primary || !link->is_ready()) link->take_waiting(moving);
        }
    });
    while (!moving.empty()) place(moving.front());
    subscriptions_.arrange();
    schedule_turn();
}

void Core::say_once(const std::string& node, const std::string& line) {
    if (said_.size() > said_max) said_.clear();
    std::string& last = said_[node];
    const std::string text = without_secrets(line, options_.url);
    if (last == text) return;
    last = text;
    say("redis " + node + ": " + text);
}

void Core::say(const std::string& line) {
    if (options_.say) options_.say(line);
}

std::int64_t Core::random(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(
        0, std::max<std::int64_t>(below - 1, 0))(random_);
}

} // namespace anteroom::redis
