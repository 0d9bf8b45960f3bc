// Link: a connection to a node that is made anew when it ends, after a pause that grows. What goes
// over it is for derived classes. Internal to store/redis.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/timer_wheel.h"
#include "store/redis/connection.h"

namespace anteroom::redis {

class Core;
struct Node;

class Link : protected Connection::Owner {
  public:
    Link(Core& core, Node& node);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link();

    Node& node() const { return node_; }
    bool is_ready() const { return connection_ && connection_->is_ready(); }
    int failures() const { return failures_; } // In a row.
    void forgive() { failures_ = 0; }

    // The core's turn: connects if it should, and sends what has gathered.
    void take_turn();
    void shut(); // For good. Whatever waits is answered.

    virtual bool is_idle() const = 0; // No call and no subscription waits.

  protected:
    virtual bool is_wanted() const = 0; // Should there be a connection?
    virtual void flush() = 0;           // REQUIRES: it is ready.
    virtual void on_up() = 0;
    virtual void on_down(const Ending& ending) = 0;
    virtual void on_check() {} // From time to time while it is ready.
    virtual void on_shut() = 0;

    Core& core() { return core_; }
    Connection& connection() { return *connection_; }
    bool pauses() const { return pause_.armed(); }
    // The last words of a server that will not have us.
    const std::optional<std::string>& refusal() const { return refusal_; }
    void hang_up(); // Without a failure: it is not wanted any more.

  private:
    void connect();
    void discard();
    void pause();
    void check();

    void on_ready(const Role& role) final;
    void on_ended(const Ending& ending) final;

    Core& core_;
    Node& node_;
    std::unique_ptr<Connection> connection_;
    net::Timer pause_;
    net::Timer check_;
    int failures_ = 0;
    std::optional<std::string> refusal_;
};

} // namespace anteroom::redis
