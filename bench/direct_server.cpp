// anteroom-bench-direct: a waiting room as it is usually built on Redis: every poll asks for the
// rank.
//
//   anteroom-bench-direct PORT KEY BYTES
//
// Answers every request with the rank of the visitor whom the header X-Visitor names, in a body of
// so many bytes. The HTTP server and the connection to Redis are the same as Anteroom's, so that
// only the design differs: one ZRANK per poll, sent together with those of the same turn.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/check.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "store/redis/client.h"

namespace anteroom::bench {
namespace {

class Direct final : public net::Handler {
  public:
    Direct(redis::Client& client, std::string key, std::size_t bytes)
        : client_(client), key_(std::move(key)), bytes_(bytes) {}

    void handle(const net::Request& request, net::Exchange& exchange) override {
        const std::string visitor(request.header("x-visitor").value_or(""));
        client_.call(
            key_, {"ZRANK", key_, visitor},
            [this, reply = exchange.defer()](const redis::CallResult& answer) mutable {
                // A visitor who was called has left the sorted set, so ZRANK is nil: 0.
                const bool fine = answer.trouble == redis::Trouble::none;
                net::Answer out = reply.answer(fine ? net::Status::ok : net::Status::unavailable);
                out.headers("Content-Type: application/json\r\nCache-Control: no-store\r\n");
                net::Output& body = out.body();
                const std::size_t before = body.size();
                fmt::format_to(fmt::appender(body), R"({{"ahead":{},"text":")",
                               answer.reply.integer);
                while (body.size() - before + 2 < bytes_) body.push_back('x');
                fmt::format_to(fmt::appender(body), "\"}}");
            });
    }

  private:
    redis::Client& client_;
    const std::string key_;
    const std::size_t bytes_;
};

int run(const char* port, const char* key, const char* bytes) {
    net::Loop loop;
    redis::ClientOptions options{
        .url = {.hosts = {{.host = "127.0.0.1",
                           .port = static_cast<std::uint16_t>(std::strtol(port, nullptr, 10))}}}};
    redis::Client client(loop, std::move(options));
    client.start();
    Direct direct(client, key, static_cast<std::size_t>(std::strtol(bytes, nullptr, 10)));
    Result<std::unique_ptr<net::HttpServer>> server = net::HttpServer::listen(loop, direct, {});
    CHECK(server);
    std::printf("listening %u\n", unsigned{(*server)->port()});
    std::fflush(stdout);
    loop.run(); // Until it is killed.
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** words) {
    if (count == 4) return anteroom::bench::run(words[1], words[2], words[3]);
    std::fprintf(stderr, "usage: anteroom-bench-direct PORT KEY BYTES\n");
    return 2;
}
