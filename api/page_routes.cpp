// The waiting page: one file for every room, and a version without scripts. The front page.
#include <fmt/format.h>

#include <array>
#include <span>

#include "api/api.h"
#include "api/front_page.h"
#include "api/plain_page.h"
#include "desk/assets.h"
#include "desk/dialect.h"
#include "desk/page.h"
#include "net/url.h"

namespace anteroom::api {

using net::Status;

void Api::wait_page(Ask& ask) {
    const std::optional<net::Query> query = net::Query::parse(ask.request.query);
    const std::string* plain = query ? query->find("plain") : nullptr;
    if (plain) return plain_page(ask, *plain == "left");
    answer_page(desk_, ask, assets::wait_page, 60);
}

// Takes a place if the browser has none, then shows it; the page asks again by itself.
void Api::plain_page(Ask& ask, bool has_left) {
    const std::string language(plain_language(ask.request.header("accept-language").value_or("")));
    const auto show = [this, language](Later& later, Status status, const PlainPage& page,
                                       std::span<const std::string> cookies) {
        net::Answer answer = begin(later, status);
        answer.header("Content-Type", "text/html; charset=utf-8");
        answer.header("Cache-Control", "no-store");
        answer.header("Content-Security-Policy", page_policy);
        for (const std::string& text : cookies)
            if (!text.empty()) answer.header("Set-Cookie", text);
        net::append(answer.body(), render_plain_page(page, language));
    };
    PlainPage page{.room = std::string(ask.room_id)};
    const Caller caller = desk_.identify(ask);
    const std::optional<Visitor> visitor = desk_.name_visitor(ask, caller.user);
    std::shared_ptr<HostedRoom> room = service_.find_or_make(ask.room_id);
    if (room && !takes(room->profile(), "")) room = nullptr;
    Later later = defer(ask);
    if (!visitor || !room || has_left) {
        page.state = has_left ? "left" : "not_found";
        return show(later, room ? Status::ok : Status::not_found, page, {});
    }
    const std::int64_t wait = caller.is_backend ? 0 : desk_.join_wait(ask);
    if (wait > 0 && room->view().find(visitor->key) == 0) {
        page.state = "busy";
        return show(later, Status::too_many_requests, page, {});
    }
    const Join command{.visitor = visitor->key,
                       .lane = lane_number(room->profile(), "").value_or(0)};
    service_.submit(
        *room, command, &loop_,
        [this, room, show, page = std::move(page), secure = ask.request.secure,
         cookie = visitor->cookie, later = std::move(later)](const Outcome& outcome) mutable {
            page.message = room->profile().message;
            page.room_state = room->view().state();
            if (const auto* refused = std::get_if<Refused>(&outcome)) {
                page.state = problem_of(code_of(refused->reason)).code;
                return show(later, Status::ok, page, {});
            }
            const Standing& standing = std::get<Standing>(outcome);
            page.state = name(standing.state);
            page.standing = standing;
            page.wait = room->view().wait(standing);
            page.target = room->profile().target;
            page.idle = room->view().settings().idle;
            const std::array cookies{cookie, ticket_cookie(*room, standing.number, secure)};
            show(later, Status::ok, page, cookies);
        });
}

void Api::wait_leave(Ask& ask) {
    Held held;
    if (!find_ticket(ask, held)) return;
    const std::shared_ptr<HostedRoom> room = held.room->shared_from_this();
    service_.submit(*room, Leave{held.number}, &loop_,
                    [this, room, later = defer(ask)](const Outcome&) mutable {
                        net::Answer answer = begin(later, Status::see_other);
                        answer.header("Location", "/wait/" + room->id() + "?plain=left");
                        answer.send();
                    });
}

void Api::demo_target(Ask& ask) {
    if (!shared_.has_demo) return refuse(ask, Code::not_found);
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "text/html; charset=utf-8");
    answer.header("Content-Security-Policy", page_policy);
    net::append(answer.body(), assets::demo_target.plain);
}

std::string Api::outer_page_of(const HostedRoom& room) const {
    for (const std::shared_ptr<Dialect>& dialect : shared_.dialects)
        if (std::string path = dialect->page_of(room); !path.empty()) return path;
    return {};
}

// Strangers are told no names: a room may be of an event that is not announced yet. In the demo
// there is nothing to hide.
void Api::front_page(Ask& ask) {
    const Caller caller = desk_.identify(ask);
    FrontPage page{
        .shows_metrics = caller.is_admin || caller.is_backend,
        .shows_admin = shared_.has_demo,
        .admin_token_path = shared_.admin_token_path,
        .address = (ask.request.secure ? "https://" : "http://") + std::string(ask.request.host)};
    const std::vector<std::shared_ptr<HostedRoom>> rooms =
        shared_.has_demo ? service_.rooms().all() : std::vector<std::shared_ptr<HostedRoom>>();
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
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "text/html; charset=utf-8");
    answer.header("Cache-Control", "no-store");
    answer.header("Content-Security-Policy", page_policy);
    answer.header("X-Content-Type-Options", "nosniff");
    answer.header("Referrer-Policy", "same-origin");
    net::append(answer.body(), render_front_page(page));
}

// Browsers ask for it beside whatever they show; our pages bring their own.
void Api::favicon(Ask& ask) {
    net::Answer answer = begin(ask, Status::no_content);
    answer.header("Cache-Control", "public, max-age=86400");
    answer.send();
}

} // namespace anteroom::api
