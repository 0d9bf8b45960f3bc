#include "dialects/hhplus/hhplus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json_text.h"
#include "desk/json_answer.h"
#include "dialects/hhplus/batch_body.h"
#include "engine/poll.h"
#include "net/output.h"

namespace anteroom::hhplus {
namespace {

using net::compose;
using net::Method;
using net::Status;

constexpr std::int64_t retry_seconds = 5;
constexpr std::array<std::string_view, 1> own_prefixes{"/api/v1/queues/"};

// The original's words where it has any.
constexpr std::string_view denied = "접근이 거부되었습니다.";
constexpr std::string_view bad_request = "잘못된 요청입니다.";
constexpr std::string_view no_path = "존재하지 않는 경로입니다.";
constexpr std::string_view bad_method = "지원하지 않는 메서드입니다.";
constexpr std::string_view too_many = "요청이 너무 많습니다.";
constexpr std::string_view full = "대기열이 가득 찼습니다.";
constexpr std::string_view closed = "대기열이 닫혀 있습니다.";
constexpr std::string_view try_again = "잠시 후 다시 시도해 주세요.";

constexpr std::string_view done = R"({"result":"SUCCESS","data":null,"error":null})";

void write_error(net::Answer& answer, std::string_view error) {
    net::append(answer.body(), R"({"result":"ERROR","data":null,"error":)");
    append_json_string(answer.body(), error);
    net::append(answer.body(), "}");
}

} // namespace

void Hhplus::add_routes(Router& router) {
    const auto add = [&](Method method, std::string_view path, void (Hhplus::*handler)(Call&)) {
        router.add(*this, method, path, [this, handler](Call& call) { (this->*handler)(call); });
    };
    add(Method::get, "/api/v1/queues/token/rank", &Hhplus::rank);
    add(Method::post, "/api/v1/queues/token", &Hhplus::issue);
    add(Method::post, "/api/v1/queues/token/reserved", &Hhplus::reserved);
    add(Method::post, "/api/v1/queues/token/paid", &Hhplus::paid);
    add(Method::post, "/api/v1/queues/batch", &Hhplus::batch);
}

CrossOrigin Hhplus::cross_origin(std::string_view) const {
    return {.methods = "GET, POST, OPTIONS",
            .headers = "Authorization, Content-Type, token, userId"};
}

void Hhplus::refuse_method(Call& call, std::string_view allowed) {
    net::Answer answer = begin_json(call, Status::method_not_allowed);
    answer.header("Allow", allowed);
    write_error(answer, bad_method);
}

std::span<const std::string_view> Hhplus::prefixes() const {
    return own_prefixes;
}

void Hhplus::refuse_path(Call& call) {
    refuse(call, Status::not_found, no_path);
}

// A backend calls for everybody: whose calls are they? The token says so, too, also before what the
// gate guards; not where whoever comes may have drawn it for anybody.
std::string Hhplus::user_of(Call& call, bool owns) {
    const Caller& caller = call.caller();
    if (!caller.user.empty()) return caller.user;
    const std::string_view shown = call.request().single_header("token").value_or("");
    const std::optional<QueueToken> token = read_token(desk_.office(), shown, call.unix_now());
    const bool is_proof = caller.is_backend || !options_.trusts_user_id;
    if (token && is_proof && is_holder(*token)) return visitor_of(token->user);
    if (!owns) return {};
    const std::optional<Person> person = person_of(call);
    return person && person->is_verified ? visitor_of(person->user) : std::string();
}

std::optional<ForeignTicket> Hhplus::read_ticket(std::string_view text, token::UnixSeconds now) {
    const std::optional<QueueToken> token = read_token(desk_.office(), text, now);
    if (!token) return std::nullopt;
    return ForeignTicket{
        .room = token->room, .number = token->number, .holder = visitor_of(token->user)};
}

// Whether the place is known to be this user's: a token's halves may be of two.
bool Hhplus::is_holder(const QueueToken& token) const {
    const HostedRoom* room = desk_.service().rooms().find(options_.room);
    if (!room || token.room != room->index()) return false;
    const VisitorKey* holder = room->view().visitor(token.number);
    return holder && *holder == desk_.office().key_of(visitor_of(token.user));
}

bool Hhplus::over_limit(Call& call, bool owns, std::int64_t wait_seconds) {
    const net::Request& request = call.request();
    const bool is_ours = owns || request.path.starts_with(own_prefixes[0]) ||
                         looks_like_token(request.single_header("token").value_or(""));
    if (is_ours) refuse(call, Status::too_many_requests, too_many, wait_seconds);
    return is_ours;
}

void Hhplus::refuse(Call& call, Status status, std::string_view error, std::int64_t retry_after) {
    net::Answer answer = begin_json(call, status);
    if (retry_after > 0) answer.header("Retry-After", static_cast<std::uint64_t>(retry_after));
    write_error(answer, error);
}

void Hhplus::unauthorized(Call& call) {
    refuse(call, Status::unauthorized, denied);
}

void Hhplus::unavailable(Call& call) {
    refuse(call, Status::unavailable, try_again, retry_seconds);
}

// What is not about the visitor is nobody's fault, and may be over soon.
void Hhplus::refuse(Call& call, Reason reason) {
    if (reason == Reason::unknown_number || reason == Reason::not_called) return unauthorized(call);
    const bool is_closed = reason == Reason::room_draining || reason == Reason::room_closed;
    refuse(call, Status::unavailable,
           reason == Reason::room_full ? full
           : is_closed                 ? closed
                                       : try_again,
           retry_seconds);
}

// `userId` says who it is; somebody we can trust must say so, or the original's trust is wanted.
std::optional<Hhplus::Person> Hhplus::person_of(Call& call) const {
    const std::optional<UserId> user =
        read_user_id(call.request().single_header("userid").value_or(""));
    if (!user) return std::nullopt;
    const Caller& caller = call.caller();
    if (!caller.user.empty()) {
        if (caller.user != visitor_of(*user)) return std::nullopt;
        return Person{.user = *user, .is_verified = true};
    }
    // A proxy passes on what its clients say; only who calls from a trusted address itself counts.
    if (!caller.is_backend && !options_.trusts_user_id) return std::nullopt;
    return Person{.user = *user, .is_verified = caller.is_backend};
}

// Null: nothing can be written now.
std::shared_ptr<HostedRoom> Hhplus::open_room() {
    Service& service = desk_.service();
    return service.is_writable() ? service.find_or_make(options_.room) : nullptr;
}

void Hhplus::issue(Call& call) {
    const std::optional<Person> person = person_of(call);
    if (!person) return unauthorized(call);
    if (const std::int64_t wait = person->is_verified ? 0 : desk_.join_wait(call); wait > 0)
        return refuse(call, Status::too_many_requests, too_many, wait);
    const std::shared_ptr<HostedRoom> room = open_room();
    if (!room) return unavailable(call);
    const std::string visitor = visitor_of(person->user);
    const Join join{.visitor = desk_.office().key_of(visitor),
                    .lane = lane_number(room->profile(), "").value_or(0)};
    desk_.submit(
        call, *room, join,
        [this, &room = *room, user = person->user](Call& asked, const Outcome& outcome) {
            const auto* standing = std::get_if<Standing>(&outcome);
            if (!standing) return refuse(asked, std::get<Refused>(outcome).reason);
            const std::optional<std::string> token = mint_token(
                desk_.office(), {.user = user, .room = room.index(), .number = standing->number});
            if (!token) return refuse(asked, Reason::room_full);
            compose(begin_json(asked, Status::ok).body(),
                    R"({"result":"SUCCESS","data":{"token":")", *token, R"("},"error":null})");
        },
        visitor);
}

std::optional<Hhplus::ShownToken> Hhplus::show_token(Call& call) {
    const std::optional<std::string_view> shown = call.request().single_header("token");
    if (!shown || !looks_like_token(*shown))
        return refuse(call, Status::bad_request, bad_request), std::nullopt;
    const std::optional<QueueToken> token = read_token(desk_.office(), *shown, call.unix_now());
    if (!token) return unauthorized(call), std::nullopt;
    const RoomSight found = desk_.visits().room_at(token->room);
    if (std::holds_alternative<NotHeard>(found)) return unavailable(call), std::nullopt;
    HostedRoom* const* room = std::get_if<HostedRoom*>(&found);
    if (!room || (*room)->id() != options_.room) return unauthorized(call), std::nullopt;
    return ShownToken{.token = *token,
                      .place = {.room = *room,
                                .number = token->number,
                                .holder = desk_.office().key_of(visitor_of(token->user))}};
}

void Hhplus::answer_rank(Call& call, const HostedRoom& room, const Sight& sight) const {
    if (std::holds_alternative<NotHeard>(sight)) return unavailable(call);
    const auto* stands = std::get_if<Stands>(&sight);
    if (!stands || !is_live(stands->standing.state)) return unauthorized(call);
    const Standing& standing = stands->standing;
    net::Answer answer = begin_json(call, Status::ok);
    if (is_inside(standing.state))
        return compose(
            answer.body(),
            R"({"result":"SUCCESS","data":{"status":"ACTIVE","rank":null},"error":null})");
    // The body is the original's; how soon to ask again is said beside it.
    const std::int64_t told = room.tell_to_ask_in(poll_after_seconds(standing.ahead), standing,
                                                  desk_.service().clock().now());
    answer.header("Retry-After", static_cast<std::uint64_t>(told));
    compose(answer.body(), R"({"result":"SUCCESS","data":{"status":"WAITING","rank":)",
            standing.ahead, R"(},"error":null})");
}

void Hhplus::rank(Call& call) {
    const std::optional<Person> person = person_of(call);
    if (!person) return unauthorized(call);
    const std::optional<ShownToken> shown = show_token(call);
    if (!shown) return;
    if (shown->token.user != person->user) return unauthorized(call);
    desk_.stand(call, shown->place,
                [this, room = shown->place.room](Call& asked, const Sight& sight) {
                    answer_rank(asked, *room, sight);
                });
}

bool Hhplus::may_tell_visits(Call& call) const {
    const Caller& caller = call.caller();
    if (caller.is_admin || caller.is_backend) return true;
    unauthorized(call);
    return false;
}

// The origin tells what became of the visit.
void Hhplus::tell(Call& call, const ShownToken& shown, const Command& command) {
    HostedRoom& room = *shown.place.room;
    const Sight sight = desk_.visits().glance(shown.place, call.now());
    // Whose place it is this copy has not heard yet, and the halves of the token may be of two.
    const bool is_unheard =
        shown.place.number > room.view().issued() && room.age(call.now()) > Millis{0};
    if (is_unheard || std::holds_alternative<NotHeard>(sight)) return unavailable(call);
    if (std::holds_alternative<OfAnother>(sight)) return unauthorized(call);
    desk_.submit(call, room, command, [](Call& asked, const Outcome& outcome) {
        if (const auto* refused = std::get_if<Refused>(&outcome))
            return refuse(asked, refused->reason);
        compose(begin_json(asked, Status::ok).body(), done);
    });
}

// Reserved again: the time begins again.
void Hhplus::reserved(Call& call) {
    if (!may_tell_visits(call)) return;
    const std::optional<ShownToken> shown = show_token(call);
    if (!shown) return;
    const Settings& settings = shown->place.room->view().settings();
    tell(call, *shown,
         SetLease{shown->place.number, std::min(options_.lease_reserved, settings.lease)});
}

void Hhplus::paid(Call& call) {
    if (!may_tell_visits(call)) return;
    if (const std::optional<ShownToken> shown = show_token(call))
        tell(call, *shown, Finish{shown->place.number});
}

// The origin tells what it stands now. Somebody must always go in: who wants nobody to pauses.
void Hhplus::batch(Call& call) {
    if (!may_tell_visits(call)) return;
    const std::optional<double> qps = read_qps(call.request().body);
    if (!qps) return refuse(call, Status::bad_request, bad_request);
    const std::shared_ptr<HostedRoom> room = open_room();
    // All settings are written: an old copy would undo what was changed elsewhere since.
    if (!room || room->age(call.now()) > limits::age_untold) return unavailable(call);
    OriginLoad load = options_.load;
    load.queries_per_second = *qps;
    Settings settings = room->view().settings();
    settings.admit_batch = std::clamp<std::int64_t>(
        batch_of(visitors_per_second(load, options_.margin), settings.admit_interval), 1,
        limits::count_max);
    desk_.note(call, {}, "batch", fmt::format("{}", settings.admit_batch));
    desk_.submit(call, *room, Configure{settings},
                 [this, room, size = settings.admit_batch](Call& asked, const Outcome& outcome) {
                     if (const auto* refused = std::get_if<Refused>(&outcome))
                         return refuse(asked, refused->reason);
                     desk_.service().publish(room);
                     compose(begin_json(asked, Status::ok).body(),
                             R"({"result":"SUCCESS","data":{"batch":)", size, R"(},"error":null})");
                 });
}

} // namespace anteroom::hhplus
