// What operators can ask. Who they are was settled before; what they change is noted.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "api/api.h"
#include "api/body.h"
#include "net/url.h"
#include "service/pulse_json.h"
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
    if (action == "call") return Call{count};
    return std::nullopt;
}

std::uint64_t number_in(const std::optional<net::Query>& query, std::string_view name,
                        std::uint64_t otherwise) {
    const std::string* text = query ? query->find(name) : nullptr;
    std::uint64_t value = otherwise;
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

} // namespace

void Api::admin_rooms(Ask& ask) {
    net::Answer answer = begin(ask, Status::ok);
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

void Api::admin_room(Ask& ask) {
    const HostedRoom* hosted = find_room(ask);
    if (!hosted) return;
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), room_json(*hosted));
}

void Api::admin_put_room(Ask& ask, const Caller& caller) {
    const HostedRoom* there = service_.rooms().find(ask.room_id);
    RoomSettings settings = there ? settings_of(*there) : service_.settings_for(ask.room_id);
    if (const std::string fault = read_room_body(ask.request.body, settings); !fault.empty())
        return refuse(ask, Code::bad_request, fault);
    if (!service_.is_writable()) return refuse(ask, Code::unavailable);
    const Rooms::Made made = service_.make_room(ask.room_id, settings);
    if (!made.room) return refuse(ask, Code::unavailable, "there are too many rooms");
    desk_.note(ask, caller, made.is_new ? "create" : "configure", std::string(ask.request.body));
    const std::shared_ptr<HostedRoom> hosted = made.room;
    service_.submit(
        *hosted, Configure{settings.rules}, &loop_,
        [this, hosted, is_new = made.is_new, profile = std::move(settings.profile),
         later = defer(ask)](const Outcome& outcome) mutable {
            if (const auto* refused = std::get_if<Refused>(&outcome))
                return refuse(later, code_of(refused->reason), in_words(refused->reason));
            service_.set_profile(*hosted, std::move(profile), &loop_,
                                 [this, hosted, is_new, later = std::move(later)]() mutable {
                                     service_.publish(hosted);
                                     net::Answer answer =
                                         begin(later, is_new ? Status::created : Status::ok);
                                     answer.header("Content-Type", "application/json");
                                     net::append(answer.body(), room_json(*hosted));
                                 });
        });
}

void Api::admin_delete_room(Ask& ask, const Caller& caller) {
    if (!service_.is_writable()) return refuse(ask, Code::unavailable);
    if (!find_room(ask)) return;
    desk_.note(ask, caller, "delete", "");
    service_.remove_room(ask.room_id, &loop_, [this, later = defer(ask)]() mutable {
        begin(later, Status::no_content).send();
    });
}

void Api::admin_operate(Ask& ask, const Caller& caller) {
    HostedRoom* found = find_room(ask);
    if (!found) return;
    std::int64_t count = 0;
    const bool counts = ask.action == "advance" || ask.action == "call";
    if (counts)
        if (const std::string fault = read_count_body(ask.request.body, count); !fault.empty())
            return refuse(ask, Code::bad_request, fault);
    const std::optional<Command> command = command_for(ask.action, count);
    if (!command) return refuse(ask, Code::not_found, "there is no such operation");
    desk_.note(ask, caller, std::string(ask.action), counts ? std::to_string(count) : "");
    const std::shared_ptr<HostedRoom> hosted = found->shared_from_this();
    service_.submit(*hosted, *command, &loop_,
                    [this, hosted, later = defer(ask)](const Outcome& outcome) mutable {
                        if (const auto* refused = std::get_if<Refused>(&outcome))
                            return refuse(later, code_of(refused->reason),
                                          in_words(refused->reason));
                        service_.publish(hosted);
                        net::Answer answer = begin(later, Status::ok);
                        answer.header("Content-Type", "application/json");
                        net::append(answer.body(), room_json(*hosted));
                    });
}

void Api::admin_audit(Ask& ask) {
    const std::optional<net::Query> query = net::Query::parse(ask.request.query);
    if (!query) return refuse(ask, Code::bad_request, "the query cannot be read");
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
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), text + "]}");
}

} // namespace anteroom::api
