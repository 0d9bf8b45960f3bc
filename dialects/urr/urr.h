// Urr: system U, the two-tier waiting room, on the wire as its clients know it.
//
//   /vwr[-api]/…            tier 1: a number in the outer line, released by a counter
//   /api[/v1]/queue/…       tier 2: a place in the inner line, limited by how many are inside
//   /api[/v1]/admin/vwr/…   the switch of tier 1
//
// An event is a room of the same id. Decides nothing: numbers, turns and leases are the engine's.
// What differs from the original on purpose is in docs/dialects/urr.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "desk/dialect.h"
#include "desk/routes.h"
#include "dialects/urr/catalogue.h"
#include "dialects/urr/options.h"
#include "dialects/urr/renewal.h"

namespace anteroom::urr {

enum class Route : std::uint8_t {
    assign,
    outer_check,
    outer_status,
    check,
    status,
    heartbeat,
    leave,
    admin_read,
    admin_clear,
    admin_threshold,
    activate,
    deactivate,
    admin_outer_status,
    advance,
    outer_page,
    inner_page,
    inner_timer,
    health,
};

// Where browsers keep the passes; the names are the original's.
inline constexpr std::string_view outer_cookie = "urr-vwr-token";
inline constexpr std::string_view entry_cookie = "urr-entry-token";

class Urr final : public DialectRoutes {
  public:
    Urr(Desk& desk, const Options& options);

    bool owns(std::string_view path) const override;
    bool handle(Ask& ask) override;
    bool miss(Ask& ask) override;

  private:
    struct Rule;
    struct Path;
    enum class Family : std::uint8_t { outer, api, page };
    enum class Who : std::uint8_t { everybody, user, admin };
    enum class EventId : std::uint8_t { any, uuid, none };

    static const Rule rules[];
    static Path path_of(std::string_view path);
    void dispatch(Ask& ask, const Rule& rule);
    void preflight(Ask& ask, Family family);
    void health(Ask& ask);

    // Answers.
    net::Answer begin(Ask& ask, net::Status status);
    net::Answer begin(Later& later, net::Status status);
    void refuse(Ask& ask, net::Status status, std::string_view error, std::int64_t retry_after = 0);
    void refuse(Later& later, net::Status status, std::string_view error);
    void refuse_outer(Later& later, std::string_view error, std::string_view event);
    void refuse(Later& later, Reason reason, std::string_view event);
    void unavailable(Ask& ask);
    static void write_error(net::Answer& answer, std::string_view error);
    enum class By : std::uint8_t { user, admin }; // Rooms may be created by operators only.
    std::shared_ptr<HostedRoom> make_room(Ask& ask, By by); // Answers when there is none.

    // Tier 1 (outer_routes.cpp).
    void assign(Ask& ask);
    void outer_check(Ask& ask);
    void outer_status(Ask& ask);
    Later defer_outer(Ask& ask);
    net::Answer begin_outer(Ask& ask, net::Status status);
    void release(Ask& ask, const std::shared_ptr<HostedRoom>& room, const OuterPlace& place);
    enum class Known : std::uint8_t { user, guest };
    token::VisitorId guest_id(Known known, std::string_view name) const;
    std::optional<Visitor> name_guest(const Ask& ask, const Caller& caller, std::string_view given);
    // The name that the pass of this number gets: what the caller calls itself, if that is who
    // took the number.
    std::string uid_of(const Ask& ask, const VisitorKey& key);
    struct OuterGrant {
        std::string pass;
        std::int64_t expires_in_seconds = 0;
    };
    // Nothing: it was renewed often enough.
    std::optional<OuterGrant> grant(const HostedRoom& room, const OuterPlace& place,
                                    std::string_view uid, Instant now, Renewals renewals);

    // Tier 2 (inner_routes.cpp).
    // Who asks. Views, because most answers are given before the request is gone; KeptGuest for
    // the others.
    struct Guest {
        std::string_view user;
        VisitorKey key;
        bool secure = false;
        std::string_view outer_pass; // As the request showed it, verified or not.
    };
    struct KeptGuest {
        explicit KeptGuest(const Guest& guest)
            : user(guest.user),
              outer_pass(guest.outer_pass),
              key(guest.key),
              secure(guest.secure) {}
        Guest view() const {
            return {.user = user, .key = key, .secure = secure, .outer_pass = outer_pass};
        }
        std::string user, outer_pass;
        VisitorKey key;
        bool secure;
    };
    Guest guest_of(const Ask& ask, std::string_view user) const;
    void check(Ask& ask, const Caller& caller);
    void status(Ask& ask, std::string_view user);
    void heartbeat(Ask& ask, std::string_view user);
    void leave(Ask& ask, std::string_view user);
    std::optional<OuterPlace> outer_place(const Ask& ask, const HostedRoom& room,
                                          const Guest& guest, bool is_backend);
    void join(const std::shared_ptr<HostedRoom>& room, const KeptGuest& guest,
              std::optional<OuterPlace> outer, Later later);
    void answer_check(const std::shared_ptr<HostedRoom>& room, const KeptGuest& guest,
                      const Standing& standing, Later later);
    void write_check(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                     const Standing& standing, std::string_view event_info);
    void write_status(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                      const Standing& standing);
    void write_nowhere(net::Answer& answer, const HostedRoom* room);
    // Cookies and headers first, then the body; `grants` keeps what the body tells.
    struct Grants {
        std::optional<IssuedPass> entry;
        std::optional<OuterGrant> outer; // Only when it is another one than the request showed.
    };
    static void write_grants(net::Output& out, const HostedRoom& room, const Grants& grants);
    Grants begin_grants(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                        const Standing& standing, Instant now);

    // Operators (admin_routes.cpp).
    void admin_read(Ask& ask);
    void admin_clear(Ask& ask, const Caller& caller);
    void admin_threshold(Ask& ask, const Caller& caller);
    void switch_outer(Ask& ask, const Caller& caller, bool on);
    void admin_outer_status(Ask& ask);
    void advance(Ask& ask, const Caller& caller);

    Desk& desk_;
    const Options options_;
    Catalogue catalogue_;
};

} // namespace anteroom::urr
