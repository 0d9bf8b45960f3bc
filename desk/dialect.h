// Dialect: an existing system whose clients are answered in their own words, over the same rooms.
//
//   Dialect        the system as it was configured; one per process
//   DialectRoutes  its routes on one loop
//
// Nothing outside the folder of a dialect knows its name; app/dialects.cpp lists them all.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "desk/adapter.h"
#include "desk/desk.h"
#include "desk/metric_text.h"

namespace anteroom {

// A place as a ticket in a dialect's own shape proves it.
struct ForeignTicket {
    std::uint32_t room = 0; // The room's index.
    Number number = 0;
    std::string holder; // The visitor whom the ticket names; the reader checks that it is theirs.
};

class DialectRoutes : public Adapter {
  public:
    // A path without a route belongs to the dialect with the longest prefix of it, the last one of
    // several; refuse_path() answers it when there is no origin behind the gate either.
    virtual std::span<const std::string_view> prefixes() const { return {}; }
    virtual void refuse_path(Call& call) = 0;

    // Whether it counts calls of its path itself: then the gate does not.
    virtual bool counts_calls(std::string_view /*path*/) const { return false; }
    // Whose call this is, where the dialect knows better than the gate; empty: it does not. `owns`:
    // the path is one of its own.
    virtual std::string user_of(Call&, bool /*owns*/) { return {}; }
    // The gate counted too many calls. False: it is not said in this dialect's words.
    virtual bool over_limit(Call&, bool /*owns*/, std::int64_t /*wait_seconds*/) { return false; }

    // Whether a text has the shape of the dialect's own tickets, and what such a ticket proves;
    // nothing: it was not made here.
    virtual bool looks_like_ticket(std::string_view) const { return false; }
    virtual std::optional<ForeignTicket> read_ticket(std::string_view, token::UnixSeconds) {
        return std::nullopt;
    }
    // Whether places in this room are proven by tickets of that shape only.
    virtual bool has_own_tickets(const HostedRoom&) const { return false; }
};

class Dialect {
  public:
    Dialect() = default;
    Dialect(const Dialect&) = delete;
    Dialect& operator=(const Dialect&) = delete;
    virtual ~Dialect() = default;

    // As dialects.enabled and the profiles of rooms have it.
    virtual std::string_view name() const = 0;
    virtual std::unique_ptr<DialectRoutes> open_routes(Desk& desk, Hub& hub) = 0;

    // Rooms with settings of their own, and ids that only operators make rooms of.
    virtual void add_rooms(ServiceOptions&) const {}
    // What access tokens of the system's own login must say; nothing: it has none.
    virtual std::optional<token::AccessRules> login() const { return std::nullopt; }
    // The figures that its dashboards ask for; DialectInfo::metrics lists them.
    virtual void write_metrics(MetricText&, Service&) {}
    // The path of a page for visitors of this room beside /wait/ROOM; empty: there is none.
    virtual std::string page_of(const HostedRoom&) const { return {}; }
};

} // namespace anteroom
