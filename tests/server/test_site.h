// A site behind the gate, for tests.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "dialects/urr/test_event.h"

namespace anteroom::urr {

// A site that tells what arrived.
struct Site {
    Site()
        : server([this](const net::Request& request, net::Exchange& exchange) {
              {
                  const std::lock_guard lock(mutex);
                  last = std::string(request.method_text) + " " + std::string(request.target);
                  headers.clear();
                  body = std::string(request.body);
                  for (const net::Header& header : request.headers())
                      headers += std::string(header.name) + ": " + std::string(header.value) + "\n";
              }
              ++requests;
              exchange.answer(net::Status::ok, "text/plain", "the site");
          }) {}
    std::string url() const { return "http://127.0.0.1:" + std::to_string(server.port()); }
    bool saw(std::string_view text) {
        const std::lock_guard lock(mutex);
        return headers.find(text) != std::string::npos;
    }
    std::string last_body() {
        const std::lock_guard lock(mutex);
        return body;
    }

    std::mutex mutex;
    std::string last, headers, body;
    std::atomic<int> requests{0};
    net::testing::TestServer server;
};

inline std::string path_of(std::string_view before, std::string_view after = {}) {
    return fmt::format("{}{}{}", before, event_id, after);
}

} // namespace anteroom::urr
