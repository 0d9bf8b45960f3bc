// Fallback: who gets the requests that are none of ours. One per loop.
#pragma once

#include <string_view>

#include "net/exchange.h"

namespace anteroom::api {

class Fallback {
  public:
    Fallback() = default;
    Fallback(const Fallback&) = delete;
    Fallback& operator=(const Fallback&) = delete;
    virtual ~Fallback() = default;

    // The body may be streamed (net::Handler::streams_body).
    virtual void handle(const net::Request& request, net::Exchange& exchange,
                        std::string_view request_id) = 0;
};

} // namespace anteroom::api
