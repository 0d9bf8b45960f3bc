// What everybody may know of a room, and the routes of those who run the server.
#include <fmt/format.h>

#include "api/native.h"
#include "base/json_text.h"

namespace anteroom::api {

using net::Status;

void Native::room(Call& call) {
    const HostedRoom* hosted = find_room(call);
    if (!hosted) return;
    const Room& view = hosted->view();
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    answer.header("Cache-Control", "no-store");
    net::Output& out = answer.body();
    fmt::format_to(
        fmt::appender(out),
        R"({{"room":"{}","state":"{}","issued":{},"serving":{},"waiting":{},"active":{},"capacity":{},"rate_per_second":)",
        hosted->id(), name(view.state()), view.issued(), view.serving(), view.waiting(),
        view.inside(), view.settings().capacity);
    const double rate = view.rate_per_second();
    if (rate > 0)
        fmt::format_to(fmt::appender(out), "{:.3f}", rate);
    else
        net::append(out, "null");
    net::append(out, R"(,"message":)");
    if (hosted->profile().message.empty())
        net::append(out, "null");
    else
        append_json_string(out, hosted->profile().message);
    net::append(out, "}");
}

void Native::pulse(Call& call) {
    HostedRoom* hosted = find_room(call);
    if (!hosted) return;
    const net::Frame document = hosted->pulse().document(*hosted, call.now());
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    answer.header("Cache-Control", "public, max-age=1");
    net::append(answer.body(), *document);
}

void Native::health(Call& call) {
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), R"({"status":"ok"})");
}

// Ready means that commands are accepted.
void Native::ready(Call& call) {
    if (desk_.shared().stopping.load(std::memory_order_relaxed))
        return refuse(call, Code::unavailable, "the server is shutting down");
    if (!desk_.is_ready()) return refuse(call, Code::unavailable, "nothing can be written");
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), R"({"status":"ready"})");
}

void Native::metrics(Call& call) {
    const auto& text = desk_.shared().metrics;
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "text/plain; version=0.0.4");
    net::append(answer.body(), text ? text() : "");
}

void Native::openapi(Call& call) {
    net::Answer answer = call.begin(Status::ok);
    answer.header("Content-Type", "application/json");
    answer.header("Cache-Control", "public, max-age=300");
    net::append(answer.body(), openapi_document());
}

} // namespace anteroom::api
