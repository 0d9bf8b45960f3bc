// Core: what a Client is made of: calls on their way to nodes, and what becomes of them. Internal
// to store/redis.
//
// Links and the route tell it what happened; callbacks of the owner are called only from its turn,
// which the loop gives it soon after something happened, and from stop(). So they may do anything.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "store/redis/call.h"
#include "store/redis/client.h"
#include "store/redis/route.h"
#include "store/redis/subscriptions.h"

namespace anteroom::redis {

class CallLink;

class Core {
  public:
    Core(net::Loop& loop, ClientOptions options);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    void start();
    void stop();
    bool is_stopped() const { return stopped_; }
    bool is_reachable() const { return !stopped_ && route_->is_reachable(); }

    struct Question {
        Words words;
        std::optional<Script> script;
        std::uint16_t slot = 0;
        int replicas = 0;
        OnAnswer done;
        Millis deadline{};
    };
    void submit(Question question);
    // To this node, once.
    void ask(Node& node, Words words, OnAnswer done, Millis deadline = {});

    net::Loop& loop() { return loop_; }
    const ClientOptions& options() const { return options_; }
    Counters& counters() { return counters_; }
    Subscriptions& subscriptions() { return subscriptions_; }

    // Calls: core_calls.cpp.
    bool charge(Call& call, Load& load); // False: it is too much; the call is answered.
    void move(Call& call, Calls& to, Stage stage);
    void finish(Call& call, Trouble trouble, Reply reply = {});
    void settle(CallLink& link, Call& call, Reply reply);
    void on_deadline(Call& call);
    void on_retry(Call& call) { place(call); }
    void refuse_homeless(const Reply& error);

    // Nodes.
    Node& node(const Address& address); // Makes it if there is none.
    Node* find(const Address& address);
    // Null: not known yet.
    Node* node_for(std::uint16_t slot) { return started_ ? route_->node_for(slot) : nullptr; }
    template <class Claim>
    bool any_node(Claim claim) const;
    template <class Visit>
    void each_node(Visit visit);

    // What links tell.
    void schedule(Link& link); // Has something to do in the next turn.
    void on_link_ready(Link& link);
    void on_link_failed(Link& link, const Ending& ending);
    void on_replica(Node& node, const Address& primary) { route_->on_replica(node, primary); }
    void check(Node& node) { route_->check(node); }
    void on_message(const std::string& channel, std::optional<std::string> message);
    void on_unsubscribed(Node& node, const std::string& channel, const Reply& error);

    // What the route and the subscriptions tell.
    void on_route_changed();
    void on_moved(const Redirection& moved) { route_->on_moved(moved); }
    void on_cluster_down() { route_->on_down(); }

    // A line about a node, not again until it says something else or works.
    void say_once(const std::string& node, const std::string& line);
    std::int64_t random(std::int64_t below);
    template <class T>
    void shuffle(std::vector<T>& things) {
        std::shuffle(things.begin(), things.end(), random_);
    }

  private:
    struct Finished {
        OnAnswer done;
        CallResult answer;
    };

    void schedule_turn();
    void turn();
    bool deliver();
    void sweep();

    void answer(Call& call, Trouble trouble, Reply reply);
    void erase(Call& call);
    void uncharge(Call& call);
    void place(Call& call);
    void add_to(Node& node, Call& call);
    void delay(Call& call, Reply error);
    void redirect(CallLink& link, Call& call, Reply error);
    void run_script_again(CallLink& link, Call& call);
    void keep_for_replicas(CallLink& link, Call& call, Reply reply);
    void settle_error(CallLink& link, Call& call, Reply error);
    void say(const std::string& line);

    net::Loop& loop_;
    const ClientOptions options_;
    Counters counters_;
    std::minstd_rand random_;
    std::shared_ptr<bool> alive_;
    bool started_ = false;
    bool stopped_ = false;
    bool turn_is_scheduled_ = false;

    Load load_;      // Of the calls that are with no node:
    Calls homeless_; // their node is not known,
    Calls delayed_;  // or they are to be tried again.
    std::deque<Finished> finished_;
    std::map<std::string, std::unique_ptr<Node>> nodes_;
    std::unique_ptr<Route> route_;
    Subscriptions subscriptions_;
    std::vector<Link*> busy_; // Have something to do in the next turn.
    std::map<std::string, std::string> said_;
};

template <class Claim>
bool Core::any_node(Claim claim) const {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [&](const auto& entry) { return claim(*entry.second); });
}

template <class Visit>
void Core::each_node(Visit visit) {
    for (auto& entry : nodes_) visit(*entry.second);
}

} // namespace anteroom::redis
