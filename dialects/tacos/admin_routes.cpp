// What operators and probes of system T ask.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/json_text.h"
#include "dialects/tacos/tacos.h"
#include "net/output.h"
#include "net/text.h"

namespace anteroom::tacos {
namespace {

using net::compose;
using net::Status;

std::string timestamp(Instant now) {
    const std::time_t whole = unix_seconds(now);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(whole), now.ms % 1'000);
}

// The events of system T; other systems' rooms are none of its business.
std::vector<std::shared_ptr<HostedRoom>> events_of(Service& service) {
    std::vector<std::shared_ptr<HostedRoom>> rooms = service.rooms().all();
    std::erase_if(
        rooms, [](const std::shared_ptr<HostedRoom>& room) { return !is_event(room->profile()); });
    return rooms;
}

} // namespace

// Nothing: the call is answered.
std::optional<Tacos::Caller> Tacos::admin_of(Call& call, const Limit& limit) {
    const net::Request& request = call.request();
    Caller caller = identify(call);
    if (caller.is_admin) return caller;
    const std::string_view given = request.single_header("authorization").value_or("");
    const bool is_bearer = net::equals_lower(given.substr(0, given.find(' ')), "bearer");
    const Error& why = !caller.user.empty()                ? errors::access_denied
                       : given.empty()                     ? errors::missing_authorization
                       : !is_bearer                        ? errors::invalid_token_format
                       : anteroom::bearer(request).empty() ? errors::missing_token
                                                           : errors::invalid_token;
    refuse(call, limit, why);
    return std::nullopt;
}

// "redis" is where the rooms are kept, whatever store that is.
void Tacos::admin_health(Call& call, const Limit& limit) {
    if (!admin_of(call, limit)) return;
    const bool well = service().is_writable();
    net::Answer answer = begin(call, limit, well ? Status::ok : Status::unavailable);
    compose(answer.body(), std::string_view(well ? R"({"status":"healthy","redis":"healthy"})"
                                                 : R"({"status":"unhealthy","redis":"unhealthy",)"
                                                   R"("error":"nothing can be written"})"));
}

void Tacos::admin_stats(Call& call, const Limit& limit) {
    if (!admin_of(call, limit)) return;
    std::uint64_t waiting = 0, inside = 0;
    const auto rooms = events_of(service());
    for (const std::shared_ptr<HostedRoom>& room : rooms) {
        waiting += room->view().waiting();
        inside += room->view().inside();
    }
    net::Answer answer = begin(call, limit, Status::ok);
    compose(answer.body(), R"({"success":true,"info":"rooms:)", rooms.size(), R"( waiting:)",
            waiting, R"( inside:)", inside, R"(","key_count":{"queue:*":)", waiting + inside,
            R"(,"idempotency:*":)", shared_.book->size(), "}}");
}

// All rooms are cleared at the same time; the last one that is done answers, on this loop.
struct Tacos::Flush {
    Call call;
    Limit limit;
    std::vector<std::shared_ptr<HostedRoom>> rooms;
    std::uint64_t left = 0, ended = 0, failed = 0;
};

void Tacos::admin_flush(Call& call, const Limit& limit) {
    const std::optional<Caller> admin = admin_of(call, limit);
    if (!admin) return;
    const std::string& prefix = options().flush_prefix;
    if (prefix.empty()) return refuse(call, limit, errors::flush_disabled);
    if (!service().is_writable()) return refuse(call, limit, errors::flush_failed);
    std::vector<std::shared_ptr<HostedRoom>> rooms = events_of(service());
    std::erase_if(rooms, [&](const std::shared_ptr<HostedRoom>& room) {
        return prefix != "*" && !room->id().starts_with(prefix);
    });
    // Desk::note() would name the caller of the house, not of system T's login.
    service().note({.at = call.now(),
                    .actor = admin->user.empty() ? "admin" : admin->user,
                    .address = to_string(call.request().client_address()),
                    .room = {},
                    .action = "flush",
                    .detail = prefix});
    call.defer();
    flush(std::make_shared<Flush>(
        Flush{.call = std::move(call), .limit = limit, .rooms = std::move(rooms)}));
}

void Tacos::flush(const std::shared_ptr<Flush>& flush) {
    flush->left = flush->rooms.size();
    if (flush->left == 0) return answer_flush(*flush);
    for (const std::shared_ptr<HostedRoom>& room : flush->rooms)
        service().submit(*room, Clear{}, &desk_.loop(), [this, flush](const Outcome& outcome) {
            if (const auto* done = std::get_if<Done>(&outcome))
                flush->ended += done->expired;
            else
                ++flush->failed;
            if (--flush->left == 0) answer_flush(*flush);
        });
}

void Tacos::answer_flush(Flush& flush) {
    const bool well = flush.failed == 0;
    net::Answer answer = begin(flush.call, flush.limit, well ? Status::ok : Status::unavailable);
    compose(answer.body(), R"({"success":)", std::string_view(well ? "true" : "false"),
            R"(,"total_deleted_keys":)", flush.ended, R"(,"deleted_by_pattern":{"queue:*":)",
            flush.ended, R"(},"message":")",
            std::string_view(well ? "Test data flushed successfully"
                                  : "Some events could not be flushed"),
            R"("})");
}

void Tacos::health(Call& call, const Limit& limit) {
    net::Answer answer = begin(call, limit, Status::ok);
    compose(answer.body(), R"({"status":"healthy","timestamp":")", timestamp(call.now()),
            R"(","service":"gateway-api"})");
}

void Tacos::ready(Call& call, const Limit& limit) {
    const bool well = desk_.is_ready();
    net::Answer answer = begin(call, limit, well ? Status::ok : Status::unavailable);
    if (well)
        return compose(answer.body(), R"({"status":"ready","timestamp":")", timestamp(call.now()),
                       R"(","service":"gateway-api"})");
    const bool stopping = desk_.shared().stopping.load(std::memory_order_relaxed);
    compose(answer.body(), R"({"status":"not ready","reason":")",
            std::string_view(stopping ? "shutting down" : "redis unavailable"), R"(","error":")",
            std::string_view(stopping ? "no new visitors" : "nothing can be written"),
            R"(","timestamp":")", timestamp(call.now()), R"("})");
}

void Tacos::version(Call& call, const Limit& limit) {
    net::Answer answer = begin(call, limit, Status::ok);
    compose(answer.body(), R"({"service":"gateway-api","version":)");
    append_json_string(answer.body(), options().version);
    compose(answer.body(), R"(,"commit":"unknown","built":"unknown"})");
}

} // namespace anteroom::tacos
