// SubscriptionLink: the channels that are heard from one node, over a connection of their own: one
// that is subscribed may not ask for anything else. Internal to store/redis.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "store/redis/link.h"

namespace anteroom::redis {

class SubscriptionLink final : public Link {
  public:
    SubscriptionLink(Core& core, Node& node) : Link(core, node) {}

    void add(const std::string& channel);
    void remove(const std::string& channel);
    bool is_idle() const override { return channels_.empty(); }

  private:
    // A command that has no reply yet. Messages come between replies, errors do not say of what.
    struct Asked {
        std::string channel;
        bool subscribes;
    };

    bool is_wanted() const override { return !channels_.empty(); }
    void flush() override;
    void on_up() override;
    void on_down(const Ending& ending) override;
    void on_check() override;
    void on_shut() override {}
    void on_reply(Reply reply) override;
    void on_drained() override {}

    void ask(const std::string& channel, bool subscribes);
    void on_error(const Reply& error);
    bool take_asked(const std::string& channel, bool subscribes);

    std::set<std::string> channels_;
    std::deque<Asked> asked_;
    std::string wire_;
};

} // namespace anteroom::redis
