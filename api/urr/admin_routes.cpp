// What operators of system U ask: the switch and the counter of tier 1, the limit of tier 2.
#include <boost/json.hpp>

#include "api/urr/urr.h"
#include "base/text.h"
#include "net/output.h"
#include "net/url.h"

namespace anteroom::api::urr {
namespace {

using net::compose;
using net::Status;

constexpr std::string_view cleared = R"({"message":"Queue cleared"})";

enum class Given : std::uint8_t { nothing, number, nonsense };

// A member of the body that is a whole number.
Given read_member(std::string_view body, const char* name, std::int64_t& value) {
    if (body.empty()) return Given::nothing;
    boost::json::error_code error;
    const boost::json::value json = boost::json::parse(body, error);
    if (error || !json.is_object()) return Given::nonsense;
    const boost::json::value* member = json.as_object().if_contains(name);
    if (!member || member->is_null()) return Given::nothing;
    if (!member->is_int64()) return Given::nonsense;
    value = member->as_int64();
    return Given::number;
}

} // namespace

void Urr::admin_read(Ask& ask) {
    const HostedRoom* room = desk_.service().rooms().find(ask.room_id);
    const Settings& settings =
        room ? room->view().settings() : desk_.service().options().defaults.rules;
    const std::int64_t inside = room ? static_cast<std::int64_t>(room->view().inside()) : 0;
    net::Answer answer = begin(ask, Status::ok);
    compose(answer.body(), R"({"eventId":")", ask.room_id, R"(","queueSize":)",
            room ? room->view().waiting() : 0, R"(,"currentUsers":)", inside, R"(,"threshold":)",
            settings.capacity, R"(,"available":)",
            std::max<std::int64_t>(0, settings.capacity - inside), "}");
}

void Urr::admin_clear(Ask& ask, const Caller& caller) {
    HostedRoom* found = desk_.service().rooms().find(ask.room_id);
    if (!found) return compose(begin(ask, Status::ok).body(), cleared);
    const std::optional<net::Query> query = net::Query::parse(ask.request.query);
    const std::string* reset = query ? query->find("resetThreshold") : nullptr;
    const std::shared_ptr<HostedRoom> room = found->shared_from_this();
    desk_.note(ask, caller, "clear", "");
    if (reset && *reset == "true") {
        Settings settings = room->view().settings();
        settings.capacity = desk_.service().options().defaults.rules.capacity;
        desk_.service().submit(*room, Configure{settings}, nullptr, [](const Outcome&) {});
    }
    desk_.service().submit(*room, Clear{}, &desk_.loop(),
                           [this, room, later = desk_.defer(ask)](const Outcome& outcome) mutable {
                               if (const auto* refused = std::get_if<Refused>(&outcome))
                                   return refuse(later, refused->reason, room->id());
                               desk_.service().publish(room);
                               compose(begin(later, Status::ok).body(), cleared);
                           });
}

void Urr::admin_threshold(Ask& ask, const Caller& caller) {
    std::int64_t threshold = -1;
    const std::optional<net::Query> query = net::Query::parse(ask.request.query);
    if (const std::string* text = query ? query->find("threshold") : nullptr)
        threshold = parse_whole_number<std::int64_t>(*text).value_or(-1);
    else if (read_member(ask.request.body, "threshold", threshold) != Given::number)
        threshold = -1;
    if (threshold < 0 || threshold > limits::count_max)
        return refuse(ask, Status::bad_request,
                      "threshold must be a whole number from 0 to 4294967295");
    const std::shared_ptr<HostedRoom> room = make_room(ask, By::admin);
    if (!room) return;
    Settings settings = room->view().settings();
    settings.capacity = threshold;
    desk_.note(ask, caller, "threshold", std::to_string(threshold));
    desk_.service().submit(
        *room, Configure{settings}, &desk_.loop(),
        [this, room, threshold, later = desk_.defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason, room->id());
            desk_.service().publish(room);
            compose(begin(later, Status::ok).body(), R"({"eventId":")", room->id(),
                    R"(","threshold":)", threshold, "}");
        });
}

void Urr::switch_outer(Ask& ask, const Caller& caller, bool on) {
    const std::shared_ptr<HostedRoom> room = make_room(ask, By::admin);
    if (!room) return;
    desk_.note(ask, caller, on ? "activate" : "deactivate", "");
    const Command command = on ? Command{Activate{}} : Command{Deactivate{}};
    desk_.service().submit(
        *room, command, &desk_.loop(),
        [this, room, on, later = desk_.defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason, room->id());
            desk_.service().publish(room);
            net::Answer answer = begin(later, Status::ok);
            compose(answer.body(), R"({"eventId":")", room->id(), R"(","status":")",
                    std::string_view(on ? "activated" : "deactivated"), R"(")");
            // Clients know the text; nothing has to be updated by hand any more.
            if (on)
                compose(answer.body(), R"(,"message":"VWR activated. Update vwr-active.json )"
                                       R"(and redeploy Lambda@Edge.")");
            compose(answer.body(), "}");
        });
}

void Urr::admin_outer_status(Ask& ask) {
    const HostedRoom* room = desk_.service().rooms().find(ask.room_id);
    const OuterLine::Counters now = room ? room->view().outer().counters() : OuterLine::Counters{};
    if (now.generation == 0) {
        net::Answer answer = begin(ask, options_.unknown_is_404 ? Status::not_found : Status::ok);
        return compose(answer.body(), R"({"eventId":")", ask.room_id, R"(","status":"not_found"})");
    }
    net::Answer answer = begin(ask, Status::ok);
    compose(answer.body(), R"({"eventId":")", ask.room_id, R"(","isActive":)",
            std::string_view(now.active ? "true" : "false"), R"(,"nextPosition":)", now.issued,
            R"(,"servingCounter":)", now.serving, R"(,"waiting":)", now.issued - now.serving, "}");
}

void Urr::advance(Ask& ask, const Caller& caller) {
    HostedRoom* found = desk_.service().rooms().find(ask.room_id);
    std::int64_t count = found ? found->view().settings().outer_batch : 1;
    const Given given = read_member(ask.request.body, "batchSize", count);
    if (given == Given::nonsense || count < 1 || count > limits::count_max)
        return refuse(ask, Status::bad_request, "batchSize must be a whole number above 0");
    if (!found || found->view().outer().generation() == 0) {
        net::Answer answer = begin(ask, options_.unknown_is_404 ? Status::not_found : Status::ok);
        return compose(answer.body(), R"({"eventId":")", ask.room_id, R"(","status":"not_found"})");
    }
    const std::shared_ptr<HostedRoom> room = found->shared_from_this();
    desk_.note(ask, caller, "advance", std::to_string(count));
    desk_.service().submit(
        *room, Advance{count}, &desk_.loop(),
        [this, room, later = desk_.defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, refused->reason, room->id());
            desk_.service().publish(room);
            const std::uint64_t advanced = std::get<Done>(outcome).advanced;
            net::Answer answer = begin(later, Status::ok);
            if (advanced == 0)
                return compose(answer.body(), R"({"eventId":")", room->id(),
                               R"(","status":"caught_up","message":"servingCounter already )"
                               R"(>= nextPosition"})");
            compose(answer.body(), R"({"eventId":")", room->id(), R"(","servingCounter":)",
                    room->view().outer().serving(), R"(,"advanced":)", advanced, "}");
        });
}

} // namespace anteroom::api::urr
