// Call: one request while it is being answered, at once or later.
//
//   at once   the handler begins an answer before it returns; request() is there
//   later     defer() keeps what an answer needs, and the Call is moved to whoever answers; the
//             request is gone
//
// Who asks is verified once, by the first who wants to know, and kept. Lives on its loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "desk/caller.h"
#include "desk/request_id.h"
#include "desk/router.h"
#include "net/exchange.h"
#include "token/key_ring.h"

namespace anteroom {

class Desk;

class Call {
  public:
    Call(Desk& desk, const net::Request& request, net::Exchange& exchange, Instant now,
         const RequestId& request_id)
        : desk_(&desk),
          request_(&request),
          exchange_(&exchange),
          now_(now),
          request_id_(request_id) {}
    Call(Call&&) noexcept = default;
    Call& operator=(Call&&) noexcept = default;

    // REQUIRES: not deferred, as of everything that is read from the request.
    const net::Request& request() const {
        CHECK(request_);
        return *request_;
    }
    // The parts of the path that the route names, decoded where the owner of the route says so.
    std::string_view parameter(std::size_t index) const { return parameters_[index]; }
    void set_parameters(const Parameters& parameters) { parameters_ = parameters; }
    void set_parameter(std::size_t index, std::string_view value) { parameters_[index] = value; }
    // Which dialect's own login counts, too; before caller(). Empty: none.
    void set_login(std::string_view dialect) { login_ = dialect; }

    // When the request came.
    Instant now() const { return now_; }
    token::UnixSeconds unix_now() const { return {now_.ms / 1'000}; }
    const RequestId& request_id() const { return request_id_; }

    // REQUIRES: not deferred, unless somebody asked before.
    const Caller& caller();

    // From now on the answer is given by the Call alone.
    void defer();
    bool is_deferred() const { return reply_.has_value(); }

    // One of the two, once. The stream is empty when it cannot be; that was answered then.
    net::Answer begin(net::Status status);
    std::optional<net::EventStream> stream(std::span<const net::Header> headers);

    // The Origin that may read the answer; empty: none.
    std::string_view origin() const;
    // Another one than the request named.
    void set_origin(std::string_view origin) { origin_ = origin; }

    // To pass a body on piece by piece. REQUIRES: not deferred.
    net::Exchange& exchange() { return *exchange_; }

  private:
    Desk* desk_;
    const net::Request* request_; // Null: deferred.
    net::Exchange* exchange_;
    Instant now_;
    RequestId request_id_;
    Parameters parameters_{};
    std::string_view login_;
    std::optional<Caller> caller_;
    std::optional<net::Reply> reply_;
    std::optional<std::string> origin_; // Nothing: as the request says.
};

} // namespace anteroom
