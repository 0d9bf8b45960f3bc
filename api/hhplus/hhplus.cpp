#include "api/hhplus/hhplus.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/hhplus/batch_body.h"
#include "api/json_answer.h"
#include "api/routes.h"
#include "engine/poll.h"
#include "net/output.h"
#include "service/pulse_json.h"

namespace anteroom::api::hhplus {
namespace {

using net::compose;
using net::Method;
using net::Status;

constexpr std::int64_t retry_seconds = 5;
constexpr std::string_view prefix = "/api/v1/queues/";

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

struct Hhplus::Rule {
    Route route;
    Method method;
    std::string_view path;
};

const Hhplus::Rule Hhplus::rules[] = {
    {Route::rank, Method::get, "/api/v1/queues/token/rank"},
    {Route::issue, Method::post, "/api/v1/queues/token"},
    {Route::reserved, Method::post, "/api/v1/queues/token/reserved"},
    {Route::paid, Method::post, "/api/v1/queues/token/paid"},
    {Route::batch, Method::post, "/api/v1/queues/batch"},
};

const Hhplus::Rule* Hhplus::find(std::string_view path) {
    for (const Rule& rule : rules)
        if (rule.path == path) return &rule;
    return nullptr;
}

bool Hhplus::owns(std::string_view path) const {
    return find(path) != nullptr;
}

bool Hhplus::handle(Ask& ask) {
    const Rule* rule = find(ask.request.path);
    if (!rule) return false;
    const Method method = ask.request.method == Method::head ? Method::get : ask.request.method;
    if (method == Method::options) return preflight(ask), true;
    if (method != rule->method) {
        net::Answer answer = begin(ask, Status::method_not_allowed);
        answer.header("Allow", api::name(rule->method));
        return write_error(answer, bad_method), true;
    }
    switch (rule->route) {
        case Route::issue: issue(ask); break;
        case Route::rank: rank(ask); break;
        case Route::reserved:
        case Route::paid: tell(ask, rule->route); break;
        case Route::batch: batch(ask); break;
    }
    return true;
}

// A backend calls for everybody: whose calls are they? The token says so, too, also before what the
// gate guards; not where whoever comes may have drawn it for anybody.
std::string Hhplus::user_of(const Ask& ask) {
    const Caller caller = desk_.identify(ask);
    if (!caller.user.empty()) return caller.user;
    const std::string_view shown = ask.request.single_header("token").value_or("");
    const std::optional<QueueToken> token = read_token(desk_.office(), shown, ask.unix_now());
    const bool is_proof = caller.is_backend || !options_.trusts_user_id;
    if (token && is_proof && is_holder(*token)) return visitor_of(token->user);
    if (!owns(ask.request.path)) return {};
    const std::optional<Person> person = person_of(ask);
    return person && person->is_verified ? visitor_of(person->user) : std::string();
}

// Whether the place is known to be this user's: a token's halves may be of two.
bool Hhplus::is_holder(const QueueToken& token) {
    const HostedRoom* room = desk_.service().rooms().find(options_.room);
    if (!room || token.room != room->index()) return false;
    const VisitorKey* holder = room->view().visitor(token.number);
    return holder && *holder == desk_.office().key_of(visitor_of(token.user));
}

// Of visits long over nobody is known any more; what the room says then is "over".
bool Hhplus::is_of_other(const HostedRoom& room, const QueueToken& token) const {
    const VisitorKey* holder = room.view().visitor(token.number);
    return holder && *holder != desk_.office().key_of(visitor_of(token.user));
}

bool Hhplus::over_limit(Ask& ask, std::int64_t wait_seconds) {
    const bool is_ours = ask.request.path.starts_with(prefix) ||
                         looks_like_token(ask.request.single_header("token").value_or(""));
    if (is_ours) refuse(ask, Status::too_many_requests, too_many, wait_seconds);
    return is_ours;
}

// Nobody has this path, but it is in our part of them.
bool Hhplus::miss(Ask& ask) {
    const bool is_ours = ask.request.path.starts_with(prefix);
    if (is_ours) refuse(ask, Status::not_found, no_path);
    return is_ours;
}

net::Answer Hhplus::begin(Ask& ask, Status status) {
    return begin_json(desk_, ask, status);
}

net::Answer Hhplus::begin(Later& later, Status status) {
    return begin_json(desk_, later, status);
}

void Hhplus::refuse(Ask& ask, Status status, std::string_view error, std::int64_t retry_after) {
    net::Answer answer = begin(ask, status);
    if (retry_after > 0) answer.header("Retry-After", static_cast<std::uint64_t>(retry_after));
    write_error(answer, error);
}

void Hhplus::unauthorized(Ask& ask) {
    refuse(ask, Status::unauthorized, denied);
}

void Hhplus::unauthorized(Later& later) {
    net::Answer answer = begin(later, Status::unauthorized);
    write_error(answer, denied);
}

void Hhplus::unavailable(Ask& ask) {
    refuse(ask, Status::unavailable, try_again, retry_seconds);
}

// What is not about the visitor is nobody's fault, and may be over soon.
void Hhplus::refuse(Later& later, Reason reason) {
    if (reason == Reason::unknown_number || reason == Reason::not_called)
        return unauthorized(later);
    net::Answer answer = begin(later, Status::unavailable);
    answer.header("Retry-After", static_cast<std::uint64_t>(retry_seconds));
    const bool is_closed = reason == Reason::room_draining || reason == Reason::room_closed;
    write_error(answer, reason == Reason::room_full ? full : is_closed ? closed : try_again);
}

void Hhplus::preflight(Ask& ask) {
    net::Answer answer = desk_.begin(ask, Status::no_content);
    if (!desk_.allowed_origin(ask.request).empty()) {
        answer.header("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
        answer.header("Access-Control-Allow-Headers", "Authorization, Content-Type, token, userId");
        answer.header("Access-Control-Max-Age", "3600");
    }
    answer.send();
}

// `userId` says who it is; somebody we can trust must say so, or the original's trust is wanted.
std::optional<Hhplus::Person> Hhplus::person_of(const Ask& ask) {
    const std::optional<UserId> user =
        read_user_id(ask.request.single_header("userid").value_or(""));
    if (!user) return std::nullopt;
    const Caller caller = desk_.identify(ask);
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

void Hhplus::issue(Ask& ask) {
    const std::optional<Person> person = person_of(ask);
    if (!person) return unauthorized(ask);
    if (const std::int64_t wait = person->is_verified ? 0 : desk_.join_wait(ask); wait > 0)
        return refuse(ask, Status::too_many_requests, too_many, wait);
    const std::shared_ptr<HostedRoom> room = open_room();
    if (!room) return unavailable(ask);
    const std::string visitor = visitor_of(person->user);
    const Join join{.visitor = desk_.office().key_of(visitor),
                    .lane = lane_number(room->profile(), "").value_or(0)};
    desk_.service().submit(
        *room, join, &desk_.loop(),
        [this, room, user = person->user,
         later = desk_.defer(ask)](const Outcome& outcome) mutable {
            const auto* standing = std::get_if<Standing>(&outcome);
            if (!standing) return refuse(later, std::get<Refused>(outcome).reason);
            const std::optional<std::string> token = mint_token(
                desk_.office(), {.user = user, .room = room->index(), .number = standing->number});
            if (!token) return refuse(later, Reason::room_full);
            compose(begin(later, Status::ok).body(), R"({"result":"SUCCESS","data":{"token":")",
                    *token, R"("},"error":null})");
        },
        visitor);
}

std::optional<Hhplus::Held> Hhplus::held_by(Ask& ask) {
    const std::optional<std::string_view> shown = ask.request.single_header("token");
    if (!shown || !looks_like_token(*shown))
        return refuse(ask, Status::bad_request, bad_request), std::nullopt;
    const std::optional<QueueToken> token = read_token(desk_.office(), *shown, ask.unix_now());
    const Rooms& rooms = desk_.service().rooms();
    HostedRoom* room = token ? rooms.find(options_.room) : nullptr;
    if (token && !room && rooms.may_come(token->room)) return unavailable(ask), std::nullopt;
    if (!room || token->room != room->index()) return unauthorized(ask), std::nullopt;
    // Who is not in an old copy may have come since.
    const bool is_new = token->number > room->view().issued();
    if (room->age(ask.now) > (is_new ? limits::age_untold : limits::age_max))
        return unavailable(ask), std::nullopt;
    if (is_of_other(*room, *token)) return unauthorized(ask), std::nullopt;
    return Held{.room = room, .token = *token};
}

void Hhplus::write_rank(net::Answer& answer, const HostedRoom& room, const Standing& standing) {
    if (is_inside(standing.state))
        return compose(
            answer.body(),
            R"({"result":"SUCCESS","data":{"status":"ACTIVE","rank":null},"error":null})");
    // The body is the original's; how soon to ask again is said beside it.
    const std::int64_t told =
        room.tell_to_ask_in(poll_after_seconds(PollPolicy::native, standing.ahead), standing,
                            desk_.service().clock().now());
    answer.header("Retry-After", static_cast<std::uint64_t>(told));
    compose(answer.body(), R"({"result":"SUCCESS","data":{"status":"WAITING","rank":)",
            standing.ahead, R"(},"error":null})");
}

void Hhplus::answer_rank(Later& later, const HostedRoom& room, const QueueToken& token,
                         const Outcome& outcome) {
    Standing standing = room.view().standing(token.number);
    if (const auto* told = std::get_if<Standing>(&outcome)) standing = *told;
    // The copy may have heard only now whose place it is.
    if (is_of_other(room, token)) return unauthorized(later);
    // Nothing can be written now; what was written before is still true.
    const auto* refused = std::get_if<Refused>(&outcome);
    const bool is_untold = token.number > room.view().issued() || !room.may_tell(standing);
    if (refused && refused->reason == Reason::unavailable && is_untold)
        return refuse(later, refused->reason);
    if (!is_live(standing.state)) return unauthorized(later);
    net::Answer answer = begin(later, Status::ok);
    write_rank(answer, room, standing);
}

void Hhplus::rank(Ask& ask) {
    const std::optional<Person> person = person_of(ask);
    if (!person) return unauthorized(ask);
    const std::optional<Held> held = held_by(ask);
    if (!held) return;
    if (held->token.user != person->user) return unauthorized(ask);
    const Number number = held->token.number;
    held->room->counters().note_poll();
    if (held->room->touch(number, ask.now)) {
        const Standing standing = held->room->view().standing(number);
        if (held->room->may_tell(standing)) {
            net::Answer answer = begin(ask, Status::ok);
            return write_rank(answer, *held->room, standing);
        }
    }
    // Called, or over, a moment ago: said when it is durable.
    const std::shared_ptr<HostedRoom> room = held->room->shared_from_this();
    desk_.service().submit(
        *room, Touch{number}, &desk_.loop(),
        [this, room, token = held->token, later = desk_.defer(ask)](
            const Outcome& outcome) mutable { answer_rank(later, *room, token, outcome); });
}

// The origin tells what became of the visit. Reserved again: the time begins again.
void Hhplus::tell(Ask& ask, Route route) {
    const Caller caller = desk_.identify(ask);
    if (!caller.is_admin && !caller.is_backend) return unauthorized(ask);
    const std::optional<Held> held = held_by(ask);
    if (!held) return;
    const std::shared_ptr<HostedRoom> room = held->room->shared_from_this();
    const Number number = held->token.number;
    // Whose place it is this copy has not heard yet, and the halves of the token may be of two.
    if (number > room->view().issued() && room->age(ask.now) > Millis{0}) return unavailable(ask);
    if (is_of_other(*room, held->token)) return unauthorized(ask); // It may have heard just now.
    const Millis lease = std::min(options_.lease_reserved, room->view().settings().lease);
    const Command command =
        route == Route::reserved ? Command{SetLease{number, lease}} : Command{Finish{number}};
    desk_.service().submit(*room, command, &desk_.loop(),
                           [this, later = desk_.defer(ask)](const Outcome& outcome) mutable {
                               if (const auto* refused = std::get_if<Refused>(&outcome))
                                   return refuse(later, refused->reason);
                               compose(begin(later, Status::ok).body(), done);
                           });
}

// The origin tells what it stands now. Somebody must always go in: who wants nobody to pauses.
void Hhplus::batch(Ask& ask) {
    const Caller caller = desk_.identify(ask);
    if (!caller.is_admin && !caller.is_backend) return unauthorized(ask);
    const std::optional<double> qps = read_qps(ask.request.body);
    if (!qps) return refuse(ask, Status::bad_request, bad_request);
    const std::shared_ptr<HostedRoom> room = open_room();
    // All settings are written: an old copy would undo what was changed elsewhere since.
    if (!room || room->age(ask.now) > limits::age_untold) return unavailable(ask);
    OriginLoad load = options_.load;
    load.queries_per_second = *qps;
    Settings settings = room->view().settings();
    settings.admit_batch = std::clamp<std::int64_t>(
        batch_of(visitors_per_second(load, options_.margin), settings.admit_interval), 1,
        limits::count_max);
    desk_.note(ask, caller, "batch", fmt::format("{}", settings.admit_batch));
    desk_.service().submit(*room, Configure{settings}, &desk_.loop(),
                           [this, room, size = settings.admit_batch,
                            later = desk_.defer(ask)](const Outcome& outcome) mutable {
                               if (const auto* refused = std::get_if<Refused>(&outcome))
                                   return refuse(later, refused->reason);
                               desk_.service().publish(room);
                               compose(begin(later, Status::ok).body(),
                                       R"({"result":"SUCCESS","data":{"batch":)", size,
                                       R"(},"error":null})");
                           });
}

} // namespace anteroom::api::hhplus
