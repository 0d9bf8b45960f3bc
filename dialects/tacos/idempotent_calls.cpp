// The caller of a POST, and whether the same call was made before.
#include <fmt/format.h>

#include "base/text.h"
#include "dialects/tacos/body.h"
#include "dialects/tacos/tacos.h"
#include "net/loop.h"
#include "net/text.h"
#include "token/hmac.h"
#include "token/secret.h"

namespace anteroom::tacos {
namespace {

bool is_true(const net::Request& request, std::string_view header) {
    return net::equals_lower(request.single_header(header).value_or(""), "true");
}

// The original draws lots; here a repeated call has the same user.
std::string test_user(const net::Request& request, const std::optional<IdempotencyKey>& key) {
    if (is_true(request, "x-dev-mode")) return "dev-user-123";
    if (!is_true(request, "x-load-test")) return {};
    if (key) return "load-test-user-" + to_hex(*key);
    const std::optional<token::VisitorId> lot = token::VisitorBook::new_visitor();
    return lot ? fmt::format("load-test-user-{}", lot->text().view()) : std::string();
}

// The headers that tell one call of `verify` from another: the user and the token that an origin
// passes on.
std::string proof_of(const net::Request& request, Operation operation) {
    if (operation != Operation::verify) return {};
    const std::optional<Body> body = read_body(request.body);
    const bool is_in_body = body && !body->reservation_token.empty();
    return fmt::format("\n{}\n{}", request.single_header("x-user-id").value_or(""),
                       is_in_body ? std::string_view() : anteroom::bearer(request));
}

// The error of a call that cannot be executed now.
const Error& failure_of(Operation operation) {
    switch (operation) {
        case Operation::join: return errors::join_failed;
        case Operation::enter: return errors::grant_failed;
        default: return errors::verify_failed;
    }
}

// The body of an error, with the id of the request that it answers now.
std::string with_trace_id(std::string_view body, std::string_view id) {
    constexpr std::string_view member = R"("trace_id":")";
    const std::size_t at = body.rfind(member);
    if (at == body.npos) return std::string(body);
    return fmt::format(R"({}{}{}"}}}})", body.substr(0, at), member, id);
}

} // namespace

// The user of a token of system T's own login; nothing: the token is not valid. Only a token in the
// Authorization header counts, never a cookie, and X-User-Role of a trusted proxy goes before it:
// so login() names no dialect, and Call::caller() verifies the house's tokens only.
std::optional<token::AccessUser> Tacos::login_of(const Call& call) {
    const std::string_view shown = anteroom::bearer(call.request());
    token::AccessVerifier* login = office().login_of("tacos");
    if (shown.empty() || !login) return std::nullopt;
    const token::AccessVerdict verdict = login->verify(shown, call.unix_now());
    const auto* user = std::get_if<token::AccessUser>(&verdict);
    return user ? std::optional(*user) : std::nullopt;
}

std::string Tacos::user_of(Call& call, bool) {
    const std::optional<token::AccessUser> user = login_of(call);
    return user ? std::string(user->user_id) : std::string();
}

// As everywhere, and by a token of system T's own login, or of its tests.
Tacos::Caller Tacos::identify(Call& call, const std::optional<IdempotencyKey>& key) {
    Caller caller{call.caller(), key};
    const std::string_view shown = anteroom::bearer(call.request());
    if (caller.is_admin || !caller.has_token) return caller;
    if (!options().test_token.empty() &&
        token::equal_in_constant_time(token::bytes_of(shown),
                                      token::bytes_of(options().test_token))) {
        caller.user = test_user(call.request(), key);
        return caller;
    }
    if (const auto user = login_of(call)) {
        caller.user = user->user_id;
        caller.is_admin = net::equals_lower(user->role, "admin");
        caller.has_token = false;
    }
    return caller;
}

