// Desk: what every adapter on one loop needs to answer a request: who asks, how answers begin, how
// they are put off until a command is durable. The native routes and the dialects stand behind it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desk/caller.h"
#include "desk/office.h"
#include "desk/request_id.h"
#include "net/exchange.h"
#include "service/address_limiter.h"
#include "service/history.h"
#include "service/service.h"

namespace anteroom {

class Dialect;

// The same for all loops.
struct ApiShared {
    Service& service;
    std::string admin_token;
    std::vector<std::string> cors_origins; // "*" for any; without credentials then.
    std::unique_ptr<AddressLimiter> join_limiter;
    std::function<std::string()> metrics; // The whole text.
    History* history = nullptr;           // Null: only what rooms know themselves.
    std::atomic<bool> stopping{false};
    bool has_demo = false;
    std::string admin_token_path = {}; // Its file; empty: the configuration has it.
    std::vector<std::shared_ptr<Dialect>> dialects = {}; // In the order in which they are asked.
};

// One request while it is being answered.
struct Ask {
    const net::Request& request;
    net::Exchange& exchange;
    Instant now;
    RequestId request_id;
    std::string_view room_id = {}; // Decoded; empty when the route has none.
    std::string_view action = {};

    token::UnixSeconds unix_now() const { return {unix_seconds(now)}; }
};

// What an answer needs that may be written after the request is gone.
struct Later {
    net::Reply reply;
    RequestId request_id;
    std::string origin;
};

struct IssuedPass {
    std::string text;
    std::int64_t expires_in_seconds = 0;
};

// Who takes a place.
struct Visitor {
    std::string id;
    VisitorKey key;
    std::string cookie; // To be set, when we named the visitor.
};

class Desk {
  public:
    Desk(ApiShared& shared, net::Loop& loop, std::unique_ptr<Office> office);

    ApiShared& shared() { return shared_; }
    Service& service() { return shared_.service; }
    net::Loop& loop() { return loop_; }
    Office& office() const { return *office_; }
    // After the keys changed.
    void set_office(std::unique_ptr<Office> office) { office_ = std::move(office); }

    Ask open(const net::Request& request, net::Exchange& exchange, Instant now);
    RequestId next_request_id() { return RequestId(request_seed_, ++request_count_); }
    net::Answer begin(Ask& ask, net::Status status);
    net::Answer begin(Later& later, net::Status status);
    Later defer(Ask& ask);
    // The Origin of the request as it may be answered; empty: not at all.
    std::string_view allowed_origin(const net::Request& request) const;

    // `login`: the name of the dialect whose own access tokens count, too.
    Caller identify(const Ask& ask, std::string_view login = {});
    // A known user, or the anonymous visitor that a cookie of ours names, or a new one.
    std::optional<Visitor> name_visitor(const Ask& ask, std::string_view user);
    // The anonymous visitor that a cookie of ours names.
    std::optional<token::VisitorId> cookie_visitor(const Ask& ask);
    Visitor anonymous(const Ask& ask, const token::VisitorId& id);
    // The entry pass of somebody inside, named by `user` if that is who it is, valid as long as the
    // lease but no longer than `life_max`.
    std::optional<IssuedPass> issue_pass(const HostedRoom& room, const Standing& standing,
                                         std::string_view user, Instant now,
                                         Millis life_max = limits::span_max,
                                         std::string_view pass_id = {}) const;
    // A number in the outer line as a UUID, and back; nothing when it is forged, of another room
    // or of an earlier activation.
    std::string request_id_of(const HostedRoom& room, const OuterPlace& place) const;
    std::optional<OuterPlace> read_request_id(const HostedRoom& room, std::string_view text,
                                              token::UnixSeconds now) const;
    // Seconds until this address may join; takes one if 0.
    std::int64_t join_wait(const Ask& ask);
    void note(const Ask& ask, const Caller& caller, std::string action, std::string detail);

  private:
    static void dress(net::Answer& answer, const RequestId& request_id, std::string_view origin);

    ApiShared& shared_;
    net::Loop& loop_;
    std::unique_ptr<Office> office_;
    std::uint32_t request_count_ = 0;
    const std::uint32_t request_seed_; // Tells this process and loop from others.
};

inline constexpr std::int64_t cookie_seconds = 24 * 3'600;
enum class SameSite : std::uint8_t { lax, strict };
std::string set_cookie(std::string_view name, std::string_view value, bool secure,
                       std::int64_t seconds = cookie_seconds, SameSite same_site = SameSite::lax);

} // namespace anteroom
