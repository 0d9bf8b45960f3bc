// All systems on one listener: whose path is whose. Several have paths that look alike; the words
// of the answer say who gave it.
#include <gtest/gtest.h>

#include <set>

#include "desk/assets.h"
#include "dialects/hhplus/test_hall.h"
#include "dialects/portal/test_queue.h"
#include "dialects/tacos/test_event.h"
#include "dialects/urr/test_event.h"

namespace anteroom {
namespace {

using Response = net::testing::WireResponse;

TestOptions all_systems() {
    TestOptions options = hhplus::quiet_hall(); // System U is always spoken in tests.
    options.tacos = tacos::options_of(tacos::stopped());
    options.portal.emplace();
    return options;
}

using Names = std::set<std::string, std::less<>>;
Names names_of(const boost::json::object& object) {
    Names names;
    for (const auto& [name, value] : object) names.emplace(name);
    return names;
}

std::string page(const Response& answer) {
    if (answer.body == assets::vwr_page.plain) return "U: page of tier 1";
    if (answer.body == assets::queue_page.plain) return "U: page of tier 2";
    if (answer.body == assets::wait_page.plain) return "native: waiting page";
    if (answer.body.find("<h1>Anteroom</h1>") != answer.body.npos) return "native: front page";
    return "another page";
}

// Whose words these are, and what they say; of anything that is not exactly one of the envelopes,
// the body itself.
std::string said(const Response& answer) {
    const std::string type = answer.header("content-type");
    if (type.starts_with("text/html")) return page(answer);
    if (answer.body == assets::timer.plain) return "the pages' timer";
    boost::json::error_code fault;
    const boost::json::value value = boost::json::parse(answer.body, fault);
    if (fault || !value.is_object()) return answer.body;
    const boost::json::object& body = value.as_object();
    const Names names = names_of(body);
    const auto text = [](const boost::json::object& object, const char* name) {
        return std::string(object.at(name).as_string());
    };
    if (type == "application/problem+json")
        return names == Names{"type", "title", "status", "code", "detail", "request_id"} &&
                       body.at("status") == answer.status
                   ? "native: " + text(body, "code")
                   : answer.body;
    if (type != "application/json" || !body.contains("error")) return answer.body;
    const boost::json::value& error = body.at("error");
    if (error.is_string()) {
        if (names == Names{"error"}) return "U: " + text(body, "error");
        if (names == Names{"result", "data", "error"} && body.at("data").is_null() &&
            body.at("result") == "ERROR")
            return "H: " + text(body, "error");
        return answer.body;
    }
    if (!error.is_object()) return answer.body;
    const boost::json::object& inner = error.as_object();
    Names inner_names = names_of(inner);
    inner_names.erase("path"); // Of both systems, where a path is what is wrong.
    if (names == Names{"error"} && inner_names == Names{"code", "message", "trace_id"} &&
        text(inner, "trace_id") == answer.header("x-request-id"))
        return "T: " + text(inner, "code");
    inner_names.erase("details");
    const bool is_portal = body.contains("success") && body.at("success") == false &&
                           inner_names == Names{"code", "message", "timestamp"};
    if (is_portal && names == Names{"success", "error"}) return "P: " + text(inner, "code");
    if (is_portal && names == Names{"success", "data", "error"} && body.at("data").is_null())
        return "P's gateway: " + text(inner, "code");
    return answer.body;
}

enum class Who : std::uint8_t { nobody, user, seller };
using enum Who;

struct Row {
    const char* method;
    const char* path; // EVENT stands for a UUID.
    unsigned status;
    const char* says;
    Who who = nobody;
    const char* body = "";
};

constexpr Row rows[] = {
    // System U, tier 1: literal verbs go before the page of an event.
    {"GET", "/vwr/EVENT", 200, "U: page of tier 1"},
    {"GET", "/vwr/spring-sale", 200, "U: page of tier 1"},
    {"POST", "/vwr/EVENT", 405, "U: Method not allowed"},
    {"POST", "/vwr/assign/EVENT", 404, "U: VWR is not active for this event"},
    {"POST", "/vwr-api/vwr/assign/EVENT", 404, "U: VWR is not active for this event"},
    {"GET", "/vwr/check/EVENT/1", 404, "U: Position not found. Request a new position."},
    {"GET", "/vwr-api/vwr/check/EVENT/1", 404, "U: Position not found. Request a new position."},
    {"GET", "/vwr/status/EVENT", 404, "U: VWR not found for this event"},
    {"GET", "/vwr-api/vwr/status/EVENT", 404, "U: VWR not found for this event"},
    {"GET", "/vwr/assign/EVENT", 405, "U: Method not allowed"},
    {"GET", "/vwr/assign", 404, "U: Not found"},
    {"GET", "/vwr/check", 404, "U: Not found"},
    {"GET", "/vwr/status", 404, "U: Not found"},
    {"GET", "/vwr/status/", 404, "U: Not found"},
    {"GET", "/vwr/check/EVENT", 404, "U: Not found"},
    {"GET", "/vwr/EVENT/more", 404, "U: Not found"},
    {"GET", "/vwr-api/vwr/EVENT", 404, "U: Not found"},
    {"GET", "/vwr-api/nothing", 404, "U: Not found"},
    {"GET", "/vwr-api/api/v1/queue/status", 404, "U: Not found"},

    // Its operators, beside system T's.
    {"POST", "/api/admin/vwr/activate/EVENT", 401, "U: Authentication required"},
    {"POST", "/api/v1/admin/vwr/activate/EVENT", 401, "U: Authentication required"},
    {"POST", "/api/v1/admin/vwr/deactivate/EVENT", 403, "U: Admin role required", user},
    {"POST", "/api/v1/admin/vwr/advance/EVENT", 401, "U: Authentication required"},
    {"GET", "/api/v1/admin/vwr/status/EVENT", 401, "U: Authentication required"},
    {"GET", "/api/v1/admin/vwr/activate/EVENT", 405, "U: Method not allowed"},
    {"POST", "/api/v1/admin/vwr/activate/7", 400, "U: Invalid event id"},
    {"GET", "/api/admin/vwr/nothing", 404, "U: Not found"},
    {"GET", "/api/v1/admin/vwr/nothing/EVENT", 404, "U: Not found"},
    {"GET", "/api/v1/admin/health", 401, "T: MISSING_AUTHORIZATION"},
    {"GET", "/api/v1/admin/stats", 403, "T: ACCESS_DENIED", user},
    {"POST", "/api/v1/admin/flush-test-data", 401, "T: MISSING_AUTHORIZATION"},
    {"GET", "/api/v1/admin/flush-test-data", 405, "T: METHOD_NOT_ALLOWED"},
    {"GET", "/api/v1/admin/nothing", 404, "T: NOT_FOUND"},

    // System U, tier 2, has an event in the path; system T has none, and other methods.
    {"POST", "/api/queue/check/EVENT", 401, "U: Authentication required"},
    {"POST", "/api/v1/queue/check/EVENT", 401, "U: Authentication required"},
    {"GET", "/api/queue/status/EVENT", 401, "U: Authentication required"},
    {"GET", "/api/v1/queue/status/EVENT", 401, "U: Authentication required"},
    {"GET", "/api/v1/queue/status/EVENT?token=x", 401, "U: Authentication required"},
    {"POST", "/api/v1/queue/heartbeat/EVENT", 401, "U: Authentication required"},
    {"POST", "/api/v1/queue/leave/EVENT", 200, R"({"message":"Left queue"})", user},
    {"DELETE", "/api/v1/queue/leave/EVENT?token=x", 405, "U: Method not allowed"},
    {"GET", "/api/v1/queue/status/7", 400, "U: Invalid event id"},
    {"GET", "/api/v1/queue/admin/EVENT", 401, "U: Authentication required"},
    {"POST", "/api/v1/queue/admin/clear/EVENT", 403, "U: Admin role required", user},
    {"PUT", "/api/v1/queue/admin/threshold/EVENT", 401, "U: Authentication required"},
    {"GET", "/api/queue/nothing", 404, "U: Not found"},
    {"GET", "/api/queue/nothing/EVENT", 404, "U: Not found"},
    {"POST", "/api/queue/join", 404, "U: Not found"},
    {"GET", "/api/queue/status?token=x", 404, "U: Not found"},
    {"POST", "/api/v1/queue/join", 400, "T: INVALID_REQUEST"},
    {"POST", "/api/v1/queue/join", 400, "T: MISSING_EVENT_ID", nobody, "{}"},
    {"GET", "/api/v1/queue/status", 400, "T: MISSING_TOKEN"},
    {"GET", "/api/v1/queue/status?token=x", 404, "T: TOKEN_NOT_FOUND"},
    {"POST", "/api/v1/queue/enter", 400, "T: MISSING_TOKEN", nobody, "{}"},
    {"DELETE", "/api/v1/queue/leave", 400, "T: MISSING_TOKEN"},
    {"POST", "/api/v1/queue/leave", 405, "T: METHOD_NOT_ALLOWED"},
    {"GET", "/api/v1/queue/join", 405, "T: METHOD_NOT_ALLOWED"},
    {"POST", "/api/v1/queue/verify", 400, "T: MISSING_EVENT_ID", nobody, "{}"},
    {"POST", "/api/v1/queue/join/EVENT", 404, "T: NOT_FOUND"},
    {"POST", "/api/v1/queue/enter/EVENT", 404, "T: NOT_FOUND"},
    {"GET", "/api/v1/queue/nothing", 404, "T: NOT_FOUND"},

    // System U's page has one segment, system P has more; "token" is no type of an event.
    {"GET", "/queue/EVENT", 200, "U: page of tier 2"},
    {"POST", "/queue/EVENT", 405, "U: Method not allowed"},
    {"POST", "/queue/TIMEDEAL/42/enter", 401, "P's gateway: GW-A001"},
    {"POST", "/queue/TIMEDEAL/42/enter", 404, "P: S801", user},
    {"POST", "/api/v1/shopping/queue/TIMEDEAL/42/enter", 404, "P: S801", user},
    {"POST", "/api/shopping/queue/TIMEDEAL/42/enter", 404, "P: S801", user},
    {"GET", "/queue/TIMEDEAL/42/status", 404, "P: S801", user},
    {"GET", "/queue/EVENT/42/status", 404, "P: S801", user},
    {"GET", "/queue/TIMEDEAL/EVENT/status", 400, "P: C002", user},
    {"DELETE", "/queue/TIMEDEAL/42/leave", 404, "P: S801", user},
    {"GET", "/queue/TIMEDEAL/42/enter", 405, "P: C002"},
    {"GET", "/queue/TIMEDEAL/42/subscribe/EVENT", 404, "P: S803"},
    {"GET", "/queue/token/EVENT", 401, "P's gateway: GW-A001"},
    {"GET", "/queue/token/EVENT", 404, "P: S803", user},
    {"GET", "/queue/token/42/status", 404, "P: S803", user},
    {"GET", "/api/v1/shopping/queue/token/42/status", 404, "P: S803", user},
    {"GET", "/queue/tokens/42/status", 404, "P: S801", user},
    {"GET", "/queue/not-a-uuid", 404, "P: C003"},
    {"GET", "/queue/TIMEDEAL/42", 404, "P: C003"},
    {"GET", "/queue/TIMEDEAL/42/nothing", 404, "P: C003"},
    {"GET", "/api/v1/shopping/nothing", 404, "P: C003"},
    {"GET", "/api/shopping/nothing", 404, "P: C003"},

    // Its operators.
    {"POST", "/admin/queue/TIMEDEAL/42/deactivate", 401, "P's gateway: GW-A001"},
    {"POST", "/admin/queue/TIMEDEAL/42/deactivate", 403, "P: C004", user},
    {"POST", "/admin/queue/TIMEDEAL/42/deactivate", 404, "P: S801", seller},
    {"POST", "/admin/queue/deactivate", 400, "P: C002", seller},
    {"GET", "/api/v1/shopping/admin/queue/TIMEDEAL/42/status", 404, "P: S801", seller},
    {"GET", "/api/v1/seller/queue/TIMEDEAL/42/status", 404, "P: SL501", seller},
    {"GET", "/api/v1/seller/queue/status", 404, "P: C003", seller},
    {"GET", "/api/v1/seller/nothing", 404, "P: C003"},
    {"GET", "/admin/queue/nothing", 404, "P: C003"},

    // System H: "queues", not "queue".
    {"POST", "/api/v1/queues/token", 401, "H: 접근이 거부되었습니다."},
    {"GET", "/api/v1/queues/token/rank", 401, "H: 접근이 거부되었습니다."},
    {"POST", "/api/v1/queues/token/paid", 400, "H: 잘못된 요청입니다."},
    {"POST", "/api/v1/queues/batch", 400, "H: 잘못된 요청입니다."},
    {"GET", "/api/v1/queues/token", 405, "H: 지원하지 않는 메서드입니다."},
    {"GET", "/api/v1/queues/nothing", 404, "H: 존재하지 않는 경로입니다."},
    {"GET", "/api/v1/queues/token/EVENT", 404, "H: 존재하지 않는 경로입니다."},

    // Three systems' origins have this path; by itself the waiting room has it not.
    {"POST", "/api/v1/reservations", 404, "T: NOT_FOUND"},
    {"POST", "/api/v1/reservations/concert", 404, "T: NOT_FOUND"},

    // Our own.
    {"GET", "/v1/rooms/nothing", 404, "native: room_not_found"},
    {"GET", "/v1/rooms/nothing/ticket", 404, "native: room_not_found"},
    {"POST", "/v1/rooms/nothing", 405, "native: method_not_allowed"},
    {"GET", "/v1/admin/rooms", 401, "native: unauthorized"},
    {"GET", "/v1/verify", 400, "native: bad_request"},
    {"GET", "/v1/queue/status", 404, "native: not_found"},
    {"POST", "/v1/queues/token", 404, "native: not_found"},
    {"POST", "/v1/queue/check/EVENT", 404, "native: not_found"},
    {"GET", "/v1/nothing", 404, "native: not_found"},
    {"GET", "/wait/spring-sale", 200, "native: waiting page"},
    {"GET", "/wait/spring-sale/timer.js", 200, "the pages' timer"},
    {"GET", "/wait/spring-sale/nothing", 404, "native: not_found"},
    {"GET", "/healthz", 200, R"({"status":"ok"})"},
    {"GET", "/health", 200,
     R"({"service":"queue-service","status":"ok","dependencies":{"redis":"ok"}})"},
    {"GET", "/version", 200,
     R"({"service":"gateway-api","version":"dev","commit":"unknown","built":"unknown"})"},

    {"GET", "/", 200, "native: front page"},
    {"POST", "/", 405, "native: method_not_allowed"},
    {"GET", "/favicon.ico", 204, ""},

    // Nobody's, beside those that are somebody's.
    {"GET", "/index.html", 404, "native: not_found"},
    {"GET", "//", 404, "native: not_found"},
    {"GET", "/queue", 404, "native: not_found"},
    {"GET", "/api/nothing", 404, "native: not_found"},
    {"POST", "/api/queues/token", 404, "native: not_found"},
    {"GET", "/admin/nothing", 404, "native: not_found"},
    {"GET", "/vwrong/EVENT", 404, "native: not_found"},
    {"GET", "/API/v1/queue/status", 404, "native: not_found"},
    {"GET", "/api/v1/queuestatus", 404, "T: NOT_FOUND"},
    {"GET", "/api/v1/nothing", 404, "T: NOT_FOUND"},
};

std::string headers_of(Who who) {
    switch (who) {
        case nobody: return {};
        case user: return portal::TestQueue::as_user("ann");
        case seller: return portal::TestQueue::as_seller();
    }
    return {};
}

TEST(RouteMap, EveryPathIsAnsweredByItsOwner) {
    TestServer server(all_systems());
    for (const Row& row : rows) {
        std::string path = row.path;
        for (std::size_t at = 0; (at = path.find("EVENT")) != path.npos;)
            path.replace(at, 5, urr::event_id);
        const Response answer = server.ask(row.method, path, headers_of(row.who), row.body);
        EXPECT_EQ(answer.status, row.status) << row.method << " " << path;
        EXPECT_EQ(said(answer), row.says) << row.method << " " << path;
    }
}

} // namespace
} // namespace anteroom
