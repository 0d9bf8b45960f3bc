// Adapter: whose routes they are, on one loop. The native API is one, and so is every dialect.
#pragma once

#include <string_view>

#include "desk/call.h"
#include "desk/router.h"

namespace anteroom {

// What a browser is told when it asks whether a page of another origin may call (OPTIONS).
struct CrossOrigin {
    std::string_view methods;
    std::string_view headers;
    bool refuses_strangers = false; // 403 for origins that may not call; otherwise 204, no lists.
};

class Adapter {
  public:
    Adapter() = default;
    Adapter(const Adapter&) = delete;
    Adapter& operator=(const Adapter&) = delete;
    virtual ~Adapter() = default;

    virtual void add_routes(Router& router) = 0;
    // Of a path of its own.
    virtual CrossOrigin cross_origin(std::string_view path) const = 0;
    // A path of its own was asked with a method that it has not got. `allowed`: for Allow.
    virtual void refuse_method(Call& call, std::string_view allowed) = 0;
    // The dialect whose own access tokens count on its routes; empty: none.
    virtual std::string_view login() const { return {}; }
};

} // namespace anteroom
