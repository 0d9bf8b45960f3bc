#include "gate/proxy.h"

#include <algorithm>

#include "base/check.h"
#include "gate/proxy_passage.h"
#include "net/header_check.h"

namespace anteroom::gate {

Proxy::Proxy(net::Loop& loop, ProxyOptions options, Refuser& refuser)
    : loop_(loop), options_(std::move(options)), refuser_(refuser) {}

Proxy::~Proxy() {
    CHECK(spare_.size() == passages_.size()); // No request is under way.
}

Result<std::unique_ptr<Proxy>> Proxy::open(net::Loop& loop, ProxyOptions options,
                                           Refuser& refuser) {
    auto origins = Origins::open(loop, options.origins);
    if (!origins) return origins.fault();
    std::unique_ptr<Proxy> proxy(new Proxy(loop, std::move(options), refuser));
    proxy->origins_ = *std::move(origins);
    return proxy;
}

void Proxy::forward(const net::Request& request, net::Exchange& exchange, const ForwardPlan& plan) {
    const auto is_safe = [](const net::Header& header) {
        return net::is_safe_header(header.name, header.value);
    };
    const bool is_plan_safe = std::all_of(plan.identity.begin(), plan.identity.end(), is_safe) &&
                              net::is_value(plan.request_id);
    if (!is_plan_safe) { // A user's name with a line end would become another header.
        exchange.answer(net::Status::internal_error);
        return;
    }
    if (spare_.empty()) {
        passages_.push_back(std::make_unique<Passage>(*this));
        spare_.push_back(passages_.back().get());
    }
    Passage& passage = *spare_.back();
    spare_.pop_back();
    stats_.under_way.add();
    stats_.requests.add();
    passage.start(request, exchange, plan);
}

// The Passage stays allocated: retire() is called from its own functions.
void Proxy::retire(Passage& passage) {
    stats_.under_way.add(-1);
    spare_.push_back(&passage);
}

} // namespace anteroom::gate
