// Dialect: the routes of an existing system, in its own words, over the same rooms. One per loop.
#pragma once

#include "api/desk.h"

namespace anteroom::api {

class Dialect {
  public:
    Dialect() = default;
    Dialect(const Dialect&) = delete;
    Dialect& operator=(const Dialect&) = delete;
    virtual ~Dialect() = default;

    // False: not one of its paths, and nothing was done.
    virtual bool handle(Ask& ask) = 0;

    // Whether handle() could take a request for this path.
    virtual bool knows(std::string_view path) const = 0;
};

} // namespace anteroom::api
