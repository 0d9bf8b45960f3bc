// How answers begin and how refusals look.
#include <fmt/format.h>

#include <algorithm>

#include "api/api.h"
#include "base/json_text.h"

namespace anteroom::api {

void Api::write_problem(net::Answer& answer, Code code, std::string_view detail,
                        const RequestId& request_id) {
    const Problem& problem = problem_of(code);
    answer.headers("Content-Type: application/problem+json\r\nCache-Control: no-store\r\n");
    if (problem.status == net::Status::unauthorized) answer.header("WWW-Authenticate", "Bearer");
    net::Output& out = answer.body();
    fmt::format_to(fmt::appender(out),
                   R"({{"type":"about:blank#{}","title":"{}","status":{},"code":"{}","detail":)",
                   problem.code, problem.title, net::code(problem.status), problem.code);
    append_json_string(out, detail.empty() ? problem.title : detail);
    fmt::format_to(fmt::appender(out), R"(,"request_id":"{}"}})", request_id.view());
}

void Api::refuse(Ask& ask, Code code, std::string_view detail, std::int64_t retry_after) {
    net::Answer answer = begin(ask, problem_of(code).status);
    const net::Status status = problem_of(code).status;
    if (status == net::Status::too_many_requests || status == net::Status::unavailable)
        answer.header("Retry-After",
                      static_cast<std::uint64_t>(std::max<std::int64_t>(retry_after, 5)));
    write_problem(answer, code, detail, ask.request_id);
}

void Api::refuse(Later& later, Code code, std::string_view detail) {
    net::Answer answer = begin(later, problem_of(code).status);
    if (problem_of(code).status == net::Status::unavailable) answer.header("Retry-After", 5);
    write_problem(answer, code, detail, later.request_id);
}

// What the edge refused by itself: too long, too slow, not HTTP.
void Api::refused(const net::Refusal& refusal, net::Answer& answer) {
    const RequestId request_id = desk_.next_request_id();
    const bool ours = refusal.status == net::Status::unavailable;
    answer.header("X-Request-ID", request_id.view());
    answer.header("Content-Type", "application/problem+json");
    net::Output& out = answer.body();
    fmt::format_to(fmt::appender(out),
                   R"({{"type":"about:blank","title":"{}","status":{},"code":"{}","detail":)",
                   net::phrase(refusal.status), net::code(refusal.status),
                   ours ? "unavailable" : "bad_request");
    append_json_string(out, refusal.reason);
    fmt::format_to(fmt::appender(out), R"(,"request_id":"{}"}})", request_id.view());
}

void Api::preflight(Ask& ask) {
    const std::string_view origin = desk_.allowed_origin(ask.request);
    if (origin.empty()) return refuse(ask, Code::forbidden, "this origin is not allowed");
    net::Answer answer = begin(ask, net::Status::no_content);
    answer.header("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS");
    answer.header("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-ID");
    answer.header("Access-Control-Max-Age", "3600");
    answer.send();
}

} // namespace anteroom::api
