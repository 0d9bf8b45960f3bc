// HttpClient: a small HTTP/1.1 client for coroutines, http and https.
//
//   ClientRequest request{.url = "https://example.org/hook"};
//   Result<ClientResponse> response = co_await client.fetch(std::move(request));
//
// Connections are kept alive and reused per host. A connection that dies before a byte of the
// answer came is replaced once, if the method may be repeated (RFC 9110, 9.2.2) and the caller does
// not forbid it. No redirects.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/alarm.h"
#include "net/response_reader.h"
#include "net/task.h"
#include "net/tls.h"

namespace anteroom::net {

class Channel;
class Loop;
struct Url; // NOLINT(bugprone-forward-declaration-namespace): redis has another one.

struct ClientRequest {
    std::string method = "GET";
    std::string url;
    std::vector<ClientResponse::Field> headers;
    std::string body;
    Millis connect_deadline{5'000};
    Millis deadline{10'000}; // Everything, from the name to the last byte.
    std::size_t response_bytes_max = 1024 * 1024;
    bool once = false; // Never sent again, whatever the method: for who counts requests.
};

struct ClientOptions {
    std::string authorities; // PEM file; empty: those of the system.
    std::size_t idle_per_host_max = 8;
    std::size_t idle_max = 64;
    Millis idle_deadline{30'000};
};

class HttpClient {
  public:
    static Result<std::unique_ptr<HttpClient>> create(Loop& loop, ClientOptions options = {});
    ~HttpClient(); // REQUIRES: no fetch is under way.
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    Task<Result<ClientResponse>> fetch(ClientRequest request);

    std::size_t idle_connections() const;

  private:
    struct Idle {
        std::unique_ptr<Channel> channel;
        Instant until;
    };
    struct Attempt {
        Result<ClientResponse> response;
        bool may_repeat = false; // The connection died without a byte.
    };

    HttpClient(Loop& loop, ClientOptions options, std::shared_ptr<TlsClient> tls);
    Task<Attempt> exchange(std::unique_ptr<Channel> channel, std::string key, std::string bytes,
                           bool no_body, std::size_t response_bytes_max, Instant due);
    std::unique_ptr<Channel> take_idle(const std::string& key);
    void give_back(const std::string& key, std::unique_ptr<Channel> channel);
    void drop_stale();

    Loop& loop_;
    ClientOptions options_;
    std::shared_ptr<TlsClient> tls_;
    std::map<std::string, std::vector<Idle>> idle_; // By "http://host:port".
    Alarm sweep_;
};

} // namespace anteroom::net
