#include "gate/origins.h"

#include <algorithm>

#include "gate/origins_check.h"
#include "net/loop.h"
#include "net/resolve.h"

namespace anteroom::gate {

Origins::Origins(net::Loop& loop, OriginsOptions options, std::shared_ptr<net::TlsClient> tls)
    : loop_(loop),
      options_(std::move(options)),
      tls_(std::move(tls)),
      self_(std::make_shared<Origins*>(this)) {}

Origins::~Origins() {
    *self_ = nullptr;
}

Result<std::unique_ptr<Origins>> Origins::open(net::Loop& loop, OriginsOptions options) {
    std::shared_ptr<net::TlsClient> tls;
    const auto is_secure = [](const std::string& url) { return url.starts_with("https://"); };
    if (std::any_of(options.urls.begin(), options.urls.end(), is_secure)) {
        auto loaded = net::TlsClient::load(options.authorities);
        if (!loaded) return loaded.fault();
        tls = *std::move(loaded);
    }
    std::unique_ptr<Origins> origins(new Origins(loop, std::move(options), std::move(tls)));
    if (origins->options_.urls.empty()) return Fault{"there is no origin"};
    for (const std::string& url : origins->options_.urls) {
        if (auto added = origins->add(url); !added) return added.fault();
    }
    origins->look_up();
    origins->look_up_again_ =
        loop.every(origins->options_.resolve_interval, [self = origins.get()] { self->look_up(); });
    return origins;
}

Result<void> Origins::add(const std::string& text) {
    const std::optional<net::Url> url = net::parse_url(text);
    if (!url || url->target != "/") return Fault{"not an origin like http://host:port: " + text};
    auto origin = std::make_unique<Origin>(loop_, options_.limits);
    origin->url = *url;
    if (!options_.health.path.empty()) {
        checks_.push_back(std::make_unique<OriginCheck>(loop_, *this, *origin, options_.health));
    }
    origins_.push_back(std::move(origin));
    return {};
}

void Origins::look_up() {
    for (std::size_t i = 0; i < origins_.size(); ++i) {
        net::spawn(loop_, look_up_one(self_, loop_, i));
    }
}

net::Task<void> Origins::look_up_one(std::shared_ptr<Origins*> self, net::Loop& loop,
                                     std::size_t index) {
    const net::Url url = (*self)->origins_[index]->url;
    const Millis deadline{10'000};
    auto found = co_await net::resolve(loop, url.host, url.port, deadline);
    // A name that cannot be looked up now keeps the addresses it had.
    if (*self && found) (*self)->take_addresses(*(*self)->origins_[index], *found);
}

void Origins::take_addresses(Origin& origin, const std::vector<sockaddr_storage>& found) {
    const std::string& name = options_.server_name.empty() ? origin.url.host : options_.server_name;
    origin.addresses.clear();
    for (const sockaddr_storage& address : found) {
        origin.addresses.push_back(
            {.address = address, .tls = origin.url.secure ? tls_ : nullptr, .server_name = name});
    }
}

Origin* Origins::pick(const Origin* except) {
    const Instant now = loop_.now();
    Origin* best = nullptr;
    bool best_is_up = false;
    ++turn_;
    for (std::size_t i = 0; i < origins_.size(); ++i) {
        Origin& one = *origins_[(turn_ + i) % origins_.size()];
        if (&one == except) continue;
        const bool up = one.is_up || (options_.health.path.empty() && one.trial_at <= now);
        const bool better =
            !best || (up && !best_is_up) || (up == best_is_up && one.under_way < best->under_way);
        if (!better) continue;
        best = &one;
        best_is_up = up;
    }
    return best;
}

void Origins::note_success(Origin& origin) {
    origin.failures = 0;
    if (options_.health.path.empty()) origin.is_up = true; // The trial went well.
}

void Origins::note_failure(Origin& origin) {
    ++origin.failures;
    if (origin.failures < options_.health.failures_max) return;
    origin.is_up = false;
    origin.successes = 0;
    origin.trial_at = loop_.now() + options_.health.trial_after;
    // After the trial one success is enough, and so is one failure.
    origin.failures = options_.health.failures_max;
}

void Origins::note_check(Origin& origin, bool well) {
    if (!well) return note_failure(origin);
    if (origin.is_up) {
        origin.failures = 0;
        return;
    }
    if (++origin.successes < options_.health.successes_min) return;
    origin.is_up = true;
    origin.failures = 0;
}

} // namespace anteroom::gate
