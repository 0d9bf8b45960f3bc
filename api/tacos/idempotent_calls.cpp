// Who calls, and whether the same call was made before.
#include <fmt/format.h>

#include "api/tacos/body.h"
#include "api/tacos/tacos.h"
#include "base/text.h"
#include "net/loop.h"
#include "net/text.h"
#include "token/hmac.h"
#include "token/secret.h"

namespace anteroom::api::tacos {
namespace {

bool is_true(const Ask& ask, std::string_view header) {
    return net::equals_lower(ask.request.single_header(header).value_or(""), "true");
}

// The original draws lots; here a repeated call has the same user.
std::string test_user(const Ask& ask, const std::optional<IdempotencyKey>& key) {
    if (is_true(ask, "x-dev-mode")) return "dev-user-123";
    if (!is_true(ask, "x-load-test")) return {};
    if (key) return "load-test-user-" + to_hex(*key);
    const std::optional<token::VisitorId> lot = token::VisitorBook::new_visitor();
    return lot ? fmt::format("load-test-user-{}", lot->text().view()) : std::string();
}

// What a call is about that is not in its path or body: what an origin passes on to be verified.
std::string proof_of(const Ask& ask, Operation operation) {
    if (operation != Operation::verify) return {};
    const std::optional<Body> body = read_body(ask.request.body);
    const bool is_in_body = body && !body->reservation_token.empty();
    return fmt::format("\n{}\n{}", ask.request.single_header("x-user-id").value_or(""),
                       is_in_body ? std::string_view() : api::bearer(ask.request));
}

// What is said of a call that cannot be made now.
const Error& failure_of(Operation operation) {
    switch (operation) {
        case Operation::join: return errors::join_failed;
        case Operation::enter: return errors::grant_failed;
        default: return errors::verify_failed;
    }
}

// What is said of an error, with the id of who hears it.
std::string with_trace_id(std::string_view body, std::string_view id) {
    constexpr std::string_view member = R"("trace_id":")";
    const std::size_t at = body.rfind(member);
    if (at == body.npos) return std::string(body);
    return fmt::format(R"({}{}{}"}}}})", body.substr(0, at), member, id);
}

} // namespace

// Whom a token of system T's own login names; nothing: nobody.
std::optional<token::AccessUser> Tacos::login_of(const Ask& ask) {
    const std::string_view shown = api::bearer(ask.request);
    std::optional<token::AccessVerifier>& login = office().tacos_access;
    if (shown.empty() || !login) return std::nullopt;
    const token::AccessVerdict verdict = login->verify(shown, ask.unix_now());
    const auto* user = std::get_if<token::AccessUser>(&verdict);
    return user ? std::optional(*user) : std::nullopt;
}

std::string Tacos::user_of(const Ask& ask) {
    const std::optional<token::AccessUser> user = login_of(ask);
    return user ? std::string(user->user_id) : std::string();
}

// As everywhere, and by a token of system T's own login, or of its tests.
Tacos::Caller Tacos::identify(const Ask& ask, const std::optional<IdempotencyKey>& key) {
    Caller caller{desk_.identify(ask), key};
    const std::string_view shown = api::bearer(ask.request);
    if (caller.is_admin || !caller.has_token) return caller;
    if (!options().test_token.empty() &&
        token::equal_in_constant_time(token::bytes_of(shown),
                                      token::bytes_of(options().test_token))) {
        caller.user = test_user(ask, key);
        return caller;
    }
    if (const auto user = login_of(ask)) {
        caller.user = user->user_id;
        caller.is_admin = net::equals_lower(user->role, "admin");
        caller.has_token = false;
    }
    return caller;
}

// What is wrong with the call's key; null: nothing, though there may be none.
const Error* Tacos::read_key(const Ask& ask, Route route,
                             std::optional<IdempotencyKey>& key) const {
    const bool is_ours = route == Route::verify; // Origins need not know the custom.
    const std::optional<std::string_view> text = ask.request.single_header("idempotency-key");
    const bool is_twice = !text && ask.request.header("idempotency-key");
    if (text) key = parse_uuid(*text);
    if (is_twice || (text && !text->empty() && !key)) return &errors::invalid_idempotency_key;
    if (!key && options().requires_idempotency_key && !is_ours)
        return &errors::idempotency_required;
    return nullptr;
}

