// Proxy: passes requests on to the origins and their answers back, on one loop. Mechanism only:
// decide() has been asked before forward() is called.
//
// The way of a request:
//   head    the client's head is parsed; the gate says yes; its head is written anew for the origin
//   origin  the one with the fewest requests; a kept connection of it, or a new one
//   body    pieces go on as they come; when the origin is slow the client's socket waits
//   answer  head, pieces, end go back as they come; when the client is slow the origin's waits
//   end     both connections are kept, if both messages ended where their framing says
//
// Nothing is repeated once a byte of the answer was sent. Before that: another origin is asked when
// nothing of the request had left, or when the method may be repeated and no body was consumed;
// once. A kept connection that died unnoticed is replaced by a new one first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gate/origins.h"
#include "net/counter.h"
#include "net/exchange.h"

namespace anteroom::gate {

struct ProxyLimits {
    Millis first_byte{30'000};       // From the last byte of the request that left: 504.
    Millis idle{60'000};             // Between two reads of an answer: the client is cut.
    Millis tunnel_idle{10 * 60'000}; // The same after an upgrade and for event streams.
};

struct ProxyOptions {
    OriginsOptions origins;
    ProxyLimits limits;
    std::string via; // "1.1 anteroom"; empty: no Via.
};

struct ProxyStats {
    net::Counter under_way; // Now.
    net::Counter tunnels;   // Now.
    net::Counter requests;  // Ever, and so on.
    net::Counter retries;
    net::Counter failures;      // Answered from here: 502, 503, 504.
    net::Counter cuts;          // An answer that could not be completed.
    net::Counter abandoned;     // The client left first.
    net::Counter answer_pauses; // An origin had to wait for a slow client.
    net::Counter body_pauses;   // A client had to wait for a slow origin.
};

// Why no origin gave an answer, for the Refuser that writes ours.
struct Failure {
    net::Status status;          // 502, 503 or 504.
    std::string_view reason;     // One clause for people.
    std::string_view request_id; // As in the ForwardPlan, like note.
    std::uint32_t note;
};

class Refuser {
  public:
    // Writes headers and body.
    virtual void refuse(const Failure& failure, net::Answer& answer) = 0;

    Refuser(const Refuser&) = delete;
    Refuser& operator=(const Refuser&) = delete;

  protected:
    Refuser() = default;
    ~Refuser() = default;
};

// The views are used during forward() only. A header that would break out of its line makes it a
// 500.
struct ForwardPlan {
    std::span<const net::Header> identity; // X-User-Id and the like, for the origin.
    std::string_view request_id;
    std::uint32_t note = 0; // The caller's own; comes back in a Failure.
};

class Passage;

class Proxy {
  public:
    // The refuser outlives the proxy; the proxy outlives the server whose requests it forwards.
    static Result<std::unique_ptr<Proxy>> open(net::Loop& loop, ProxyOptions options,
                                               Refuser& refuser);
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    // Takes the exchange; the answer comes now or later.
    void forward(const net::Request& request, net::Exchange& exchange, const ForwardPlan& plan);

    const ProxyStats& stats() const { return stats_; }
    Origins& origins_testing() { return *origins_; }

  private:
    friend class Passage;
    Proxy(net::Loop& loop, ProxyOptions options, Refuser& refuser);
    void retire(Passage& passage);

    net::Loop& loop_;
    ProxyOptions options_;
    Refuser& refuser_;
    std::unique_ptr<Origins> origins_;
    std::vector<std::unique_ptr<Passage>> passages_; // As many as were under way at one time.
    std::vector<Passage*> spare_;                    // Those without a request.
    net::Output scratch_;                            // A chunk on its way out.
    ProxyStats stats_;
};

} // namespace anteroom::gate
