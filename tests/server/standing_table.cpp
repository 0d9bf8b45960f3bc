#include "tests/server/standing_table.h"

#include <fmt/format.h>

#include <charconv>
#include <future>

#include "dialects/hhplus/queue_token.h"
#include "dialects/hhplus/test_hall.h"
#include "dialects/portal/test_queue.h"
#include "dialects/tacos/test_event.h"
#include "dialects/tacos/tokens.h"
#include "dialects/urr/test_event.h"

namespace anteroom::standing {
namespace {

using urr::event_id;

constexpr std::string_view user = "ann";
constexpr hhplus::UserId hall_user = 1;

std::string as_user() {
    return portal::TestQueue::as_user(user);
}

Response ask_native(TestServer& server, Office& office, const Place& place) {
    const token::NativeTicket ticket = office.tickets.mint_native(
        {.kind = token::TicketKind::inner, .room = place.room, .number = place.number});
    return server.ask("GET", "/v1/rooms/sale/ticket", TestServer::bearer(ticket.view()));
}

Response ask_urr_status(TestServer& server, Office&, const Place&) {
    return server.ask("GET", fmt::format("/api/queue/status/{}", event_id), as_user());
}

Response ask_urr_heartbeat(TestServer& server, Office&, const Place&) {
    return server.ask("POST", fmt::format("/api/queue/heartbeat/{}", event_id), as_user());
}

Response ask_tacos(TestServer& server, Office& office, const Place& place) {
    const std::string token =
        tacos::mint(office.tickets, {.has_user = true, .room = place.room, .number = place.number});
    return server.ask("GET", fmt::format("/api/v1/queue/status?token={}", token));
}

Response ask_portal_by_user(TestServer& server, Office&, const Place&) {
    return server.ask("GET", "/queue/TIMEDEAL/42/status", as_user());
}

Response ask_portal_by_token(TestServer& server, Office& office, const Place& place) {
    const std::optional<token::UuidTicket> token =
        office.tickets.mint_uuid({.kind = token::TicketKind::inner,
                                  .room = place.room,
                                  .generation = portal::token_generation,
                                  .number = place.number});
    return server.ask("GET", fmt::format("/queue/token/{}/status", token->view()), as_user());
}

Response ask_hhplus(TestServer& server, Office& office, const Place& place) {
    const std::optional<std::string> token =
        hhplus::mint_token(office, {.user = hall_user, .room = place.room, .number = place.number});
    return server.ask("GET", "/api/v1/queues/token/rank",
                      hhplus::TestHall::as(hall_user) + hhplus::TestHall::with(*token));
}

// Where the gate asks for an entry pass alone. Of the outer line of a room that was not heard of it
// says otherwise: that line counts as active (api/room_witness.cpp).
Response ask_gate(TestServer& server, Office& office, const Place&) {
    const Result<std::string> pass =
        office.passes.issue(token::EntryPass{.room = urr::other_event, .visitor = user},
                            {unix_seconds(server.service.clock().now())}, hours(1));
    return server.ask("GET", "/api/v1/seats/7",
                      as_user() + fmt::format("x-queue-entry-token: {}\r\n", *pass));
}

constexpr std::string_view denied = "접근이 거부되었습니다.";
constexpr Words not_in_queue{200, R"("status":"not_in_queue")"};

constexpr AdapterRow native_row{.name = "native",
                                .room = "sale",
                                .dialect = "",
                                .visitor = user,
                                .asks_by_number = true,
                                .ask = ask_native,
                                .no_room = {404, R"("code":"room_not_found")"},
                                .no_visit = {410, R"("code":"ticket_expired")"},
                                .waiting = {200, R"("state":"waiting")"},
                                .called = {200, R"("state":"called")"},
                                .age = R"("stale_seconds":)"};

constexpr AdapterRow urr_status_row{.name = "urr_status",
                                    .room = event_id,
                                    .dialect = "",
                                    .visitor = user,
                                    .asks_by_number = false,
                                    .ask = ask_urr_status,
                                    .no_room = not_in_queue,
                                    .no_visit = not_in_queue,
                                    .waiting = {200, R"("status":"queued")"},
                                    .called = {200, R"("status":"active")"}};

constexpr AdapterRow urr_heartbeat_row{.name = "urr_heartbeat",
                                       .room = event_id,
                                       .dialect = "",
                                       .visitor = user,
                                       .asks_by_number = false,
                                       .ask = ask_urr_heartbeat,
                                       .no_room = not_in_queue,
                                       .no_visit = not_in_queue,
                                       .waiting = {200, R"("status":"queued")"},
                                       .called = {200, R"("status":"active")"}};

constexpr AdapterRow tacos_row{.name = "tacos",
                               .room = tacos::event_id,
                               .dialect = "",
                               .visitor = user,
                               .asks_by_number = true,
                               .ask = ask_tacos,
                               .no_room = {404, "TOKEN_NOT_FOUND"},
                               .no_visit = {404, "TOKEN_NOT_FOUND"},
                               .waiting = {200, R"("ready_for_entry":false)"},
                               .called = {200, R"("ready_for_entry":true)"}};

constexpr AdapterRow portal_by_user_row{.name = "portal_by_user",
                                        .room = "TIMEDEAL:42",
                                        .dialect = "portal",
                                        .visitor = user,
                                        .asks_by_number = false,
                                        .ask = ask_portal_by_user,
                                        .no_room = {404, R"("code":"S801")"},
                                        .no_visit = {404, R"("code":"S803")"},
                                        .waiting = {200, R"("status":"WAITING")"},
                                        .called = {200, R"("status":"ENTERED")"}};

constexpr AdapterRow portal_by_token_row{.name = "portal_by_token",
                                         .room = "TIMEDEAL:42",
                                         .dialect = "portal",
                                         .visitor = user,
                                         .asks_by_number = true,
                                         .ask = ask_portal_by_token,
                                         .no_room = {404, R"("code":"S803")"},
                                         .no_visit = {404, R"("code":"S803")"},
                                         .waiting = {200, R"("status":"WAITING")"},
                                         .called = {200, R"("status":"ENTERED")"}};

constexpr AdapterRow hhplus_row{.name = "hhplus",
                                .room = "hhplus",
                                .dialect = "hhplus",
                                .visitor = "1",
                                .asks_by_number = true,
                                .ask = ask_hhplus,
                                .no_room = {401, denied},
                                .no_visit = {401, denied},
                                .waiting = {200, R"("status":"WAITING")"},
                                .called = {200, R"("status":"ACTIVE")"}};

constexpr AdapterRow gate_row{
    .name = "gate",
    .room = urr::other_event,
    .dialect = "",
    .visitor = user,
    .asks_by_number = false,
    .is_gate = true,
    .ask = ask_gate,
    .no_room = {403, "Queue entry token required"},
    .no_visit = {403, "Queue entry token required"},
    .waiting = {200, "the site"}, // Who is inside; who waits is none of the gate's.
    .called = {200, "the site"}};

} // namespace

const std::vector<AdapterRow>& adapters() {
    static const std::vector<AdapterRow> all{
        native_row,         urr_status_row,      urr_heartbeat_row, tacos_row,
        portal_by_user_row, portal_by_token_row, hhplus_row,        gate_row};
    return all;
}

TestOptions all_adapters(const urr::Site& site) {
    TestOptions options = hhplus::quiet_hall(); // System U is always spoken in tests.
    options.tacos = tacos::options_of(tacos::stopped());
    options.portal.emplace();
    options.origins = {site.url()};
    return options;
}

RoomSettings quiet_room(const AdapterRow& adapter) {
    RoomSettings settings;
    settings.rules.lease = settings.rules.claim_window = settings.rules.idle = hours(1);
    settings.rules.wait_min = hours(1);
    settings.rules.admit_on_join = false;
    settings.profile.dialect = adapter.dialect;
    return settings;
}

Rig::Rig(const AdapterRow& one, TestServer& where)
    : adapter(one), server(where), office(*Office::open(server.keys, {})) {}

HostedRoom& Rig::make_room() {
    return *server.service.make_room(adapter.room, quiet_room(adapter)).room;
}

Outcome Rig::command(const Command& command) {
    std::promise<Outcome> done;
    server.service.submit(*room(), command, nullptr,
                          [&](const Outcome& outcome) { done.set_value(outcome); });
    return done.get_future().get();
}

Place Rig::join() {
    const Outcome joined = command(Join{.visitor = office->key_of(adapter.visitor)});
    const Number number = std::get<Standing>(joined).number;
    if (adapter.is_gate) {
        call();
        command(Claim{number});
    }
    return {.room = room()->index(), .number = number};
}

// On the loop's thread, which has a slot of Quiet.
VisitorState Rig::state_of(Number number) {
    std::promise<VisitorState> state;
    server.loop().post([&] { state.set_value(room()->view().standing(number).state); });
    return state.get_future().get();
}

void Rig::age(Millis span) {
    room()->set_fresh(server.service.clock().now() - span);
}

void expect(const Words& words, const Response& answer) {
    EXPECT_EQ(answer.status, words.status) << answer.body;
    EXPECT_NE(answer.body.find(words.part), answer.body.npos) << answer.body;
    if (words.status != later.status) return;
    int seconds = 0;
    const std::string told = answer.header("retry-after");
    std::from_chars(told.data(), told.data() + told.size(), seconds);
    EXPECT_GT(seconds, 0) << "Retry-After: " << told;
}

} // namespace anteroom::standing
