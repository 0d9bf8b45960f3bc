// What everybody may know of a room, the gate's question, and the routes of those who run the
// server.
#include <fmt/format.h>

#include "api/api.h"
#include "api/assets.h"
#include "net/header_values.h"
#include "net/url.h"
#include "service/pulse_json.h"

namespace anteroom::api {

using net::Status;

HostedRoom* Api::find_room(Ask& ask) {
    HostedRoom* found = service_.rooms().find(ask.room_id);
    if (!found) refuse(ask, Code::room_not_found);
    return found;
}

void Api::room(Ask& ask) {
    const HostedRoom* hosted = find_room(ask);
    if (!hosted) return;
    const Room& view = hosted->view();
    net::Answer answer = begin(ask, Status::ok);
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

void Api::pulse(Ask& ask) {
    HostedRoom* hosted = find_room(ask);
    if (!hosted) return;
    const net::Frame document = hosted->pulse().document(*hosted, ask.now);
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "application/json");
    answer.header("Cache-Control", "public, max-age=1");
    net::append(answer.body(), *document);
}

void Api::health(Ask& ask) {
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), R"({"status":"ok"})");
}

void Api::ready(Ask& ask) {
    const bool stopping = shared_.stopping.load(std::memory_order_relaxed);
    if (stopping) return refuse(ask, Code::unavailable, "the server is shutting down");
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "application/json");
    net::append(answer.body(), R"({"status":"ready"})");
}

void Api::metrics(Ask& ask) {
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "text/plain; version=0.0.4");
    net::append(answer.body(), shared_.metrics ? shared_.metrics() : "");
}

void Api::openapi(Ask& ask) {
    net::Answer answer = begin(ask, Status::ok);
    answer.header("Content-Type", "application/json");
    answer.header("Cache-Control", "public, max-age=300");
    net::append(answer.body(), assets::openapi.plain);
}

} // namespace anteroom::api