// What is wrong with the call's key; null: nothing, though there may be none.
const Error* Tacos::read_key(const Call& call, Operation operation,
                             std::optional<IdempotencyKey>& key) const {
    const net::Request& request = call.request();
    const std::optional<std::string_view> text = request.single_header("idempotency-key");
    const bool is_twice = !text && request.header("idempotency-key");
    if (text) key = parse_uuid(*text);
    if (is_twice || (text && !text->empty() && !key)) return &errors::invalid_idempotency_key;
    const bool may_lack = operation == Operation::verify; // Origins need not know the custom.
    if (!key && options().requires_idempotency_key && !may_lack)
        return &errors::idempotency_required;
    return nullptr;
}

void Tacos::post(Call& call, const Limit& limit, Operation operation, PostHandler handler) {
    PendingCall pending{
        .call = std::move(call), .limit = limit, .operation = operation, .lock = {}};
    std::optional<IdempotencyKey> key;
    if (const Error* fault = read_key(pending.call, operation, key)) return refuse(pending, *fault);
    const Caller caller = identify(pending.call, key);
    if (operation == Operation::verify && !caller.is_backend && !caller.is_admin)
        return refuse(pending, errors::not_a_backend);
    if (key && !is_first(caller, pending)) return;
    (this->*handler)(std::move(pending), caller);
}

// Whether the call is to be executed. If not it is answered, or waits for the answer to the first.
bool Tacos::is_first(const Caller& caller, PendingCall& pending) {
    using Book = IdempotencyBook;
    const net::Request& request = pending.call.request();
    const token::Digest fingerprint =
        shared_.book->fingerprint(request.method_text, request.path, request.query, request.body,
                                  caller.user + proof_of(request, pending.operation));
    const std::uint64_t id = parked_->next_id++;
    Book::Verdict verdict =
        shared_.book->begin(*caller.key, fingerprint, pending.call.now(), park(id));
    if (std::holds_alternative<Book::Conflict>(verdict))
        return refuse(pending, errors::idempotency_conflict), false;
    if (std::holds_alternative<Book::Full>(verdict))
        return refuse(pending, failure_of(pending.operation)), false;
    const bool waits = std::holds_alternative<Book::Waits>(verdict);
    if (std::holds_alternative<Book::Crowded>(verdict) ||
        (waits && parked_->calls.size() >= ParkedCalls::count_max))
        return refuse(pending, errors::duplicate_request), false;
    if (waits) {
        pending.call.defer();
        parked_->calls.emplace(id, std::move(pending));
        return false;
    }
    const auto* answered = std::get_if<std::shared_ptr<const Book::Answer>>(&verdict);
    // A grant is repeated for as long as it lives; after that the room is asked.
    if (answered && (pending.operation != Operation::enter || is_granted(pending.call))) {
        shared_.figures.note(pending.operation, true);
        shared_.figures.replayed.fetch_add(1, std::memory_order_relaxed);
        return write(pending, (*answered)->status, (*answered)->body, true), false;
    }
    shared_.figures.executed.fetch_add(1, std::memory_order_relaxed);
    if (auto* lock = std::get_if<Book::Lock>(&verdict)) pending.lock.emplace(std::move(*lock));
    return true;
}

// The first call may be answered on another loop, and this one may be gone by then.
IdempotencyBook::OnAnswer Tacos::park(std::uint64_t id) {
    return [weak = std::weak_ptr(parked_),
            id](const std::shared_ptr<const IdempotencyBook::Answer>& first) {
        const std::shared_ptr<ParkedCalls> parked = weak.lock();
        if (!parked) return;
        parked->tacos.desk_.loop().post([weak, id, first] {
            if (const std::shared_ptr<ParkedCalls> alive = weak.lock())
                alive->tacos.wake(id, first);
        });
    };
}

void Tacos::wake(std::uint64_t id, const std::shared_ptr<const IdempotencyBook::Answer>& first) {
    const auto found = parked_->calls.find(id);
    if (found == parked_->calls.end()) return;
    PendingCall pending = std::move(found->second);
    parked_->calls.erase(found);
    if (!first) return refuse(pending, errors::duplicate_request);
    const bool succeeded = net::code(first->status) < 400;
    shared_.figures.note(pending.operation, succeeded);
    shared_.figures.replayed.fetch_add(1, std::memory_order_relaxed);
    write(pending, first->status, with_trace_id(first->body, pending.call.request_id().view()),
          succeeded);
}

} // namespace anteroom::tacos
