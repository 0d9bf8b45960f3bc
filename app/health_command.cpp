#include "app/health_command.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/exit_codes.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/task.h"
#include "net/url.h"

namespace anteroom::app {
namespace {

constexpr std::string_view ready_path = "/readyz";
// Below the timeout of the image's HEALTHCHECK, so that the reason is printed before it.
constexpr Millis deadline = seconds(4);

// A server that listens on every address listens on loopback, too.
std::string own_url(const Config& config) {
    if (!config.tls_certificate.empty())
        throw ConfigError(
            "the server speaks TLS: name it as its certificate does, such as "
            "anteroom health https://queue.example:8443/readyz");
    const Listen listen = parse_listen(config.listen);
    if (listen.port == 0)
        throw ConfigError("server.listen has port 0, which the system chooses: give the URL");
    std::string host = listen.address;
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    if (host.find(':') != host.npos) host = "[" + host + "]";
    return fmt::format("http://{}:{}{}", host, listen.port, ready_path);
}

std::string url_of(const Config& config, const HealthOptions& options) {
    if (options.url.empty()) return own_url(config);
    const std::optional<net::Url> url = net::parse_url(options.url);
    if (!url)
        throw ConfigError(
            fmt::format("\"{}\" is no URL such as http://127.0.0.1:8080/readyz", options.url));
    if (url->target != "/") return options.url;
    return fmt::format("{}://{}{}", url->secure ? "https" : "http", url->authority, ready_path);
}

using Answer = std::optional<Result<net::ClientResponse>>;

net::Task<void> ask(net::Loop* loop, net::HttpClient* client, std::string url, Answer* answer) {
    net::ClientRequest request{.url = std::move(url),
                               .headers = {{"User-Agent", "anteroom-health"}},
                               .connect_deadline = deadline,
                               .deadline = deadline};
    answer->emplace(co_await client->fetch(std::move(request)));
    loop->stop();
}

} // namespace

int health(const Config& config, const HealthOptions& options) {
    const std::string url = url_of(config, options);
    net::Loop loop;
    Result<std::unique_ptr<net::HttpClient>> client =
        net::HttpClient::create(loop, {.authorities = options.authorities});
    if (!client) throw ConfigError("--authorities: " + client.fault().reason);
    Answer answer;
    net::spawn(loop, ask(&loop, client->get(), url, &answer));
    loop.run();
    if (!*answer) {
        fmt::print(stderr, "not ready: {}: {}\n", url, answer->fault().reason);
        return exit_no;
    }
    const net::ClientResponse& response = **answer;
    if (response.status != 200) {
        fmt::print(stderr, "not ready: {} answers {}\n", url, response.status);
        return exit_no;
    }
    fmt::print("ready: {}\n", url);
    return exit_done;
}

} // namespace anteroom::app
