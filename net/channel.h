// Channel: one outgoing TCP or TLS connection for coroutines. Internal to net/.
//
// Everything that waits has a deadline. Destroying a Channel closes the socket at once; a coroutine
// that waits on it must be the one that owns it.
#pragma once

#include <uv.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/task.h"
#include "net/tls.h"

namespace anteroom::net {

class Loop;
template <class T>
class Completion;

class Channel {
  public:
    // tls: empty for plain TCP.
    static Task<Result<std::unique_ptr<Channel>>> connect(Loop& loop, std::string host,
                                                          std::uint16_t port,
                                                          std::shared_ptr<TlsClient> tls,
                                                          Millis deadline);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // Queues the bytes; a failure shows at the next read.
    void send(std::string_view bytes);

    enum class Event : std::uint8_t { bytes, end, deadline };

    // Waits for more bytes, which take_received() then gives.
    Task<Event> wait(Millis deadline);
    std::string take_received() { return std::move(received_); }

    // Whether the end was the peer's clear word and not an accident.
    bool ended_cleanly() const;
    std::string fault() const;

    // Nothing has come and nobody has hung up: fit for another request.
    bool is_quiet() const { return !ended_ && received_.empty(); }

  private:
    struct Socket; // What libuv knows; outlives the Channel until libuv lets go.

    explicit Channel(Loop& loop);
    Task<Result<void>> establish(sockaddr_storage address, Millis deadline);
    Task<Result<void>> shake_hands(Instant due);
    bool start_reading();
    void on_read(ssize_t count, const char* data);
    void put(std::string_view bytes);
    void send_cipher();
    void wake();

    Loop& loop_;
    Socket* socket_;
    std::shared_ptr<TlsClient> tls_client_; // Outlives tls_.
    std::unique_ptr<TlsSession> tls_;
    std::string received_;
    Completion<int>* waiter_ = nullptr;
    int status_ = 0;
    bool ended_ = false;
};

} // namespace anteroom::net
