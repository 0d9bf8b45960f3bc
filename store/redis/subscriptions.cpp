#include "store/redis/subscriptions.h"

#include "net/loop.h"
#include "store/redis/core.h"
#include "store/redis/node.h"
#include "store/redis/server_error.h"

namespace anteroom::redis {
namespace {

constexpr Millis pause{100};
constexpr Millis refused_pause{1'000};

} // namespace

Subscriptions::Subscriptions(Core& core)
    : core_(core), again_(this, [](void* self) { static_cast<Subscriptions*>(self)->arrange(); }) {}

void Subscriptions::add(std::string channel, OnMessage on_message) {
    remove(channel);
    const std::uint16_t slot = slot_of(channel);
    Subscription fresh{.slot = slot,
                       .on_message = std::make_shared<OnMessage>(std::move(on_message))};
    subscriptions_.emplace(std::move(channel), std::move(fresh));
    arrange();
}

void Subscriptions::remove(std::string_view channel) {
    const auto found = subscriptions_.find(channel);
    if (found == subscriptions_.end()) return;
    if (found->second.at) found->second.at->remove(found->first);
    subscriptions_.erase(found);
}

void Subscriptions::clear() {
    subscriptions_.clear();
    news_.clear();
    again_.cancel();
}

void Subscriptions::arrange() {
    for (auto& [channel, subscription] : subscriptions_) {
        Node* const node = core_.node_for(subscription.slot);
        SubscriptionLink* const link = node ? &node->subscriptions : nullptr;
        if (link == subscription.at) continue;
        if (subscription.at) subscription.at->remove(channel);
        subscription.at = link;
        if (link) link->add(channel);
    }
}

void Subscriptions::lose(Node& node, const std::string& channel, const Reply& error) {
    const auto found = subscriptions_.find(channel);
    if (found == subscriptions_.end() || found->second.at != &node.subscriptions) return;
    found->second.at = nullptr;
    const Meaning meaning = meaning_of(error);
    const bool is_refused = error.is_error() && meaning == Meaning::final;
    if (is_refused) core_.say_once(node.name, "it refuses a subscription: " + error.text);
    const auto moved =
        meaning == Meaning::moved ? parse_redirection(error.text, node.address) : std::nullopt;
    if (moved) {
        core_.on_moved(*moved);
    } else {
        core_.on_cluster_down();
    }
    // Not at once: the node that is named may not know yet that it has the slot.
    if (!again_.armed()) core_.loop().arm(again_, is_refused ? refused_pause : pause);
}

void Subscriptions::note(const std::string& channel, std::optional<std::string> message) {
    news_.push_back({.channel = channel, .message = std::move(message)});
}

bool Subscriptions::deliver(const std::shared_ptr<bool>& alive) {
    for (std::size_t left = news_.size(); left > 0 && !news_.empty(); --left) {
        News news = std::move(news_.front());
        news_.pop_front();
        const auto found = subscriptions_.find(news.channel);
        if (found == subscriptions_.end()) continue;
        const std::shared_ptr<OnMessage> on_message = found->second.on_message;
        (*on_message)(std::move(news.message));
        if (!*alive) return false;
    }
    return true;
}

} // namespace anteroom::redis
