// Dialect: the routes of an existing system, in its own words, over the same rooms. One per loop.
#pragma once

#include <string>

#include "api/desk.h"

namespace anteroom::api {

class Dialect {
  public:
    Dialect() = default;
    Dialect(const Dialect&) = delete;
    Dialect& operator=(const Dialect&) = delete;
    virtual ~Dialect() = default;

    // Whether the path is one of its own, with whatever method.
    virtual bool owns(std::string_view path) const = 0;
    // False: not one of its paths, and nothing was done.
    virtual bool handle(Ask& ask) = 0;
    // Whether it counts calls of this path itself: then nobody else does.
    virtual bool limits(std::string_view) const { return false; }
    // Whose call this is, where the dialect knows better than the gate; empty: it does not.
    virtual std::string user_of(const Ask&) { return {}; }
    // The gate counted too many calls. False: it is not said in this dialect's words.
    virtual bool over_limit(Ask&, std::int64_t /*wait_seconds*/) { return false; }
    // Nobody has this path. False: it is not said in this dialect's words.
    virtual bool miss(Ask&) { return false; }
};

} // namespace anteroom::api
