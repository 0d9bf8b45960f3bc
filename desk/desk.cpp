#include "desk/desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace anteroom {
namespace {

constexpr std::string_view visitor_cookie = "anteroom-visitor";
constexpr std::uint32_t generation_mask = token::uuid_generation_max;

} // namespace

std::string set_cookie(std::string_view name, std::string_view value, bool secure,
                       std::int64_t seconds, SameSite same_site) {
    return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite={}{}", name, value, seconds,
                       same_site == SameSite::strict ? "Strict" : "Lax", secure ? "; Secure" : "");
}

Desk::Desk(DeskShared& shared, net::Loop& loop, std::unique_ptr<Office> office)
    : shared_(shared),
      visits_(shared.service),
      loop_(loop),
      office_(std::move(office)),
      request_seed_(std::random_device{}()) {}

Call Desk::open(const net::Request& request, net::Exchange& exchange, Instant now) {
    // A caller's own id is kept when it is harmless, so that one request has one name everywhere.
    const std::string_view given = request.header("x-request-id").value_or("");
    const bool harmless =
        !given.empty() && given.size() <= RequestId::length_max && is_room_id(given);
    return Call(*this, request, exchange, now, harmless ? RequestId(given) : next_request_id());
}

std::string_view Desk::allowed_origin(const net::Request& request) const {
    const std::string_view origin = request.header("origin").value_or("");
    if (origin.empty()) return {};
    for (const std::string& allowed : shared_.cors_origins)
        if (allowed == "*" || allowed == origin) return allowed == "*" ? "*" : origin;
    return {};
}

Caller Desk::identify(const net::Request& request, token::UnixSeconds now, std::string_view login) {
    return anteroom::identify(request, *office_, shared_.admin_token, now,
                              office_->login_of(login));
}

PlaceSight Desk::place_of(std::string_view ticket, const token::TicketExpectation& expected,
                          token::UnixSeconds now) {
    const token::TicketVerdict verdict = office_->tickets.read(ticket, now, expected);
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content) return NoVisit{};
    const RoomSight room = visits_.room_at(content->room);
    if (std::holds_alternative<NotHeard>(room)) return NotHeard{};
    if (std::holds_alternative<NoRoom>(room)) return NoVisit{};
    return VisitPlace{.room = std::get<HostedRoom*>(room), .number = content->number};
}

std::int64_t Desk::join_wait(const Call& call) {
    return shared_.join_limiter->wait_seconds(call.request().client_address(), call.now());
}

std::optional<token::VisitorId> Desk::cookie_visitor(const Call& call) {
    const token::VisitorVerdict known =
        office_->visitors.read(cookie(call.request(), visitor_cookie), call.unix_now());
    if (const auto* id = std::get_if<token::VisitorId>(&known)) return *id;
    return std::nullopt;
}

Visitor Desk::anonymous(const Call& call, const token::VisitorId& id) {
    Visitor visitor{.id = "~anonymous:" + std::string(id.text().view()), .key = {}, .cookie = {}};
    visitor.key = office_->key_of(visitor.id);
    visitor.cookie =
        set_cookie(visitor_cookie, office_->visitors.sign(id).view(), call.request().secure);
    return visitor;
}

std::optional<Visitor> Desk::name_visitor(const Call& call, std::string_view user) {
    if (!user.empty())
        return Visitor{.id = std::string(user), .key = office_->key_of(user), .cookie = {}};
    std::optional<token::VisitorId> id = cookie_visitor(call);
    if (!id) id = token::VisitorBook::new_visitor();
    if (!id) return std::nullopt;
    return anonymous(call, *id);
}

std::optional<IssuedPass> Desk::issue_pass(const HostedRoom& room, const Standing& standing,
                                           std::string_view user, Instant now, Millis life_max,
                                           std::string_view pass_id) const {
    const VisitorKey* key = room.view().visitor(standing.number);
    if (!is_inside(standing.state) || !key) return std::nullopt;
    // Named by the id they showed, if it is theirs; otherwise by the key that stands for it.
    const bool by_name = !user.empty() && office_->key_of(user) == *key;
    const std::string visitor = by_name ? std::string(user) : key_text(*key);
    const Millis lifetime = std::clamp(standing.until - now, Millis{0}, life_max);
    Result<std::string> pass = office_->passes.issue(
        token::EntryPass{.room = room.id(), .visitor = visitor, .pass_id = pass_id},
        token::UnixSeconds{unix_seconds(now)}, lifetime);
    if (!pass) return std::nullopt;
    return IssuedPass{.text = *std::move(pass), .expires_in_seconds = lifetime.count / 1'000};
}

std::string Desk::request_id_of(const HostedRoom& room, const OuterPlace& place) const {
    const std::optional<token::UuidTicket> ticket =
        office_->tickets.mint_uuid({.kind = token::TicketKind::outer,
                                    .room = room.index(),
                                    .generation = place.generation & generation_mask,
                                    .number = place.number});
    return ticket ? std::string(ticket->view()) : std::string();
}

std::optional<OuterPlace> Desk::read_request_id(const HostedRoom& room, std::string_view text,
                                                token::UnixSeconds now) const {
    const std::uint32_t generation = room.view().outer().generation();
    const token::TicketVerdict verdict =
        office_->tickets.read(text, now,
                              {.kind = token::TicketKind::outer,
                               .room = room.index(),
                               .generation = generation & generation_mask,
                               .shape = token::TicketShape::uuid});
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    if (!content) return std::nullopt;
    return OuterPlace{.generation = generation, .number = content->number};
}

void Desk::note(Call& call, std::string_view room, std::string action, std::string detail) {
    const Caller& caller = call.caller();
    service().note({.at = call.now(),
                    .actor = caller.user.empty() ? "admin" : caller.user,
                    .address = to_string(call.request().client_address()),
                    .room = std::string(room),
                    .action = std::move(action),
                    .detail = std::move(detail)});
}

} // namespace anteroom
