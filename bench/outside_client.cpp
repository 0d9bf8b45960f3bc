// anteroom-bench-outside-client: sends HTTP requests that somebody else wrote, and keeps the
// answers.
//
//   anteroom-bench-outside-client ADDRESS PORT CONNECTIONS SECONDS once|around REQUESTS [ANSWERS]
//
// REQUESTS is a file of records: the length as a line, then so many bytes, sent as they are.
// `once`: each is sent once, in order, whichever connection is free. `around`: from the start again
// and again. Ends after SECONDS, when all are answered, or when the server is gone. ANSWERS gets a
// line `INDEX STATUS US LENGTH` and then the head and the body of every answer, chunks put
// together. Prints `result requests=N us=N refused=N errors=N p50_us=N p99_us=N`: how many were
// answered, in which time, how many of them with 400 or more, how many got no answer, and how long
// one took.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"

namespace anteroom::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t answer_bytes_max = 4 * 1024 * 1024; // More is no answer of a waiting room.
constexpr std::chrono::seconds patience{10};              // For the answers under way at the end.

struct Options {
    sockaddr_storage address{};
    socklen_t address_bytes = 0;
    std::size_t connections = 0;
    std::chrono::seconds span{0};
    bool is_around = false;
    std::string requests;
    std::string answers; // Empty: answers are not kept.
};

struct Answer {
    int status = 0;
    std::string body;      // Without the chunks' lengths.
    std::size_t bytes = 0; // On the wire.
    std::size_t head_bytes = 0;
    bool is_last = false; // The server closes the connection.
};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool equal_fold(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

// The value of a field, without the blanks around it; empty: there is none.
std::string_view field(std::string_view head, std::string_view name) {
    for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;) {
        const std::size_t begin = at + 2;
        at = head.find("\r\n", begin);
        const std::string_view line = head.substr(begin, at - begin);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !equal_fold(line.substr(0, colon), name)) continue;
        std::string_view value = line.substr(colon + 1);
        while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
        while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
        return value;
    }
    return {};
}

// Puts the chunks together. False: there is more to come; `is_wrong`: never.
bool take_chunks(std::string_view wire, std::size_t at, Answer& answer, bool& is_wrong) {
    while (true) {
        const std::size_t end = wire.find("\r\n", at);
        if (end == std::string_view::npos) return false;
        const auto length = parse_leading_number<std::size_t>(wire.substr(at, end - at), 16);
        is_wrong = !length || *length > answer_bytes_max;
        if (is_wrong) return false;
        at = end + 2;
        if (*length == 0) {
            const std::size_t trailer = wire.find("\r\n", at); // An empty one, as all send it.
            if (trailer == std::string_view::npos) return false;
            answer.bytes = trailer + 2;
            return true;
        }
        if (wire.size() < at + *length + 2) return false;
        answer.body.append(wire, at, *length);
        at += *length + 2;
    }
}

// The first answer in what has arrived; `is_ended`: and nothing follows. Empty: there is more to
// come; `is_wrong`: never.
std::optional<Answer> parse(std::string_view wire, bool is_ended, bool& is_wrong) {
    const std::size_t end = wire.find("\r\n\r\n");
    is_wrong = wire.size() > answer_bytes_max;
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view head = wire.substr(0, end + 2);
    const std::optional<std::size_t> status =
        head.size() > 12 && head.starts_with("HTTP/1.")
            ? parse_leading_number<std::size_t>(head.substr(9, 3))
            : std::nullopt;
    is_wrong = is_wrong || !status;
    if (is_wrong) return std::nullopt;
    Answer answer{.status = static_cast<int>(*status), .head_bytes = end + 4};
    answer.is_last = equal_fold(field(head, "connection"), "close") || head.starts_with("HTTP/1.0");
    if (equal_fold(field(head, "transfer-encoding"), "chunked")) {
        if (!take_chunks(wire, answer.head_bytes, answer, is_wrong)) return std::nullopt;
        return answer;
    }
    const bool has_body = answer.status >= 200 && answer.status != 204 && answer.status != 304;
    std::size_t length = 0;
    if (const auto told = parse_leading_number<std::size_t>(field(head, "content-length"))) {
        length = *told;
    } else if (has_body && answer.is_last) { // RFC 9112 section 6.3: up to the end.
        if (!is_ended) return std::nullopt;
        length = wire.size() - answer.head_bytes;
    }
    if (wire.size() < answer.head_bytes + length) return std::nullopt;
    answer.body = wire.substr(answer.head_bytes, length);
    answer.bytes = answer.head_bytes + length;
    return answer;
}