void Tacos::post(Ask& ask, const Limit& limit, Route route) {
    const Operation operation = route == Route::join    ? Operation::join
                                : route == Route::enter ? Operation::enter
                                                        : Operation::verify;
    const auto fail = [&](const Error& error) {
        shared_.figures.note(operation, false);
        refuse(ask, limit, error);
    };
    std::optional<IdempotencyKey> key;
    if (const Error* fault = read_key(ask, route, key)) return fail(*fault);
    const Caller caller = identify(ask, key);
    if (route == Route::verify && !caller.is_backend && !caller.is_admin)
        return fail(errors::not_a_backend);
    PendingCall call = defer(ask, limit, operation);
    if (key && !is_first(ask, caller, call)) return;
    switch (route) {
        case Route::join: return join(ask, caller, std::move(call));
        case Route::enter: return enter(ask, std::move(call));
        default: return verify(ask, caller, std::move(call));
    }
}

// Whether the call is to be made. If not it is answered, or waits for the answer.
bool Tacos::is_first(const Ask& ask, const Caller& caller, PendingCall& call) {
    using Book = IdempotencyBook;
    const token::Digest fingerprint =
        shared_.book->fingerprint(ask.request.method_text, ask.request.path, ask.request.query,
                                  ask.request.body, caller.user + proof_of(ask, call.operation));
    const std::uint64_t id = parked_->next_id++;
    Book::Verdict verdict = shared_.book->begin(*caller.key, fingerprint, ask.now, park(id));
    if (std::holds_alternative<Book::Conflict>(verdict))
        return refuse(call, errors::idempotency_conflict), false;
    if (std::holds_alternative<Book::Full>(verdict))
        return refuse(call, failure_of(call.operation)), false;
    const bool waits = std::holds_alternative<Book::Waits>(verdict);
    if (std::holds_alternative<Book::Crowded>(verdict) ||
        (waits && parked_->calls.size() >= Parked::calls_max))
        return refuse(call, errors::duplicate_request), false;
    if (waits) return parked_->calls.emplace(id, std::move(call)), false;
    const auto* answered = std::get_if<std::shared_ptr<const Book::Answer>>(&verdict);
    // A grant is repeated for as long as it lives; after that the room is asked.
    if (answered && (call.operation != Operation::enter || is_granted(ask))) {
        shared_.figures.note(call.operation, true);
        shared_.figures.replayed.fetch_add(1, std::memory_order_relaxed);
        return write(call, (*answered)->status, (*answered)->body, true), false;
    }
    shared_.figures.executed.fetch_add(1, std::memory_order_relaxed);
    if (auto* lock = std::get_if<Book::Lock>(&verdict)) call.lock.emplace(std::move(*lock));
    return true;
}

// The first call may be answered on another loop, and this one may be gone by then.
IdempotencyBook::OnAnswer Tacos::park(std::uint64_t id) {
    return [weak = std::weak_ptr(parked_),
            id](const std::shared_ptr<const IdempotencyBook::Answer>& first) {
        const std::shared_ptr<Parked> parked = weak.lock();
        if (!parked) return;
        parked->tacos.desk_.loop().post([weak, id, first] {
            if (const std::shared_ptr<Parked> alive = weak.lock()) alive->tacos.wake(id, first);
        });
    };
}

void Tacos::wake(std::uint64_t id, const std::shared_ptr<const IdempotencyBook::Answer>& first) {
    const auto found = parked_->calls.find(id);
    if (found == parked_->calls.end()) return;
    PendingCall call = std::move(found->second);
    parked_->calls.erase(found);
    if (!first) return refuse(call, errors::duplicate_request);
    const bool succeeded = net::code(first->status) < 400;
    shared_.figures.note(call.operation, succeeded);
    shared_.figures.replayed.fetch_add(1, std::memory_order_relaxed);
    write(call, first->status, with_trace_id(first->body, call.later.request_id.view()), succeeded);
}

} // namespace anteroom::api::tacos
