// The waiting page: one file for every room, and a version without scripts. The front page.
#include <fmt/format.h>

#include <array>
#include <span>

#include "api/front_page.h"
#include "api/native.h"
#include "api/plain_page.h"
#include "desk/assets.h"
#include "desk/dialect.h"
#include "desk/page.h"
#include "net/url.h"

namespace anteroom::api {

using net::Status;

void Native::wait_page(Call& call) {
    const std::optional<net::Query> query = net::Query::parse(call.request().query);
    const std::string* plain = query ? query->find("plain") : nullptr;
    if (plain) return plain_page(call, *plain == "left");
    answer_page(call, assets::wait_page, 60);
}

// Takes a place if the browser has none, then shows it; the page asks again by itself.
void Native::plain_page(Call& call, bool has_left) {
    const std::string language(
        plain_language(call.request().header("accept-language").value_or("")));
    const auto show = [language](Call& asked, Status status, const PlainPage& page,
                                 std::span<const std::string> cookies) {
        net::Answer answer = asked.begin(status);
        answer.header("Content-Type", "text/html; charset=utf-8");
        answer.header("Cache-Control", "no-store");
        answer.header("Content-Security-Policy", page_policy);
        for (const std::string& text : cookies)
            if (!text.empty()) answer.header("Set-Cookie", text);
        net::append(answer.body(), render_plain_page(page, language));
    };
    PlainPage page{.room = std::string(call.parameter(0))};
    const Caller& caller = call.caller();
    const std::optional<Visitor> visitor = desk_.name_visitor(call, caller.user);
    std::shared_ptr<HostedRoom> room = service_.find_or_make(call.parameter(0));
    if (room && !takes(room->profile(), "")) room = nullptr;
    if (!visitor || !room || has_left) {
        page.state = has_left ? "left" : "not_found";
        return show(call, room ? Status::ok : Status::not_found, page, {});
    }
    const std::int64_t wait = caller.is_backend ? 0 : desk_.join_wait(call);
    if (wait > 0 && room->view().find(visitor->key) == 0) {
        page.state = "busy";
        return show(call, Status::too_many_requests, page, {});
    }
    const Join command{.visitor = visitor->key,
                       .lane = lane_number(room->profile(), "").value_or(0)};
    desk_.submit(
        call, *room, command,
        [this, room, show, page = std::move(page), secure = call.request().secure,
         cookie = visitor->cookie](Call& asked, const Outcome& outcome) mutable {
            page.message = room->profile().message;
            page.room_state = room->view().state();
            if (const auto* refused = std::get_if<Refused>(&outcome)) {
                page.state = problem_of(code_of(refused->reason)).code;
                return show(asked, Status::ok, page, {});
            }
            const Standing& standing = std::get<Standing>(outcome);
            page.state = name(standing.state);
            page.standing = standing;
            page.wait = room->view().wait(standing);
            page.target = room->profile().target;
            page.idle = room->view().settings().idle;
            const std::array cookies{cookie, ticket_cookie(*room, standing.number, secure)};
            show(asked, Status::ok, page, cookies);
        });
}

void Native::wait_timer(Call& call) {
    answer_timer(call);
}

void Native::wait_leave(Call& call) {
    const std::optional<ShownTicket> shown = show_ticket(call);
    if (!shown) return;
    HostedRoom& room = *shown->place.room;
    desk_.submit(call, room, Leave{shown->place.number}, [&room](Call& asked, const Outcome&) {
        net::Answer answer = asked.begin(Status::see_other);
        answer.header("Location", "/wait/" + room.id() + "?plain=left");
        answer.send();
    });
}

void Native::demo_target(Call& call) {
    if (!desk_.shared().has_demo) return refuse(call, Code::not_found);
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "text/html; charset=utf-8");
    answer.header("Content-Security-Policy", page_policy);
    net::append(answer.body(), assets::demo_target.plain);
}

std::string Native::outer_page_of(const HostedRoom& room) const {
    for (const std::shared_ptr<Dialect>& dialect : desk_.shared().dialects)
        if (std::string path = dialect->page_of(room); !path.empty()) return path;
    return {};
}

// Strangers are told no names: a room may be of an event that is not announced yet. In the demo
// there is nothing to hide.
void Native::front_page(Call& call) {
    const Caller& caller = call.caller();
    FrontPage page{.shows_metrics = caller.is_admin || caller.is_backend,
                   .shows_admin = desk_.shared().has_demo,
                   .admin_token_path = desk_.shared().admin_token_path,
                   .address = (call.request().secure ? "https://" : "http://") +
                              std::string(call.request().host)};
    const std::vector<std::shared_ptr<HostedRoom>> rooms =
        desk_.shared().has_demo ? service_.rooms().all()
                                : std::vector<std::shared_ptr<HostedRoom>>();
    page.rooms_total = rooms.size();
    for (const std::shared_ptr<HostedRoom>& room : rooms) {
        if (page.rooms.size() == front_rooms_max) break;
        const Room& view = room->view();
        page.rooms.push_back({.id = room->id(),
                              .state = std::string(name(view.state())),
                              .waiting = view.waiting(),
                              .inside = view.inside(),
                              .has_page = takes(room->profile(), ""),
                              .outer_page = outer_page_of(*room)});
    }
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "text/html; charset=utf-8");
    answer.header("Cache-Control", "no-store");
    answer.header("Content-Security-Policy", page_policy);
    answer.header("X-Content-Type-Options", "nosniff");
    answer.header("Referrer-Policy", "same-origin");
    net::append(answer.body(), render_front_page(page));
}

// Browsers ask for it beside whatever they show; our pages bring their own.
void Native::favicon(Call& call) {
    net::Answer answer = call.begin(Status::no_content);
    answer.header("Cache-Control", "public, max-age=86400");
    answer.send();
}

} // namespace anteroom::api
