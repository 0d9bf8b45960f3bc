#include "net/poller.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"

namespace anteroom::net {

Poller::Poller(int backend) : descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {
    CHECK(descriptor_ >= 0);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
    CHECK(::epoll_ctl(descriptor_, EPOLL_CTL_ADD, backend, &event) == 0);
}

Poller::~Poller() {
    ::close(descriptor_);
}

bool Poller::watch(int descriptor, Watcher& watcher) {
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                      .data = {.ptr = &watcher}};
    return ::epoll_ctl(descriptor_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Poller::forget(const Watcher& watcher) {
    for (std::size_t i = next_event_; i < event_count_; ++i) {
        if (events_[i].data.ptr == &watcher) events_[i].data.ptr = nullptr;
    }
    std::erase(unfinished_, &watcher);
    std::replace(unfinished_now_.begin(), unfinished_now_.end(), const_cast<Watcher*>(&watcher),
                 static_cast<Watcher*>(nullptr));
}

void Poller::wait(int timeout_ms) {
    const int count =
        ::epoll_wait(descriptor_, events_.data(), static_cast<int>(events_max), timeout_ms);
    CHECK(count >= 0 || errno == EINTR);
    event_count_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    next_event_ = 0;
}

bool Poller::dispatch() {
    unfinished_now_.swap(unfinished_); // Later calls of again() are for the next turn.
    bool backend_has_news = false;
    while (next_event_ < event_count_) {
        const epoll_event event = events_[next_event_++];
        if (event.data.ptr == this) {
            backend_has_news = true;
        } else if (event.data.ptr) {
            static_cast<Watcher*>(event.data.ptr)->on_events(event.events);
        }
    }
    // By index: forget() may change later elements.
    for (std::size_t i = 0; i < unfinished_now_.size(); ++i) {
        if (unfinished_now_[i]) unfinished_now_[i]->on_events(0);
    }
    unfinished_now_.clear();
    return backend_has_news;
}

} // namespace anteroom::net
