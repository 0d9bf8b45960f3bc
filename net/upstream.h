// Upstream: one connection to another server (an origin, a Redis, the target of a call), plain or
// TLS, on the same edge-triggered sockets as clients. Carries bytes, with a deadline; the owner
// knows the protocol.
//
// Bytes sent before it is connected wait here; bytes that the kernel does not take wait in the
// socket's backlog. The owner looks at backlog_bytes() and stops sending. Calls into an Upstream
// never call the owner. It must not be destroyed while it calls its owner: UpstreamPool::discard
// puts that off.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/socket.h"
#include "net/timer_wheel.h"
#include "net/tls.h"

namespace anteroom::net {

class Loop;

struct UpstreamAddress {
    sockaddr_storage address{};
    std::shared_ptr<TlsClient> tls; // Empty: plain.
    std::string server_name;        // What the certificate must be for.
};

enum class UpstreamFault : std::uint8_t {
    unreachable, // Never connected: nothing was sent.
    untrusted,   // No TLS, or a wrong certificate: nothing was sent.
    broken,      // Reset, or the like.
    late,        // The deadline passed.
};

class Upstream final : private Socket::Owner {
  public:
    // Each call may discard the Upstream or give it back.
    class Owner {
      public:
        virtual void on_upstream_open(Upstream& upstream) = 0; // From now on bytes leave.
        virtual void on_upstream_bytes(Upstream& upstream, std::string_view bytes) = 0;
        virtual void on_upstream_drained(Upstream& upstream) = 0; // The backlog has gone.
        virtual void on_upstream_end(Upstream& upstream, bool cleanly) = 0;
        virtual void on_upstream_failed(Upstream& upstream, UpstreamFault fault) = 0;

        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;

      protected:
        Owner() = default;
        ~Owner() = default;
    };

    explicit Upstream(Loop& loop);
    Upstream(const Upstream&) = delete;
    Upstream& operator=(const Upstream&) = delete;

    // False: there is no socket to be had.
    bool connect(const UpstreamAddress& to, Millis deadline, Owner& owner);
    void set_owner(Owner& owner) { owner_ = &owner; }
    void close();

    bool is_open() const { return state_ == State::open; }
    bool is_connected() const { return state_ == State::open || state_ == State::greeting; }
    // Open, and the kernel has neither bytes nor an end of it.
    bool is_quiet() const;

    void send(std::string_view bytes);
    std::size_t backlog_bytes() const { return early_.size() + socket_.backlog_bytes(); }
    bool send_failed() const { return send_failed_; } // Further send() calls do nothing.
    // OpenSSL's reason for a failure, for people; empty: none, or no TLS.
    std::string tls_fault() const { return tls_ ? tls_->fault() : std::string(); }
    int error() const { return error_; } // The errno of an unreachable or broken one; 0: none.
    void finish_writing();               // Half-closes when the backlog has left.

    void pause() { socket_.pause(); }
    void resume() { socket_.resume(); }

    // on_upstream_failed(late) at that time; a later call moves it.
    void set_deadline(Millis in);

    std::uint32_t uses = 0; // Requests that it has carried.

  private:
    enum class State : std::uint8_t { connecting, greeting, open, closed };

    void on_connected() override;
    void on_bytes(std::string_view wire) override;
    void on_end() override;
    void on_drained() override;
    void on_broken(int error) override;
    void on_send_failed(int) override { send_failed_ = true; }
    void on_cipher(std::string_view wire);
    void on_deadline();
    void begin();
    void fail(UpstreamFault fault);
    void put(std::string_view bytes);
    void send_cipher();

    Loop& loop_;
    Socket socket_;
    Owner* owner_ = nullptr;
    Timer timer_;
    std::shared_ptr<TlsClient> tls_client_; // Outlives tls_.
    std::unique_ptr<TlsSession> tls_;
    std::string early_; // Sent before it was open.
    State state_ = State::connecting;
    int error_ = 0;
    bool send_failed_ = false;
    bool ended_ = false;
    bool finishes_ = false; // After the backlog.
};

} // namespace anteroom::net
