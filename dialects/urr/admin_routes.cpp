// What operators of system U ask: the switch and the counter of tier 1, the limit of tier 2.
#include <boost/json.hpp>
#include <charconv>

#include "desk/json_answer.h"
#include "dialects/urr/urr.h"
#include "net/output.h"
#include "net/url.h"

namespace anteroom::urr {
namespace {

using net::compose;
using net::Status;

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

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

void Urr::admin_read(Call& call) {
    const std::optional<HostedRoom*> found = find_room(call);
    if (!found) return;
    const HostedRoom* const room = *found;
    const Settings& settings =
        room ? room->view().settings() : desk_.service().options().defaults.rules;
    const std::int64_t inside = room ? static_cast<std::int64_t>(room->view().inside()) : 0;
    net::Answer answer = begin_json(call, Status::ok);
    compose(answer.body(), R"({"eventId":")", call.parameter(0), R"(","queueSize":)",
            room ? room->view().waiting() : 0, R"(,"currentUsers":)", inside, R"(,"threshold":)",
            settings.capacity, R"(,"available":)",
            std::max<std::int64_t>(0, settings.capacity - inside), "}");
}

void Urr::admin_clear(Call& call) {
    const std::optional<HostedRoom*> found = find_room(call);
    if (!found) return;
    if (!*found) return compose(begin_json(call, Status::ok).body(), cleared);
    const std::shared_ptr<HostedRoom> room = (*found)->shared_from_this();
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    const std::string* reset = query ? query->find("resetThreshold") : nullptr;
    desk_.note(call, room->id(), "clear", "");
    if (reset && *reset == "true") {
        Settings settings = room->view().settings();
        settings.capacity = desk_.service().options().defaults.rules.capacity;
        desk_.service().submit(*room, Configure{settings}, nullptr, [](const Outcome&) {});
    }
    desk_.submit(call, *room, Clear{}, [this, room](Call& asked, const Outcome& outcome) {
        if (const auto* refused = std::get_if<Refused>(&outcome))
            return refuse(asked, refused->reason, room->id());
        desk_.service().publish(room);
        compose(begin_json(asked, Status::ok).body(), cleared);
    });
}

void Urr::admin_threshold(Call& call) {
    std::int64_t threshold = -1;
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    if (const std::string* text = query ? query->find("threshold") : nullptr)
        threshold = whole_number(*text).value_or(-1);
    else if (read_member(call.request().body, "threshold", threshold) != Given::number)
        threshold = -1;
    if (threshold < 0 || threshold > limits::count_max)
        return refuse(call, Status::bad_request,
                      "threshold must be a whole number from 0 to 4294967295");
    const std::shared_ptr<HostedRoom> room = make_room(call, By::admin);
    if (!room) return;
    Settings settings = room->view().settings();
    settings.capacity = threshold;
    desk_.note(call, room->id(), "threshold", std::to_string(threshold));
    desk_.submit(call, *room, Configure{settings},
                 [this, room, threshold](Call& asked, const Outcome& outcome) {
                     if (const auto* refused = std::get_if<Refused>(&outcome))
                         return refuse(asked, refused->reason, room->id());
                     desk_.service().publish(room);
                     compose(begin_json(asked, Status::ok).body(), R"({"eventId":")", room->id(),
                             R"(","threshold":)", threshold, "}");
                 });
}

void Urr::switch_outer(Call& call, bool on) {
    const std::shared_ptr<HostedRoom> room = make_room(call, By::admin);
    if (!room) return;
    desk_.note(call, room->id(), on ? "activate" : "deactivate", "");
    const Command command = on ? Command{Activate{}} : Command{Deactivate{}};
    desk_.submit(call, *room, command, [this, room, on](Call& asked, const Outcome& outcome) {
        if (const auto* refused = std::get_if<Refused>(&outcome))
            return refuse(asked, refused->reason, room->id());
        desk_.service().publish(room);
        net::Answer answer = begin_json(asked, Status::ok);
        compose(answer.body(), R"({"eventId":")", room->id(), R"(","status":")",
                std::string_view(on ? "activated" : "deactivated"), R"(")");
        // Clients know the text; nothing has to be updated by hand any more.
        if (on)
            compose(answer.body(), R"(,"message":"VWR activated. Update vwr-active.json )"
                                   R"(and redeploy Lambda@Edge.")");
        compose(answer.body(), "}");
    });
}

// Tier 1 of this event was never switched on.
void Urr::answer_never_activated(Call& call) {
    net::Answer answer = begin_json(call, options_.unknown_is_404 ? Status::not_found : Status::ok);
    compose(answer.body(), R"({"eventId":")", call.parameter(0), R"(","status":"not_found"})");
}

void Urr::admin_outer_status(Call& call) {
    const std::optional<HostedRoom*> room = find_room(call);
    if (!room) return;
    const OuterLine::Counters now =
        *room ? (*room)->view().outer().counters() : OuterLine::Counters{};
    if (now.generation == 0) return answer_never_activated(call);
    net::Answer answer = begin_json(call, Status::ok);
    compose(answer.body(), R"({"eventId":")", call.parameter(0), R"(","isActive":)",
            std::string_view(now.active ? "true" : "false"), R"(,"nextPosition":)", now.issued,
            R"(,"servingCounter":)", now.serving, R"(,"waiting":)", now.issued - now.serving, "}");
}

void Urr::advance(Call& call) {
    const std::optional<HostedRoom*> found = find_room(call);
    if (!found) return;
    std::int64_t count = *found ? (*found)->view().settings().outer_batch : 1;
    const Given given = read_member(call.request().body, "batchSize", count);
    if (given == Given::nonsense || count < 1 || count > limits::count_max)
        return refuse(call, Status::bad_request, "batchSize must be a whole number above 0");
    if (!*found || (*found)->view().outer().generation() == 0) return answer_never_activated(call);
    const std::shared_ptr<HostedRoom> room = (*found)->shared_from_this();
    desk_.note(call, room->id(), "advance", std::to_string(count));
    desk_.submit(call, *room, Advance{count}, [this, room](Call& asked, const Outcome& outcome) {
        if (const auto* refused = std::get_if<Refused>(&outcome))
            return refuse(asked, refused->reason, room->id());
        desk_.service().publish(room);
        const std::uint64_t advanced = std::get<Done>(outcome).advanced;
        net::Answer answer = begin_json(asked, Status::ok);
        if (advanced == 0)
            return compose(answer.body(), R"({"eventId":")", room->id(),
                           R"(","status":"caught_up","message":"servingCounter already )"
                           R"(>= nextPosition"})");
        compose(answer.body(), R"({"eventId":")", room->id(), R"(","servingCounter":)",
                room->view().outer().serving(), R"(,"advanced":)", advanced, "}");
    });
}

} // namespace anteroom::urr