struct Client {
    int descriptor = -1; // Negative: the server is gone for this one.
    std::string arrived;
    std::size_t index = 0; // Of the request that is under way.
    bool is_asking = false;
    Clock::time_point asked;
};

class Crowd {
  public:
    explicit Crowd(Options options) : options_(std::move(options)), epoll_(::epoll_create1(0)) {
        CHECK(epoll_ >= 0);
        if (!options_.answers.empty()) answers_ = std::fopen(options_.answers.c_str(), "wb");
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;
    ~Crowd() {
        if (answers_ && std::fclose(answers_) != 0) std::perror("answers");
        ::close(epoll_);
    }

    // Null, or why the file of requests cannot be used.
    const char* read_requests() {
        std::ifstream file(options_.requests, std::ios::binary);
        wire_.assign(std::istreambuf_iterator<char>(file), {});
        std::string_view rest = wire_;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            if (end == std::string_view::npos) return "a record has no length";
            const auto length = parse_leading_number<std::size_t>(rest.substr(0, end));
            if (!length || rest.size() < end + 1 + *length) return "a record is cut off";
            requests_.push_back(rest.substr(end + 1, *length));
            rest.remove_prefix(end + 1 + *length);
        }
        return requests_.empty() ? "there are no requests" : nullptr;
    }

    bool run() {
        if (!options_.answers.empty() && !answers_) return false;
        clients_.resize(options_.connections);
        begin_ = Clock::now();
        end_ = begin_ + options_.span;
        for (Client& client : clients_) connect(client);
        while (asking_ > 0 && Clock::now() < end_ + patience) turn();
        errors_ += asking_;
        return true;
    }

    void print() {
        const auto us = [](Clock::duration span) {
            return std::chrono::duration_cast<std::chrono::microseconds>(span).count();
        };
        std::sort(times_us_.begin(), times_us_.end());
        const auto percentile = [&](std::size_t percent) {
            return times_us_.empty() ? 0 : times_us_[(times_us_.size() - 1) * percent / 100];
        };
        std::printf("result requests=%zu us=%lld refused=%zu errors=%zu p50_us=%u p99_us=%u\n",
                    times_us_.size(), static_cast<long long>(us(last_ - begin_)), refused_, errors_,
                    percentile(50), percentile(99));
    }

  private:
    void connect(Client& client) {
        client.arrived.clear();
        client.descriptor = ::socket(options_.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        CHECK(client.descriptor >= 0);
        const int yes = 1;
        ::setsockopt(client.descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        const linger at_once{.l_onoff = 1, .l_linger = 0}; // No port waits in the kernel.
        ::setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        if (::connect(client.descriptor, reinterpret_cast<const sockaddr*>(&options_.address),
                      options_.address_bytes) != 0) {
            close(client);
            return;
        }
        ::fcntl(client.descriptor, F_SETFL, O_NONBLOCK);
        epoll_event event{.events = EPOLLIN, .data = {.ptr = &client}};
        CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, client.descriptor, &event) == 0);
        ask(client);
    }

    void close(Client& client) {
        ::close(client.descriptor);
        client.descriptor = -1;
    }

    // The next request, if there is one and time for it.
    void ask(Client& client) {
        if (next_ == requests_.size() && options_.is_around) next_ = 0;
        if (next_ == requests_.size() || Clock::now() >= end_) return;
        client.index = next_++;
        client.is_asking = true;
        client.asked = Clock::now();
        ++asking_;
        const std::string_view request = requests_[client.index];
        const auto bytes = static_cast<ssize_t>(request.size());
        if (::send(client.descriptor, request.data(), request.size(), MSG_NOSIGNAL) != bytes)
            ::shutdown(client.descriptor, SHUT_RDWR); // hear() meets the end, and loses it.
    }

    // There will be no answer; another connection, unless the server is gone.
    void lose(Client& client) {
        if (client.is_asking) {
            client.is_asking = false;
            --asking_;
            ++errors_;
        }
        close(client);
        if (Clock::now() < end_) connect(client);
    }

