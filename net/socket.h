// Socket: the descriptor of one connection, from accept() or connect() to close(). Internal to
// net/.
//
// Bytes go straight to the kernel; only bytes that it does not take wait here, in a backlog that is
// allocated for them. Bytes come in through the loop's shared buffer, so an idle socket owns no
// memory. A peer that sends or reads without end gets a share per turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "net/frame.h"
#include "net/poller.h"

namespace anteroom::net {

class Loop;

class Socket final : public Watcher {
  public:
    // Each call may close the socket, none may destroy it; after close() none comes.
    class Owner {
      public:
        virtual void on_bytes(std::string_view bytes) = 0; // Valid during the call.
        virtual void on_end() = 0;                         // The peer sends no more. Once.
        virtual void on_drained() = 0;                     // The backlog has gone.
        // Nothing will ever come or go again. error: the errno.
        virtual void on_broken(int error) = 0;
        virtual void on_send_failed(int error) { on_broken(error); } // Some may still come.
        virtual void on_connected() {}                               // After connect().

        Owner(const Owner&) = delete;
        Owner& operator=(const Owner&) = delete;

      protected:
        Owner() = default;
        ~Owner() = default;
    };

    Socket(Loop& loop, Owner& owner) : loop_(loop), owner_(owner) {}
    ~Socket() { close(); }

    // Takes the descriptor (non-blocking) and begins to receive. False: it could not be watched.
    bool open(int descriptor);
    // The same for one that is still connecting: on_connected() or on_broken() comes first.
    bool open_connecting(int descriptor);
    void close();
    int descriptor() const { return descriptor_; } // -1: closed.

    // frame, if not empty, has the same bytes: a backlog shares it instead of copying them.
    // False: the connection is broken. Never calls the owner. REQUIRES: open.
    bool send(std::string_view bytes, const Frame& frame);
    std::size_t backlog_bytes() const;

    // While paused, what the peer sends stays in the kernel, the end included.
    void pause() { paused_ = true; }
    void resume();

    // No more will be sent; the peer sees the end. REQUIRES: no backlog.
    void finish_writing();

  private:
    struct Backlog;
    struct DestroyBacklog {
        void operator()(Backlog* backlog) const;
    };

    void on_events(std::uint32_t events) override;
    void settle_connecting(std::uint32_t events);
    void receive();
    void flush();
    void ask_again();

    Loop& loop_;
    Owner& owner_;
    std::unique_ptr<Backlog, DestroyBacklog> backlog_;
    int descriptor_ = -1;
    bool readable_ = false;     // The kernel may hold bytes, or the end.
    bool writable_ = false;     // The kernel may take some of the backlog.
    bool peer_is_done_ = false; // Behind the bytes stands the end, or an error.
    bool ended_ = false;        // on_end() was called.
    bool paused_ = false;
    bool connecting_ = false;
    bool asked_again_ = false;
};

} // namespace anteroom::net
