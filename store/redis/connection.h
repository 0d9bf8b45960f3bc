// Connection: one try to talk to one server: the name is looked up, its addresses are tried in
// turn, TLS, then our first words (AUTH, SELECT, CLIENT SETNAME, ROLE). From then on a pipe for
// commands and replies; who asked for which reply is its owner's business.
//
// Calls into it may call the owner only from open(). The owner does not destroy it in one of its
// calls. After on_ended, or close(), nothing comes any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/task.h"
#include "net/upstream.h"
#include "store/redis/client.h"
#include "store/redis/reply_reader.h"
#include "store/redis/topology.h"

namespace anteroom::redis {

enum class Ended : std::uint8_t {
    unreachable, // It never came to be.
    refused,     // The server will not have us: wrong password, no permission.
    broken,      // It was there.
};

struct Ending {
    Ended how = Ended::unreachable;
    std::string why; // One clause, without secrets.
};

class Connection final : private net::Upstream::Owner {
  public:
    class Owner {
      public:
        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;
        virtual void on_ready(const Role& role) = 0; // As far as the server tells it.
        virtual void on_reply(Reply reply) = 0;
        virtual void on_drained() = 0; // What was sent has left.
        virtual void on_ended(const Ending& ending) = 0;

      protected:
        Owner() = default;
        ~Owner() = default;
    };

    // options and counters outlive it.
    Connection(net::Loop& loop, const ClientOptions& options, Counters& counters, Address address,
               Owner& owner);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    void open();
    void close();
    // REQUIRES: it is ready.
    void send(std::string_view wire);
    std::size_t backlog_bytes() const { return upstream_->backlog_bytes(); }
    bool is_ready() const { return state_ == State::ready; }
    Instant heard_at() const { return heard_at_; } // When something came, or it became ready.

    // Ends it as if it had broken: what came makes no sense.
    void fail(std::string why) { end(Ended::broken, std::move(why)); }

  private:
    enum class State : std::uint8_t { connecting, greeting, ready, ended };
    enum class Step : std::uint8_t { auth, select, name, role };

    static net::Task<void> look_up(std::shared_ptr<Connection*> self, net::Loop& loop,
                                   Address address, Millis deadline);
    void on_resolved(const Result<std::vector<sockaddr_storage>>& found);
    void try_next(const std::string& last_fault);
    void greet();
    void on_greeting(const Reply& reply);
    void on_greeting_error(Step step, const Reply& error);
    void end(Ended how, std::string why);
    std::string fault_of(net::UpstreamFault fault) const;

    void on_upstream_open(net::Upstream& upstream) override;
    void on_upstream_bytes(net::Upstream& upstream, std::string_view bytes) override;
    void on_upstream_drained(net::Upstream& upstream) override;
    void on_upstream_end(net::Upstream& upstream, bool cleanly) override;
    void on_upstream_failed(net::Upstream& upstream, net::UpstreamFault fault) override;

    net::Loop& loop_;
    const ClientOptions& options_;
    Counters& counters_;
    const Address address_;
    Owner& owner_;
    std::shared_ptr<Connection*> self_; // Null inside when it is gone: for the look-up.
    std::vector<sockaddr_storage> addresses_;
    std::size_t next_address_ = 0;
    std::unique_ptr<net::Upstream> upstream_;
    ReplyReader reader_;
    State state_ = State::connecting;
    std::vector<Step> steps_; // Of the greeting, in the order of their replies.
    std::size_t next_step_ = 0;
    Role role_;
    Instant heard_at_{};
};

} // namespace anteroom::redis
