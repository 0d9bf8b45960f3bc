// anteroom-bench-bare: the least that an HTTP server can do, for comparison.
//
//   --bytes N   answers every request head with the same N bytes, whatever the request is
//   --sse N     answers with the head of an event stream; then, every second, N bytes to everybody
//
// Prints `listening PORT`. Ends by a signal.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <uv.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace anteroom::bench {
namespace {

constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::uint64_t frame_interval_ms = 1'000;

struct Client {
    uv_tcp_t tcp{};
    std::size_t matched = 0; // Bytes of head_end seen so far: a head may come in pieces.
    std::size_t slot = 0;    // Index in the list of listeners.
    bool listens = false;

    uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&tcp); }
    uv_handle_t* handle() { return reinterpret_cast<uv_handle_t*>(&tcp); }
    int descriptor() const {
        uv_os_fd_t fd = -1;
        uv_fileno(reinterpret_cast<const uv_handle_t*>(&tcp), &fd);
        return fd;
    }
};

class BareServer {
  public:
    BareServer(std::string answer, std::string frame)
        : answer_(std::move(answer)), frame_(std::move(frame)) {
        CHECK(uv_loop_init(&loop_) == 0);
        loop_.data = this;
    }
    BareServer(const BareServer&) = delete;
    BareServer& operator=(const BareServer&) = delete;

    void run(std::uint16_t port) {
        listen(port);
        if (!frame_.empty()) start_frames();
        uv_run(&loop_, UV_RUN_DEFAULT);
    }

  private:
    static BareServer& of(uv_loop_t* loop) { return *static_cast<BareServer*>(loop->data); }
    static Client& client_of(void* data) { return *static_cast<Client*>(data); }

    void listen(std::uint16_t port) {
        sockaddr_in address{};
        CHECK(uv_ip4_addr("127.0.0.1", port, &address) == 0);
        CHECK(uv_tcp_init(&loop_, &listener_) == 0);
        CHECK(uv_tcp_bind(&listener_, reinterpret_cast<const sockaddr*>(&address), 0) == 0);
        const auto on_connection = [](uv_stream_t* listener, int status) {
            if (status == 0) of(listener->loop).accept();
        };
        constexpr int backlog = 4'096;
        CHECK(uv_listen(reinterpret_cast<uv_stream_t*>(&listener_), backlog, on_connection) == 0);
        int length = sizeof address;
        CHECK(uv_tcp_getsockname(&listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
        std::printf("listening %d\n", ntohs(address.sin_port));
        std::fflush(stdout);
    }

    void accept() {
        auto* client = new Client;
        CHECK(uv_tcp_init(&loop_, &client->tcp) == 0);
        client->tcp.data = client;
        if (uv_accept(reinterpret_cast<uv_stream_t*>(&listener_), client->stream()) != 0)
            return close(*client);
        uv_tcp_nodelay(&client->tcp, 1);
        const auto allocate = [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
            auto& wire = of(handle->loop).wire_;
            *buffer = uv_buf_init(wire.data(), static_cast<unsigned>(wire.size()));
        };
        const auto arrived = [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
            BareServer& server = of(stream->loop);
            if (count < 0) return server.close(client_of(stream->data));
            server.on_bytes(client_of(stream->data),
                            {buffer->base, static_cast<std::size_t>(count)});
        };
        uv_read_start(client->stream(), allocate, arrived);
    }

    void on_bytes(Client& client, std::string_view bytes) {
        std::size_t heads = 0;
        for (const char c : bytes) {
            const bool fits = c == head_end[client.matched];
            client.matched = fits ? client.matched + 1 : c == head_end[0] ? 1 : 0;
            if (client.matched < head_end.size()) continue;
            client.matched = 0;
            ++heads;
        }
        if (heads > 0) answer(client, frame_.empty() ? heads : 1);
    }

    // The answers to all heads that came together leave in one write. A client that does not read
    // them is none of a benchmark's.
    void answer(Client& client, std::size_t count) {
        if (client.listens) return;
        std::string several;
        for (std::size_t i = 1; i < count; ++i) several += answer_;
        if (!several.empty()) several += answer_;
        const std::string& text = several.empty() ? answer_ : several;
        const uv_buf_t buffer =
            uv_buf_init(const_cast<char*>(text.data()), static_cast<unsigned>(text.size()));
        if (uv_try_write(client.stream(), &buffer, 1) != static_cast<int>(text.size()))
            return close(client);
        if (!frame_.empty()) add_listener(client);
    }

    void add_listener(Client& client) {
        client.listens = true;
        client.slot = listeners_.size();
        listeners_.push_back(&client);
    }

    void start_frames() {
        CHECK(uv_timer_init(&loop_, &timer_) == 0);
        const auto tick = [](uv_timer_t* timer) { of(timer->loop).send_frames(); };
        CHECK(uv_timer_start(&timer_, tick, frame_interval_ms, frame_interval_ms) == 0);
    }

    void send_frames() {
        std::vector<Client*> lost;
        for (Client* client : listeners_) {
            const ssize_t sent = ::send(client->descriptor(), frame_.data(), frame_.size(),
                                        MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent != static_cast<ssize_t>(frame_.size())) lost.push_back(client);
        }
        for (Client* client : lost) close(*client);
    }

    void close(Client& client) {
        if (uv_is_closing(client.handle())) return;
        if (client.listens) {
            listeners_[client.slot] = listeners_.back();
            listeners_[client.slot]->slot = client.slot;
            listeners_.pop_back();
        }
        uv_close(client.handle(), [](uv_handle_t* handle) { delete &client_of(handle->data); });
    }

    uv_loop_t loop_{};
    uv_tcp_t listener_{};
    uv_timer_t timer_{};
    const std::string answer_;
    const std::string frame_; // Empty: answers are all there is.
    std::vector<Client*> listeners_;
    std::array<char, 64 * 1024> wire_{};
};

std::string constant_answer(std::size_t bytes) {
    const auto head = [](std::size_t body) {
        return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
               std::to_string(body) + "\r\n\r\n";
    };
    // The shorter the body, the fewer digits its length has.
    for (std::size_t body = bytes; body > 0; --body)
        if (head(body).size() + body == bytes) return head(body) + std::string(body, 'x');
    return head(0);
}

std::string stream_head() {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
}

std::string constant_frame(std::size_t bytes) {
    constexpr std::string_view begin = "data: ";
    constexpr std::string_view end = "\n\n";
    const std::size_t fixed = begin.size() + end.size();
    const std::string text(bytes > fixed ? bytes - fixed : 1, 'x');
    return std::string(begin) + text + std::string(end);
}

int run(int count, char** arguments) {
    const std::string_view mode = count > 2 ? arguments[1] : "";
    const unsigned long bytes = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 0;
    const unsigned long port = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 0;
    constexpr unsigned long bytes_max = 1'000'000;
    const bool sensible = bytes > 0 && bytes <= bytes_max && port <= 0xffff && count <= 4;
    if (!sensible || (mode != "--bytes" && mode != "--sse")) {
        std::fputs("usage: anteroom-bench-bare --bytes N [PORT] | --sse N [PORT]\n", stderr);
        return 2;
    }
    const bool streams = mode == "--sse";
    BareServer server(streams ? stream_head() : constant_answer(bytes),
                      streams ? constant_frame(bytes) : "");
    server.run(static_cast<std::uint16_t>(port));
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** arguments) {
    return anteroom::bench::run(count, arguments);
}
