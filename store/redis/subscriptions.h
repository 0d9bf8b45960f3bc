// Subscriptions: which channel is heard where, and who is told. Internal to store/redis.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/timer_wheel.h"
#include "store/redis/client.h"

namespace anteroom::redis {

class Core;
class SubscriptionLink;
struct Node;

class Subscriptions {
  public:
    explicit Subscriptions(Core& core);

    void add(std::string channel, OnMessage on_message);
    void remove(std::string_view channel);
    void clear();

    // Every channel to the node that has its slot now.
    void arrange();
    // Its node does not have the channel any more; error: why, if it was said.
    void lose(Node& node, const std::string& channel, const Reply& error);

    void note(const std::string& channel, std::optional<std::string> message);
    // Tells the news. False: the core is gone, by what it told.
    bool deliver(const std::shared_ptr<bool>& alive);

  private:
    struct Subscription {
        std::uint16_t slot = 0;
        std::shared_ptr<OnMessage> on_message; // Shared: it may end its own subscription.
        SubscriptionLink* at = nullptr;        // Null: nowhere yet.
    };
    struct News {
        std::string channel;
        std::optional<std::string> message;
    };

    Core& core_;
    std::map<std::string, Subscription, std::less<>> subscriptions_;
    std::deque<News> news_;
    net::Timer again_;
};

} // namespace anteroom::redis
