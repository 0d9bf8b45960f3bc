// HttpClient: an HTTP/1.1 client for coroutines, http and https, on the connections, the response
// parser and the pool that the proxy uses.
//
//   ClientRequest request{.url = "https://example.org/hook"};
//   Result<ClientResponse> response = co_await client.fetch(std::move(request));
//
// For short calls: request and answer are in memory as a whole, both bounded. Connections are kept
// alive and reused per host. A kept connection that dies before a byte of the answer came is
// replaced once, if the method may be repeated (RFC 9110, 9.2.2) and the caller does not forbid it.
// No redirects.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/client_response.h"
#include "net/task.h"
#include "net/tls.h"
#include "net/upstream_pool.h"

namespace anteroom::net {

class Loop;
struct Url; // NOLINT(bugprone-forward-declaration-namespace): redis has another one.

struct ClientRequest {
    std::string method = "GET";
    std::string url;
    std::vector<ClientResponse::Field> headers;
    std::string body; // At most ClientOptions::request_bytes_max.
    Millis connect_deadline{5'000};
    Millis deadline{10'000};                      // Everything, from the name to the last byte.
    std::size_t response_bytes_max = 1024 * 1024; // Of the body; limits.h bounds the head.
    bool once = false; // Never sent again, whatever the method: for callers that count requests.
};

struct ClientOptions {
    std::string authorities; // PEM file; empty: those of the system.
    std::string server_name; // Of every certificate; empty: the host of the URL.
    std::size_t request_bytes_max = 1024 * 1024; // Of a body.
    std::size_t connections_per_host_max = 256;
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
    HttpClient(Loop& loop, ClientOptions options, std::shared_ptr<TlsClient> tls);
    Task<Result<ClientResponse>> fetch_on_new(const ClientRequest& request, const Url& url,
                                              const std::string& bytes, Instant due);
    UpstreamPool& pool_of(const Url& url);
    void keep(UpstreamPool& pool, std::unique_ptr<Upstream> upstream);

    Loop& loop_;
    ClientOptions options_;
    std::shared_ptr<TlsClient> tls_;
    std::map<std::string, UpstreamPool> pools_; // By "http://host:port".
};

} // namespace anteroom::net
