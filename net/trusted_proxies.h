// TrustedProxies: the proxies whose X-Forwarded-For is believed.
//
// The client is the right-most entry that is not itself a trusted proxy, and only when the peer is
// one: everything further left was written by the client and proves nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/ip_address.h"

namespace anteroom::net {

class TrustedProxies {
  public:
    TrustedProxies() = default;
    static Result<TrustedProxies> parse(std::span<const std::string> networks);

    bool trusts(const IpAddress& address) const;

    // forwarded_for: the values of all X-Forwarded-For lines, in the order in which they came.
    // An entry that is no address ends the search: the trusted hop before it is all we know.
    IpAddress client(const IpAddress& peer, std::span<const std::string_view> forwarded_for) const;

  private:
    std::vector<IpNetwork> networks_;
};

} // namespace anteroom::net
