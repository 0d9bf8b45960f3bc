// Who calls, and whether the same call was made before.
#include <fmt/format.h>

#include "api/tacos/tacos.h"
#include "net/text.h"
#include "token/hmac.h"

namespace anteroom::api::tacos {
namespace {

bool is_true(const Ask& ask, std::string_view header) {
    return net::equals_lower(ask.request.single_header(header).value_or(""), "true");
}

// The original draws lots; here a repeated call has the same user.
std::string test_user(const Ask& ask, const std::optional<IdempotencyKey>& key) {
    if (is_true(ask, "x-dev-mode")) return "dev-user-123";
    if (!is_true(ask, "x-load-test")) return {};
    if (key) return fmt::format("load-test-user-{}", token::load_number<4>(key->data()));
    const std::optional<token::VisitorId> lot = token::VisitorBook::new_visitor();
    return lot ? fmt::format("load-test-user-{}", lot->text().view()) : std::string();
}

// What is said of an error, with the id of who hears it.
std::string with_trace_id(std::string_view body, std::string_view id) {
    constexpr std::string_view member = R"("trace_id":")";
    const std::size_t at = body.rfind(member);
    if (at == body.npos) return std::string(body);
    return fmt::format(R"({}{}{}"}}}})", body.substr(0, at), member, id);
}

} // namespace

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
    if (!office().tacos_access) return caller;
    const token::AccessVerdict verdict = office().tacos_access->verify(shown, ask.unix_now());
    if (const auto* user = std::get_if<token::AccessUser>(&verdict)) {
        caller.user = user->user_id;
        caller.is_admin = net::equals_lower(user->role, "admin");
        caller.has_token = false;
    }
    return caller;
}

void Tacos::post(Ask& ask, const Limit& limit, Route route) {
    const bool is_ours = route == Route::verify; // Origins need not know the custom.
    const std::optional<std::string_view> text = ask.request.single_header("idempotency-key");
    const bool is_twice = !text && ask.request.header("idempotency-key");
    std::optional<IdempotencyKey> key;
    if (text) key = parse_uuid(*text);
    if (is_twice || (text && !text->empty() && !key))
        return refuse(ask, limit, errors::invalid_idempotency_key);
    if (!key && options().requires_idempotency_key && !is_ours)
        return refuse(ask, limit, errors::idempotency_required);

    const Caller caller = identify(ask, key);
    const Operation operation = route == Route::join    ? Operation::join
                                : route == Route::enter ? Operation::enter
                                                        : Operation::verify;
    if (route == Route::verify && !caller.is_backend && !caller.is_admin) {
        shared_.figures.note(operation, false);
        return refuse(ask, limit, errors::not_a_backend);
    }
    Call call = defer(ask, limit, operation);
    if (key) {
        const token::Digest fingerprint =
            shared_.book->fingerprint(ask.request.method_text, ask.request.path, ask.request.query,
                                      ask.request.body, caller.user);
        const std::uint64_t id = parked_->next_id++;
        IdempotencyBook::Verdict verdict =
            shared_.book->begin(*key, fingerprint, ask.now, park(id));
        if (std::holds_alternative<IdempotencyBook::Conflict>(verdict))
            return refuse(call, errors::idempotency_conflict);
        if (std::holds_alternative<IdempotencyBook::Full>(verdict))
            return refuse(call, errors::duplicate_request);
        if (std::holds_alternative<IdempotencyBook::Waits>(verdict)) {
            if (parked_->calls.size() >= Parked::calls_max)
                return refuse(call, errors::duplicate_request);
            parked_->calls.emplace(id, std::move(call));
            return;
        }
        if (const auto* first =
                std::get_if<std::shared_ptr<const IdempotencyBook::Answer>>(&verdict)) {
            shared_.figures.replayed.fetch_add(1, std::memory_order_relaxed);
            return write(call, (*first)->status, (*first)->body, true);
        }
        shared_.figures.executed.fetch_add(1, std::memory_order_relaxed);
        call.hold.emplace(std::get<IdempotencyBook::Hold>(std::move(verdict)));
    }
    switch (route) {
        case Route::join: return join(ask, caller, std::move(call));
        case Route::enter: return enter(ask, std::move(call));
        default: return verify(ask, caller, std::move(call));
    }
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
    Call call = std::move(found->second);
    parked_->calls.erase(found);
    if (!first) return refuse(call, errors::duplicate_request);
    const bool succeeded = net::code(first->status) < 400;
    shared_.figures.note(call.operation, succeeded);
    shared_.figures.replayed.fetch_add(1, std::memory_order_relaxed);
    write(call, first->status, with_trace_id(first->body, call.later.request_id.view()), succeeded);
}

} // namespace anteroom::api::tacos
