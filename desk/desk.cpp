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

Desk::Desk(ApiShared& shared, net::Loop& loop, std::unique_ptr<Office> office)
    : shared_(shared),
      loop_(loop),
      office_(std::move(office)),
      request_seed_(std::random_device{}()) {}

Ask Desk::open(const net::Request& request, net::Exchange& exchange, Instant now) {
    // A caller's own id is kept when it is harmless, so that one request has one name everywhere.
    const std::string_view given = request.header("x-request-id").value_or("");
    const bool harmless =
        !given.empty() && given.size() <= RequestId::length_max && is_room_id(given);
    return {.request = request,
            .exchange = exchange,
            .now = now,
            .request_id = harmless ? RequestId(given) : next_request_id()};
}

std::string_view Desk::allowed_origin(const net::Request& request) const {
    const std::string_view origin = request.header("origin").value_or("");
    if (origin.empty()) return {};
    for (const std::string& allowed : shared_.cors_origins)
        if (allowed == "*" || allowed == origin) return allowed == "*" ? "*" : origin;
    return {};
}

void Desk::dress(net::Answer& answer, const RequestId& request_id, std::string_view origin) {
    answer.header("X-Request-ID", request_id.view());
    if (origin.empty()) return;
    answer.header("Access-Control-Allow-Origin", origin);
    if (origin == "*") return;
    answer.header("Access-Control-Allow-Credentials", "true");
    answer.header("Vary", "Origin");
}

net::Answer Desk::begin(Ask& ask, net::Status status) {
    net::Answer answer = ask.exchange.answer(status);
    dress(answer, ask.request_id, allowed_origin(ask.request));
    return answer;
}

net::Answer Desk::begin(Later& later, net::Status status) {
    net::Answer answer = later.reply.answer(status);
    dress(answer, later.request_id, later.origin);
    return answer;
}

Later Desk::defer(Ask& ask) {
    return Later{.reply = ask.exchange.defer(),
                 .request_id = ask.request_id,
                 .origin = std::string(allowed_origin(ask.request))};
}

Caller Desk::identify(const Ask& ask, std::string_view login) {
    return anteroom::identify(ask.request, *office_, shared_.admin_token, ask.unix_now(),
                              office_->login_of(login));
}

std::int64_t Desk::join_wait(const Ask& ask) {
    return shared_.join_limiter->wait_seconds(ask.request.client_address(), ask.now);
}

std::optional<token::VisitorId> Desk::cookie_visitor(const Ask& ask) {
    const token::VisitorVerdict known =
        office_->visitors.read(cookie(ask.request, visitor_cookie), ask.unix_now());
    if (const auto* id = std::get_if<token::VisitorId>(&known)) return *id;
    return std::nullopt;
}

Visitor Desk::anonymous(const Ask& ask, const token::VisitorId& id) {
    Visitor visitor{.id = "~anonymous:" + std::string(id.text().view()), .key = {}, .cookie = {}};
    visitor.key = office_->key_of(visitor.id);
    visitor.cookie =
        set_cookie(visitor_cookie, office_->visitors.sign(id).view(), ask.request.secure);
    return visitor;
}

std::optional<Visitor> Desk::name_visitor(const Ask& ask, std::string_view user) {
    if (!user.empty())
        return Visitor{.id = std::string(user), .key = office_->key_of(user), .cookie = {}};
    std::optional<token::VisitorId> id = cookie_visitor(ask);
    if (!id) id = token::VisitorBook::new_visitor();
    if (!id) return std::nullopt;
    return anonymous(ask, *id);
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
    if (text.size() != token::UuidTicket{}.view().size()) return std::nullopt;
    const token::TicketVerdict verdict = office_->tickets.read(text, now);
    const auto* content = std::get_if<token::TicketContent>(&verdict);
    const std::uint32_t generation = room.view().outer().generation();
    const bool ours = content && content->kind == token::TicketKind::outer &&
                      content->room == room.index() &&
                      content->generation == (generation & generation_mask);
    if (!ours) return std::nullopt;
    return OuterPlace{.generation = generation, .number = content->number};
}

void Desk::note(const Ask& ask, const Caller& caller, std::string action, std::string detail) {
    service().note({.at = ask.now,
                    .actor = caller.user.empty() ? "admin" : caller.user,
                    .address = to_string(ask.request.client_address()),
                    .room = std::string(ask.room_id),
                    .action = std::move(action),
                    .detail = std::move(detail)});
}

} // namespace anteroom
