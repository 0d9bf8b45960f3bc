#include "net/resolve.h"

#include <netdb.h>
#include <netinet/in.h>
#include <uv.h>

#include <cstring>

#include "net/completion.h"

namespace anteroom::net {

namespace {

using Addresses = std::vector<sockaddr_storage>;

// Lives until libuv calls back, also when the coroutine is gone.
struct Lookup {
    uv_getaddrinfo_t request{};
    Completion<int>* waiter = nullptr;
    Addresses addresses;
};

// Cuts the lookup off from the coroutine's frame, however that ends.
struct Waiting {
    explicit Waiting(Lookup& of) : lookup(&of) {}
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        if (!lookup) return;
        lookup->waiter = nullptr;
        uv_cancel(reinterpret_cast<uv_req_t*>(&lookup->request));
    }
    Lookup* lookup;
};

void on_resolved(uv_getaddrinfo_t* request, int status, addrinfo* found) {
    auto* lookup = static_cast<Lookup*>(request->data);
    for (const addrinfo* one = found; one && status == 0; one = one->ai_next) {
        sockaddr_storage address{};
        std::memcpy(&address, one->ai_addr, one->ai_addrlen);
        lookup->addresses.push_back(address);
    }
    uv_freeaddrinfo(found);
    if (lookup->waiter) {
        lookup->waiter->complete(status); // The waiter takes the addresses and the lookup.
    } else {
        delete lookup;
    }
}

} // namespace

Task<Result<Addresses>> resolve(Loop& loop, std::string host, std::uint16_t port, Millis deadline) {
    Addresses literal(1);
    if (uv_ip4_addr(host.c_str(), port, reinterpret_cast<sockaddr_in*>(&literal[0])) == 0 ||
        uv_ip6_addr(host.c_str(), port, reinterpret_cast<sockaddr_in6*>(&literal[0])) == 0) {
        co_return literal;
    }
    Completion<int> completion(loop);
    auto* lookup = new Lookup;
    lookup->request.data = lookup;
    lookup->waiter = &completion;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    const std::string service = std::to_string(port);
    const int started = uv_getaddrinfo(loop.uv(), &lookup->request, &on_resolved, host.c_str(),
                                       service.c_str(), &hints);
    if (started != 0) {
        delete lookup;
        co_return Fault{"cannot resolve " + host + ": " + uv_strerror(started)};
    }
    Waiting waiting(*lookup);
    const std::optional<int> status = co_await completion.within(deadline);
    if (!status) co_return Fault{"resolving " + host + " took too long"};
    waiting.lookup = nullptr;
    const std::unique_ptr<Lookup> owned(lookup);
    if (*status != 0) co_return Fault{"cannot resolve " + host + ": " + uv_strerror(*status)};
    if (owned->addresses.empty()) co_return Fault{"no address for " + host};
    co_return std::move(owned->addresses);
}

} // namespace anteroom::net