    void turn() {
        std::array<epoll_event, 256> events{};
        const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 100);
        for (int i = 0; i < count; ++i)
            hear(*static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr));
    }

    void hear(Client& client) {
        const ssize_t count = ::recv(client.descriptor, buffer_.data(), buffer_.size(), 0);
        if (count < 0 && errno == EAGAIN) return;
        if (count > 0) client.arrived.append(buffer_.data(), static_cast<std::size_t>(count));
        bool is_wrong = false;
        const std::optional<Answer> answer = parse(client.arrived, count <= 0, is_wrong);
        if (count <= 0 && !(answer && client.is_asking)) {
            lose(client);
            return;
        }
        if (is_wrong || (answer && !client.is_asking)) {
            lose(client);
        } else if (answer && answer->status < 200) {
            client.arrived.erase(0, answer->bytes); // "Continue" and the like.
        } else if (answer) {
            keep(client, *answer);
        }
    }

    void keep(Client& client, const Answer& answer) {
        last_ = Clock::now();
        const auto us = std::chrono::duration_cast<std::chrono::microseconds>(last_ - client.asked);
        times_us_.push_back(static_cast<std::uint32_t>(us.count()));
        refused_ += answer.status >= 400;
        if (answers_) {
            const std::size_t bytes = answer.head_bytes + answer.body.size();
            std::fprintf(answers_, "%zu %d %u %zu\n", client.index, answer.status, times_us_.back(),
                         bytes);
            std::fwrite(client.arrived.data(), 1, answer.head_bytes, answers_);
            std::fwrite(answer.body.data(), 1, answer.body.size(), answers_);
        }
        client.arrived.erase(0, answer.bytes);
        client.is_asking = false;
        --asking_;
        if (answer.is_last)
            lose(client);
        else
            ask(client);
    }

    Options options_;
    int epoll_;
    std::FILE* answers_ = nullptr;
    std::string wire_;
    std::vector<std::string_view> requests_;
    std::vector<Client> clients_; // Does not grow: epoll has the addresses.
    std::array<char, 64 * 1024> buffer_{};
    std::vector<std::uint32_t> times_us_;
    std::size_t next_ = 0;
    std::size_t asking_ = 0;
    std::size_t refused_ = 0;
    std::size_t errors_ = 0;
    Clock::time_point begin_;
    Clock::time_point end_;
    Clock::time_point last_;
};

bool read_address(Options& options, const char* host, std::uint16_t port) {
    auto* four = reinterpret_cast<sockaddr_in*>(&options.address);
    auto* six = reinterpret_cast<sockaddr_in6*>(&options.address);
    if (::inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        options.address_bytes = sizeof *four;
        return (ntohl(four->sin_addr.s_addr) >> 24) == 127;
    }
    if (::inet_pton(AF_INET6, host, &six->sin6_addr) != 1) return false;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    options.address_bytes = sizeof *six;
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

std::optional<Options> read_options(int count, char** words) {
    constexpr std::size_t connections_max = 10'000;
    constexpr std::size_t seconds_max = 3'600;
    if (count != 7 && count != 8) return std::nullopt;
    const auto port = parse_leading_number<std::size_t>(words[2]);
    const auto connections = parse_leading_number<std::size_t>(words[3]);
    const auto span = parse_leading_number<std::size_t>(words[4]);
    const std::string_view way = words[5];
    Options options{.requests = words[6], .answers = count == 8 ? words[7] : ""};
    if (!port || *port == 0 || *port > 0xffff || (way != "once" && way != "around"))
        return std::nullopt;
    if (!connections || *connections == 0 || *connections > connections_max) return std::nullopt;
    if (!span || *span == 0 || *span > seconds_max) return std::nullopt;
    if (!read_address(options, words[1], static_cast<std::uint16_t>(*port))) return std::nullopt;
    options.connections = *connections;
    options.span = std::chrono::seconds(*span);
    options.is_around = way == "around";
    return options;
}

int run(int count, char** words) {
    std::optional<Options> options = read_options(count, words);
    if (!options) {
        std::fputs(
            "usage: anteroom-bench-outside-client LOOPBACK-ADDRESS PORT CONNECTIONS SECONDS "
            "once|around REQUESTS [ANSWERS]\n",
            stderr);
        return 2;
    }
    Crowd crowd(std::move(*options));
    if (const char* trouble = crowd.read_requests()) {
        std::fprintf(stderr, "anteroom-bench-outside-client: %s\n", trouble);
        return 1;
    }
    if (!crowd.run()) {
        std::perror("anteroom-bench-outside-client");
        return 1;
    }
    crowd.print();
    return 0;
}

} // namespace
} // namespace anteroom::bench

int main(int count, char** words) {
    return anteroom::bench::run(count, words);
}
