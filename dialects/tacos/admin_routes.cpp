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

bool Tacos::is_admin(Ask& ask, const Limit& limit) {
    const Caller caller = identify(ask, std::nullopt);
    if (caller.is_admin) return true;
    const std::string_view given = ask.request.single_header("authorization").value_or("");
    const bool is_bearer = net::equals_lower(given.substr(0, given.find(' ')), "bearer");
    const Error& why = !caller.user.empty()                    ? errors::access_denied
                       : given.empty()                         ? errors::missing_authorization
                       : !is_bearer                            ? errors::invalid_token_format
                       : anteroom::bearer(ask.request).empty() ? errors::missing_token
                                                               : errors::invalid_token;
    refuse(ask, limit, why);
    return false;
}

// "redis" is where the rooms are kept, whatever that is.
void Tacos::admin_health(Ask& ask, const Limit& limit) {
    if (!is_admin(ask, limit)) return;
    const bool well = service().is_writable();
    net::Answer answer = begin(ask, limit, well ? Status::ok : Status::unavailable);
    compose(answer.body(), std::string_view(well ? R"({"status":"healthy","redis":"healthy"})"
                                                 : R"({"status":"unhealthy","redis":"unhealthy",)"
                                                   R"("error":"nothing can be written"})"));
}

void Tacos::admin_stats(Ask& ask, const Limit& limit) {
    if (!is_admin(ask, limit)) return;
    std::uint64_t waiting = 0, inside = 0;
    const auto rooms = events_of(service());
    for (const std::shared_ptr<HostedRoom>& room : rooms) {
        waiting += room->view().waiting();
        inside += room->view().inside();
    }
    net::Answer answer = begin(ask, limit, Status::ok);
    compose(answer.body(), R"({"success":true,"info":"rooms:)", rooms.size(), R"( waiting:)",
            waiting, R"( inside:)", inside, R"(","key_count":{"queue:*":)", waiting + inside,
            R"(,"idempotency:*":)", shared_.book->size(), "}}");
}

void Tacos::admin_flush(Ask& ask, const Limit& limit) {
    if (!is_admin(ask, limit)) return;
    const std::string& prefix = options().flush_prefix;
    if (prefix.empty()) return refuse(ask, limit, errors::flush_disabled);
    if (!service().is_writable()) return refuse(ask, limit, errors::flush_failed);
    // Counts the rooms that are not done yet; the last one answers, on this loop.
    struct Flush {
        Later later;
        Limit limit;
        std::uint64_t left = 0, ended = 0, failed = 0;
    };
    auto flush = std::make_shared<Flush>(Flush{.later = desk_.defer(ask), .limit = limit});
    std::vector<std::shared_ptr<HostedRoom>> rooms = events_of(service());
    std::erase_if(rooms, [&](const std::shared_ptr<HostedRoom>& room) {
        return prefix != "*" && !room->id().starts_with(prefix);
    });
    desk_.note(ask, identify(ask, std::nullopt), "flush", prefix);
    const auto finish = [this](Flush& all) {
        if (--all.left > 0) return;
        PendingCall call{
            .later = std::move(all.later), .limit = all.limit, .operation = {}, .lock = {}};
        net::Output body;
        compose(body, R"({"success":)", std::string_view(all.failed == 0 ? "true" : "false"),
                R"(,"total_deleted_keys":)", all.ended, R"(,"deleted_by_pattern":{"queue:*":)",
                all.ended, R"(},"message":")",
                std::string_view(all.failed == 0 ? "Test data flushed successfully"
                                                 : "Some events could not be flushed"),
                R"("})");
        write(call, all.failed == 0 ? Status::ok : Status::unavailable, {body.data(), body.size()},
              false);
    };
    flush->left = rooms.size() + 1;
    for (const std::shared_ptr<HostedRoom>& room : rooms)
        service().submit(*room, Clear{}, &desk_.loop(), [flush, finish, room](const Outcome& done) {
            if (const auto* ended = std::get_if<Done>(&done))
                flush->ended += ended->expired;
            else
                ++flush->failed;
            finish(*flush);
        });
    finish(*flush);
}

void Tacos::health(Ask& ask) {
    net::Answer answer = begin(ask, {}, Status::ok);
    compose(answer.body(), R"({"status":"healthy","timestamp":")", timestamp(ask.now),
            R"(","service":"gateway-api"})");
}

void Tacos::ready(Ask& ask) {
    const bool stopping = desk_.shared().stopping.load(std::memory_order_relaxed);
    const bool well = !stopping && service().is_writable();
    net::Answer answer = begin(ask, {}, well ? Status::ok : Status::unavailable);
    if (well)
        return compose(answer.body(), R"({"status":"ready","timestamp":")", timestamp(ask.now),
                       R"(","service":"gateway-api"})");
    compose(answer.body(), R"({"status":"not ready","reason":")",
            std::string_view(stopping ? "shutting down" : "redis unavailable"), R"(","error":")",
            std::string_view(stopping ? "no new visitors" : "nothing can be written"),
            R"(","timestamp":")", timestamp(ask.now), R"("})");
}

void Tacos::version(Ask& ask) {
    net::Answer answer = begin(ask, {}, Status::ok);
    compose(answer.body(), R"({"service":"gateway-api","version":)");
    append_json_string(answer.body(), options().version);
    compose(answer.body(), R"(,"commit":"unknown","built":"unknown"})");
}

} // namespace anteroom::tacos
