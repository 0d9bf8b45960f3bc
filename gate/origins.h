// Origins: the servers behind the gate, on one loop, and which of them is asked next.
//
// The one with the fewest requests under way among those that are up; between equals, in turns.
// One is down after failures_max failures in a row, of requests or of checks. It is up again after
// successes_min good checks or, without checks, on trial after trial_after: the next failure puts
// it down again. When all are down they are used all the same: a wrong check must not close the
// site.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/alarm.h"
#include "net/task.h"
#include "net/upstream_pool.h"
#include "net/url.h"

namespace anteroom::gate {

struct HealthRules {
    std::string path; // Asked with GET; empty: no checks, requests alone decide.
    Millis interval{5'000};
    Millis deadline{2'000};
    unsigned failures_max = 3;  // In a row, then it is down.
    unsigned successes_min = 2; // Checks in a row, then it is up.
    Millis trial_after{10'000}; // Down by requests: how long until it is tried again.
};

struct OriginsOptions {
    std::vector<std::string> urls; // "http://host:port" or "https://…", without a path.
    std::string authorities;       // PEM file for https; empty: those of the system.
    std::string server_name;       // Of the certificate; empty: the host of the URL.
    net::UpstreamLimits limits;
    HealthRules health;
    Millis resolve_interval{30'000}; // Names are looked up again.
};

class OriginCheck;

struct Origin {
    Origin(net::Loop& loop, const net::UpstreamLimits& limits) : pool(loop, limits) {}

    net::Url url;
    std::vector<net::UpstreamAddress> addresses; // Empty: its name is not known yet.
    std::size_t next_address = 0;
    net::UpstreamPool pool;
    std::uint32_t under_way = 0; // Requests.
    unsigned failures = 0;       // In a row.
    unsigned successes = 0;      // Of checks, in a row, while it is down.
    bool is_up = true;
    Instant trial_at{};

    // REQUIRES: addresses is not empty. The next one in turn.
    const net::UpstreamAddress& address() { return addresses[next_address++ % addresses.size()]; }
};

class Origins {
  public:
    static Result<std::unique_ptr<Origins>> open(net::Loop& loop, OriginsOptions options);
    ~Origins();
    Origins(const Origins&) = delete;
    Origins& operator=(const Origins&) = delete;

    // Null: there is no other than `except`.
    Origin* pick(const Origin* except = nullptr);

    // The result of a request or of a check.
    void note_success(Origin& origin);
    void note_failure(Origin& origin);
    void note_check(Origin& origin, bool well);

    std::span<const std::unique_ptr<Origin>> all_testing() const { return origins_; }

  private:
    Origins(net::Loop& loop, OriginsOptions options, std::shared_ptr<net::TlsClient> tls);
    Result<void> add(const std::string& text);
    void look_up();
    void take_addresses(Origin& origin, const std::vector<sockaddr_storage>& found);
    static net::Task<void> look_up_one(std::shared_ptr<Origins*> self, net::Loop& loop,
                                       std::size_t index);

    net::Loop& loop_;
    OriginsOptions options_;
    std::shared_ptr<net::TlsClient> tls_;
    std::vector<std::unique_ptr<Origin>> origins_;
    std::vector<std::unique_ptr<OriginCheck>> checks_;
    std::size_t turn_ = 0;
    std::shared_ptr<Origins*> self_; // Points to null once this is gone: a lookup may end later.
    net::Alarm look_up_again_;
};

} // namespace anteroom::gate
