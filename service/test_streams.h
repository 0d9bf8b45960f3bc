// Event streams on a loop of their own, for tests of what is said on them.
#pragma once

#include <functional>
#include <string>

#include "net/testing.h"
#include "service/hosted_room.h"

namespace anteroom {

// A server that gives every stream to the test, with the number in its path: GET /NUMBER.
class TestStreams {
  public:
    using Take = std::function<void(Number, net::EventStream)>;

    explicit TestStreams(Take take)
        : take_(std::move(take)),
          server_([this](const net::Request& request, net::Exchange& exchange) {
              auto stream = exchange.stream();
              if (stream)
                  take_(std::stoull(std::string(request.path.substr(1))), *std::move(stream));
          }) {}

    net::Loop& loop() { return server_.loop(); }
    // Runs work on the streams' thread and waits for it.
    template <class Work>
    auto call(Work work) {
        return server_.thread().call(std::move(work));
    }
    // A client whose stream has begun.
    net::testing::Dial open(Number number) {
        net::testing::Dial dial(server_.port());
        dial.write("GET /" + std::to_string(number) + " HTTP/1.1\r\nHost: a\r\n\r\n");
        dial.read_until("\r\n\r\n");
        return dial;
    }

  private:
    Take take_;
    net::testing::TestServer server_;
};

// A room with so many in it, who joined at `at`.
struct TestRoom {
    TestRoom(std::uint64_t visitors, Instant at, const Settings& settings = {.capacity = 0}) {
        apply(Configure{settings}, at);
        for (std::uint64_t i = 1; i <= visitors; ++i)
            apply(Join{.visitor = {.high = i, .low = i}}, at);
    }
    void apply(const Command& command, Instant at) {
        HostedRoom::Writing writing(*room);
        facts.clear();
        writing.room().apply(command, at, facts);
    }

    Quiet quiet{1};
    Facts facts; // Of the last command.
    std::shared_ptr<HostedRoom> room = std::make_shared<HostedRoom>("r", 0, Profile{}, quiet);
};

} // namespace anteroom
