// What operators can ask. Who they are was settled before; what they change is noted.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/body.h"
#include "api/native.h"
#include "base/json_text.h"
#include "base/text.h"
#include "net/url.h"
#include "service/room_fields.h"

namespace anteroom::api {
namespace {

using net::Status;

constexpr std::size_t page_max = 1'000;

RoomSettings settings_of(const HostedRoom& room) {
    return {.rules = room.view().settings(), .profile = room.profile()};
}

std::string room_json(const HostedRoom& room) {
    const Room& view = room.view();
    const OuterLine& outer = view.outer();
    return fmt::format(
        R"({{"room":"{}","state":"{}","issued":{},"serving":{},"waiting":{},"called":{},"active":{},"streams":{},)"
        R"("outer":{{"active":{},"generation":{},"issued":{},"serving":{}}},"settings":{{{}}}}})",
        room.id(), name(view.state()), view.issued(), view.serving(), view.waiting(), view.called(),
        view.active(), room.streams(), outer.active(), outer.generation(), outer.issued(),
        outer.serving(), settings_json(settings_of(room)));
}

void answer_room(net::Answer answer, const HostedRoom& room) {
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), room_json(room));
}

// The command behind .../{action}; nothing when there is no such action.
std::optional<Command> command_for(std::string_view action, std::int64_t count) {
    if (action == "open") return SetState{RoomState::open};
    if (action == "pause") return SetState{RoomState::paused};
    if (action == "resume") return Resume{};
    if (action == "drain") return SetState{RoomState::draining};
    if (action == "close") return SetState{RoomState::closed};
    if (action == "passthrough") return SetState{RoomState::passthrough};
    if (action == "clear") return Clear{};
    if (action == "activate") return Activate{};
    if (action == "deactivate") return Deactivate{};
    if (action == "advance") return Advance{count};
    if (action == "call") return CallNext{count};
    return std::nullopt;
}

std::uint64_t number_in(const std::optional<net::Query>& query, std::string_view name,
                        std::uint64_t otherwise) {
    const std::string* text = query ? query->find(name) : nullptr;
    return text ? parse_leading_number<std::uint64_t>(*text).value_or(otherwise) : otherwise;
}

} // namespace

void Native::admin_rooms(Call& call) {
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    net::Output& out = answer.body();
    net::append(out, R"({"rooms":[)");
    const char* separator = "";
    for (const std::shared_ptr<HostedRoom>& room : service_.rooms().all()) {
        net::append(out, std::exchange(separator, ","));
        net::append(out, room_json(*room));
    }
    net::append(out, "]}");
}

void Native::admin_room(Call& call) {
    const HostedRoom* hosted = find_room(call);
    if (!hosted) return;
    answer_room(call.begin(Status::ok), *hosted);
}

void Native::admin_put_room(Call& call) {
    const HostedRoom* there = service_.rooms().find(call.parameter(0));
    RoomSettings settings = there ? settings_of(*there) : service_.settings_for(call.parameter(0));
    if (const std::string fault = read_room_body(call.request().body, settings); !fault.empty())
        return refuse(call, Code::bad_request, fault);
    const std::vector<std::string>& dialects = desk_.shared().dialect_names;
    const std::string& only = settings.profile.dialect;
    if (!only.empty() && std::ranges::find(dialects, only) == dialects.end())
        return refuse(call, Code::bad_request,
                      fmt::format("dialect must be {} or empty", fmt::join(dialects, ", ")));
    if (!service_.is_writable()) return refuse(call, Code::unavailable);
    const Rooms::Made made = service_.make_room(call.parameter(0), settings);
    if (!made.room) return refuse(call, Code::unavailable, "there are too many rooms");
    desk_.note(call, call.parameter(0), made.is_new ? "create" : "configure",
               std::string(call.request().body));
    desk_.submit(
        call, *made.room, Configure{settings.rules},
        [this, hosted = made.room, is_new = made.is_new, profile = std::move(settings.profile)](
            Call& asked, const Outcome& outcome) mutable {
            if (std::holds_alternative<Refused>(outcome)) return refuse(asked, outcome);
            service_.set_profile(*hosted, std::move(profile), &desk_.loop(),
                                 [this, hosted, is_new, asked = std::move(asked)]() mutable {
                                     service_.publish(hosted);
                                     answer_room(asked.begin(is_new ? Status::created : Status::ok),
                                                 *hosted);
                                 });
        });
}

void Native::admin_delete_room(Call& call) {
    if (!service_.is_writable()) return refuse(call, Code::unavailable);
    if (!find_room(call)) return;
    const std::string room(call.parameter(0));
    desk_.note(call, room, "delete", "");
    call.defer();
    service_.remove_room(room, &desk_.loop(), [call = std::move(call)]() mutable {
        call.begin(Status::no_content).send();
    });
}

void Native::admin_operate(Call& call) {
    HostedRoom* found = find_room(call);
    if (!found) return;
    std::int64_t count = 0;
    const bool counts = call.parameter(1) == "advance" || call.parameter(1) == "call";
    if (counts)
        if (const std::string fault = read_count_body(call.request().body, count); !fault.empty())
            return refuse(call, Code::bad_request, fault);
    const std::optional<Command> command = command_for(call.parameter(1), count);
    if (!command) return refuse(call, Code::not_found, "there is no such operation");
    desk_.note(call, call.parameter(0), std::string(call.parameter(1)),
               counts ? std::to_string(count) : "");
    desk_.submit(call, *found, *command,
                 [this, hosted = found->shared_from_this()](Call& asked, const Outcome& outcome) {
                     if (std::holds_alternative<Refused>(outcome)) return refuse(asked, outcome);
                     service_.publish(hosted);
                     answer_room(asked.begin(Status::ok), *hosted);
                 });
}

void Native::admin_audit(Call& call) {
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    if (!query) return refuse(call, Code::bad_request, "the query cannot be read");
    const std::uint64_t limit = std::min<std::uint64_t>(number_in(query, "limit", 100), page_max);
    std::string text = R"({"entries":[)";
    const char* separator = "";
    for (const AuditEntry& entry : service_.audit().after(number_in(query, "after", 0), limit)) {
        text += std::exchange(separator, ",");
        text += fmt::format(R"({{"id":{},"at":{})", entry.id, entry.at.ms);
        const std::array<std::pair<const char*, const std::string*>, 5> members{
            {{"actor", &entry.actor},
             {"address", &entry.address},
             {"room", &entry.room},
             {"action", &entry.action},
             {"detail", &entry.detail}}};
        for (const auto& [name, value] : members) {
            text += fmt::format(R"(,"{}":)", name);
            append_json_string(text, *value);
        }
        text += "}";
    }
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), text + "]}");
}

} // namespace anteroom::api
