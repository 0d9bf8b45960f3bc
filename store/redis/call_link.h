// CallLink: calls to one node over one connection, pipelined: what gathers in a turn leaves in one
// send, and replies come in the order of the commands. Internal to store/redis.
//
// Batched, for calls that replicas must confirm: all that wait leave with one WAIT behind them, and
// the next batch leaves when that was answered.
#pragma once

#include <set>
#include <string>

#include "store/redis/call.h"
#include "store/redis/link.h"

namespace anteroom::redis {

class CallLink final : public Link {
  public:
    enum class Mode : std::uint8_t { pipelined, batched };

    CallLink(Core& core, Node& node, Mode mode);

    void add(Call& call);
    // Gives back the waiting calls that may go to another node.
    void take_waiting(Calls& to);
    // This is no primary any more: makes the connection anew when what is under way has ended.
    void leave();
    // Its sister was lost: this one may be dead without knowing, if nothing is under way.
    void renew();

    // EVAL is under way: calls behind it will find the script.
    bool is_loading(const std::string& sha) const { return loading_.contains(sha); }
    void note_loading(const std::string& sha) { loading_.insert(sha); }
    void note_loaded(const std::string& sha) { loading_.erase(sha); }

    Calls& answered() { return answered_; }
    bool is_batched() const { return mode_ == Mode::batched; }

    bool is_idle() const override;

  private:
    bool is_wanted() const override;
    void flush() override;
    void on_up() override {}
    void on_down(const Ending& ending) override;
    void on_check() override;
    void on_shut() override;
    void on_reply(Reply reply) override;
    void on_drained() override;

    bool is_under_way() const { return !sent_.empty() || batch_is_open_; }
    void send_waiting();
    void bring_script(Call& call);
    void on_replicated(const Reply& reply);
    void settle_if_left();
    void lose_what_is_under_way();
    void on_silence();

    const Mode mode_;
    Calls waiting_;
    Calls sent_;     // In the order of their replies.
    Calls answered_; // Batched: WAIT is to come.
    bool batch_is_open_ = false;
    bool leaves_ = false;
    std::set<std::string> loading_; // Scripts, by their sums: EVAL is under way,
    std::set<std::string> brought_; // or was, over this connection.
    std::string wire_;
    Millis longest_{};      // The longest patience of the calls under way.
    Instant quiet_since_{}; // When there was last nothing under way.
    net::Timer silence_;
};

} // namespace anteroom::redis
