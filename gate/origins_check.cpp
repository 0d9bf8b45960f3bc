#include "gate/origins_check.h"

#include <fmt/format.h>

#include "net/loop.h"
#include "net/loop_buffers.h"

namespace anteroom::gate {

OriginCheck::OriginCheck(net::Loop& loop, Origins& origins, Origin& origin,
                         const HealthRules& rules)
    : loop_(loop), origins_(origins), origin_(origin), rules_(rules) {
    again_ = loop.every(rules.interval, [this] { ask(); });
}

void OriginCheck::ask() {
    if (upstream_) return; // The last check is under way; its deadline ends it.
    if (origin_.addresses.empty()) return origins_.note_check(origin_, false);
    upstream_ = std::make_unique<net::Upstream>(loop_);
    if (!upstream_->connect(origin_.address(), rules_.deadline, *this)) return conclude(false);
    stream_.begin(false, false);
    upstream_->send(
        fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: anteroom-check\r\n"
                    "Connection: close\r\n\r\n",
                    rules_.path, origin_.url.authority));
}

void OriginCheck::on_upstream_bytes(net::Upstream&, std::string_view bytes) {
    net::LoopBuffers& buffers = loop_.buffers();
    std::string_view piece;
    using Step = net::ResponseStream::Step;
    Step step = Step::interim;
    while (step == Step::interim) {
        step = stream_.next(bytes, buffers.response, buffers.plain, piece);
    }
    if (step == Step::more) return;
    const unsigned status = buffers.response.status;
    conclude(step == Step::head && status >= 200 && status < 400);
}

void OriginCheck::conclude(bool well) {
    upstream_->close();
    loop_.soon([dead = std::move(upstream_)] {}); // The Upstream may be calling right now.
    origins_.note_check(origin_, well);
}

} // namespace anteroom::gate
