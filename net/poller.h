// Poller: which sockets of a loop have news. Internal to net/.
//
// An epoll set. Its sockets are watched edge-triggered: the kernel tells each piece of news once,
// so that a socket that was dealt with costs nothing until the next one. A watcher that has not
// read everything must ask for another call with again(). One more descriptor is watched
// level-triggered: libuv's own set, with everything that is not a net::Socket.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <vector>

namespace anteroom::net {

class Watcher {
  public:
    // events: EPOLLIN and so on; 0: the call that again() asked for.
    virtual void on_events(std::uint32_t events) = 0;

    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

  protected:
    Watcher() = default;
    ~Watcher() = default;
};

class Poller {
  public:
    explicit Poller(int backend);
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    // For reading, for writing and for the end of the peer. False: the kernel refuses.
    // Closing the descriptor ends it; forget() must come before.
    bool watch(int descriptor, Watcher& watcher);

    // From now on the watcher is not called, even if it stands among the news of this turn.
    void forget(const Watcher& watcher);

    // One more call in the next turn, behind the watchers that have news. REQUIRES: not asked for
    // already.
    void again(Watcher& watcher) { unfinished_.push_back(&watcher); }
    bool has_unfinished() const { return !unfinished_.empty(); }

    // Sleeps until there is news, or for so many milliseconds; -1: without an end.
    void wait(int timeout_ms);

    // Calls the watchers that have news, then those that called again(). True: libuv has news.
    bool dispatch();

  private:
    static constexpr std::size_t events_max = 512; // Per turn; the others come first in the next.

    int descriptor_;
    std::array<epoll_event, events_max> events_;
    std::size_t event_count_ = 0;
    std::size_t next_event_ = 0;
    std::vector<Watcher*> unfinished_;
    std::vector<Watcher*> unfinished_now_;
};

} // namespace anteroom::net
