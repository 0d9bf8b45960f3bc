// Acceptor: a listening socket that stops accepting, rather than spin, when the process is out of
// descriptors or the server says so. Internal to net/.
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "net/counter.h"
#include "net/ip_address.h"
#include "net/timer_wheel.h"

namespace anteroom::net {

class Loop;

// alone: no other socket may listen on the port. join: other loops of this process do already.
enum class PortUse : std::uint8_t { alone, join };

class Acceptor {
  public:
    enum class Verdict : std::uint8_t { more, pause };
    using OnAccept = std::function<Verdict(int descriptor, const IpAddress& peer)>;

    Acceptor(Loop& loop, Counter& pauses)
        : loop_(loop), pauses_(pauses), retry_(this, &Acceptor::on_retry) {}
    ~Acceptor() { close(); }
    Acceptor(const Acceptor&) = delete;
    Acceptor& operator=(const Acceptor&) = delete;

    // text: an IP address. on_accept owns each descriptor (non-blocking, close-on-exec).
    Result<void> open(const std::string& text, std::uint16_t port, PortUse use, OnAccept on_accept);
    void close();

    void resume(); // Ends a pause, which also ends by itself after limits::accept_pause.
    std::uint16_t port() const { return port_; }

  private:
    static void on_retry(void* self) { static_cast<Acceptor*>(self)->resume(); }
    void accept_some();
    void pause();

    Loop& loop_;
    Counter& pauses_;
    Timer retry_;
    OnAccept on_accept_;
    uv_poll_t* poll_ = nullptr; // Freed by libuv's close callback.
    int descriptor_ = -1;
    std::uint16_t port_ = 0;
    bool watching_ = false;
};

} // namespace anteroom::net
