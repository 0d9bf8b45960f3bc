// Urr: system U, the two-tier waiting room, on the wire as its clients know it.
//
//   /vwr[-api/vwr]/…        tier 1: a number in the outer line, released by a counter
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
#include "desk/kept_text.h"
#include "dialects/urr/catalogue.h"
#include "dialects/urr/options.h"
#include "dialects/urr/renewal.h"
#include "net/task.h"

namespace anteroom::urr {

// Where browsers keep the passes; the names are the original's.
inline constexpr std::string_view outer_cookie = "urr-vwr-token";
inline constexpr std::string_view entry_cookie = "urr-entry-token";

class Urr final : public DialectRoutes {
  public:
    Urr(Desk& desk, const Options& options);

    void add_routes(Router& router) override;
    CrossOrigin cross_origin(std::string_view path) const override;
    void refuse_method(Call& call, std::string_view allowed) override;
    std::span<const std::string_view> prefixes() const override;
    void refuse_path(Call& call) override;

  private:
    enum class Who : std::uint8_t { everybody, user, admin };
    enum class EventId : std::uint8_t { any, uuid, none };
    struct Rule;

    void add_api_routes(Router& router);
    void add_page_routes(Router& router);
    void add(Router& router, std::string_view prefix, const Rule& rule);
    // Checks the event's id and who asks, then calls the rule's handler.
    void serve(Call& call, const Rule& rule);
    static bool is_let_in(Call& call, Who who); // Answers when not.

    // Answers.
    static void refuse(Call& call, net::Status status, std::string_view error,
                       std::int64_t retry_after = 0);
    static void refuse(Call& call, Reason reason, std::string_view event);
    static void refuse_outer(Call& call, std::string_view error, std::string_view event);
    static void unavailable(Call& call);
    // The event's room. Null: there is none. Nothing: one may exist that this process has not heard
    // of; that was answered.
    std::optional<HostedRoom*> find_room(Call& call);
    enum class By : std::uint8_t { user, admin }; // Rooms may be created by operators only.
    std::shared_ptr<HostedRoom> make_room(Call& call, By by); // Answers when there is none.

    void outer_page(Call& call);
    void inner_page(Call& call);
    void inner_timer(Call& call);
    void health(Call& call);

    // Tier 1 (outer_routes.cpp).
    void assign(Call& call);
    void outer_check(Call& call);
    void outer_status(Call& call);
    void answer_outer_to_all(Call& call);
    net::Answer begin_outer(Call& call, net::Status status);
    void release(Call& call, HostedRoom& room, const OuterPlace& place);
    void answer_release(Call& call, const HostedRoom& room, const OuterPlace& place,
                        std::string_view uid, bool secure);
    enum class Known : std::uint8_t { user, guest };
    token::VisitorId guest_id(Known known, std::string_view name) const;
    std::optional<Visitor> name_guest(Call& call, std::string_view given);
    // The name that the pass of this number gets: what the caller calls itself, if the caller took
    // the number.
    std::string uid_of(Call& call, const VisitorKey& key);
    struct OuterGrant {
        std::string pass;
        std::int64_t expires_in_seconds = 0;
    };
    // Nothing: it was renewed often enough.
    std::optional<OuterGrant> grant(const HostedRoom& room, const OuterPlace& place,
                                    std::string_view uid, Instant now, Renewals renewals);

    // Tier 2 (inner_routes.cpp).
    // The user who asks.
    struct Guest {
        KeptText user;
        VisitorKey key;
        bool secure = false;
        KeptText outer_pass; // As the request showed it, verified or not.

        void keep() {
            user.keep();
            outer_pass.keep();
        }
    };
    class StatusAnswer;
    Guest guest_of(Call& call) const;
    void check(Call& call);
    void status(Call& call);
    void heartbeat(Call& call);
    void leave(Call& call);
    std::optional<OuterPlace> outer_place(Call& call, const HostedRoom& room, const Guest& guest);
    // REQUIRES: the call is deferred, the guest is kept.
    net::Task<void> join(Call call, std::shared_ptr<HostedRoom> room, Guest guest,
                         std::optional<OuterPlace> outer);
    void write_check(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                     const Standing& standing, std::string_view event_info);
    void write_status(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                      const Standing& standing);
    // Cookies and headers first, then the body; `grants` keeps what the body tells.
    struct Grants {
        std::optional<IssuedPass> entry;
        std::optional<OuterGrant> outer; // Only when it is another one than the request showed.
    };
    static void write_grants(net::Output& out, const HostedRoom& room, const Grants& grants);
    Grants begin_grants(net::Answer& answer, const HostedRoom& room, const Guest& guest,
                        const Standing& standing, Instant now);

    // Operators (admin_routes.cpp).
    void admin_read(Call& call);
    void admin_clear(Call& call);
    void admin_threshold(Call& call);
    void activate(Call& call) { switch_outer(call, true); }
    void deactivate(Call& call) { switch_outer(call, false); }
    void switch_outer(Call& call, bool on);
    void admin_outer_status(Call& call);
    void advance(Call& call);
    void answer_never_activated(Call& call);

    Desk& desk_;
    const Options options_;
    Catalogue catalogue_;
};

} // namespace anteroom::urr
