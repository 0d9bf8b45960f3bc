// System P's event streams, on the wire.
#include "dialects/portal/test_queue.h"

namespace anteroom::portal {
namespace {

struct Event {
    std::string name, id;
    boost::json::object data;
    std::string status() const { return TestQueue::text(data, "status"); }
};

// One open stream.
class Stream {
  public:
    Stream(TestQueue& queue, std::string_view token, std::string_view headers = {})
        : dial_(queue.server.port()) {
        dial_.write(TestServer::text("GET", fmt::format("/queue/TIMEDEAL/42/subscribe/{}", token),
                                     headers));
        head = dial_.read_until("\r\n\r\n");
    }

    // The next block that says something; empty name: the end, or an id alone.
    Event next() {
        for (;;) {
            const std::string block = dial_.read_until("\n\n");
            if (block.empty()) return {};
            Event event{.name = field(block, "event: "), .id = field(block, "id: "), .data = {}};
            if (const std::string retry = field(block, "retry: "); !retry.empty()) retry_ms = retry;
            const std::string data = field(block, "data: ");
            if (!data.empty()) event.data = boost::json::parse(data).as_object();
            if (!event.name.empty() || !event.id.empty()) return event;
        }
    }
    bool has_ended() { return dial_.read_all().find("event:") == std::string::npos; }

    std::string head, retry_ms;

  private:
    static std::string field(const std::string& block, std::string_view name) {
        std::size_t at = block.starts_with(name) ? 0 : block.find("\n" + std::string(name));
        if (at == block.npos) return "";
        at = block.find(name, at) + name.size();
        return block.substr(at, block.find('\n', at) - at);
    }
    net::testing::Dial dial_;
};

TEST(PortalStream, TellsAtOnceInBothContracts) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    Stream stream(queue, token);
    EXPECT_NE(stream.head.find("200 OK"), std::string::npos) << stream.head;
    EXPECT_NE(stream.head.find("Content-Type: text/event-stream"), std::string::npos);
    const Event first = stream.next();
    EXPECT_EQ(stream.retry_ms, "3000");
    EXPECT_EQ(first.name, "queue-status");
    EXPECT_EQ(first.id, "1");
    EXPECT_EQ(TestQueue::text(first.data, "type"), "queue-status");
    EXPECT_EQ(TestQueue::text(first.data, "timestamp").back(), 'Z');
    const boost::json::object& data = first.data.at("data").as_object();
    EXPECT_EQ(
        boost::json::serialize(data),
        R"({"entryToken":")" + token +
            R"(","status":"WAITING","position":1,"estimatedWaitSeconds":3600,)"
            R"("totalWaiting":1,"message":"현재 1번째 대기 중입니다. 예상 대기 시간: 3600초"})");
    for (const auto& [name, value] : data)
        EXPECT_EQ(first.data.at(name), value) << "the bare payload of the document";
    const Event second = stream.next();
    EXPECT_EQ(second.name, "queue-status") << "again after three seconds";
    EXPECT_EQ(second.id, "2");
}

// With the answer itself: nothing changes any more, and no pulse comes.
TEST(PortalStream, TheFirstEventWaitsForNothing) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    queue.server.service.stop();
    Stream waiting(queue, token);
    const Event first = waiting.next();
    EXPECT_EQ(first.name, "queue-status");
    EXPECT_EQ(first.status(), "WAITING");
}

TEST(PortalStream, TellsAChangeOfPlaceAndTheAdmissionThenEnds) {
    TestQueue queue;
    queue.activate_slowly();
    queue.enter("ann");
    const std::string token = queue.token("bob");
    Stream stream(queue, token);
    EXPECT_EQ(stream.next().data.at("position").as_int64(), 2);
    EXPECT_EQ(queue.ask("POST", "/queue/TIMEDEAL/42/leave", "ann").status, 200u);
    Event changed = stream.next();
    while (changed.data.at("position").as_int64() == 2) changed = stream.next();
    EXPECT_EQ(changed.data.at("position").as_int64(), 1);
    queue.seller("process");
    Event last = stream.next();
    while (last.status() == "WAITING") last = stream.next();
    EXPECT_EQ(last.name, "queue-status");
    EXPECT_EQ(last.status(), "ENTERED");
    const Event entered_event = stream.next();
    EXPECT_EQ(entered_event.name, "queue-entered");
    EXPECT_EQ(entered_event.status(), "ENTERED");
    EXPECT_TRUE(stream.has_ended());

    // The browser comes back with the last id, and is told to stay away.
    const auto back = queue.server.ask("GET", "/queue/TIMEDEAL/42/subscribe/" + token,
                                       fmt::format("Last-Event-ID: {}\r\n", entered_event.id));
    EXPECT_EQ(back.status, 204u);
    // Somebody new is told the end.
    Stream late(queue, token);
    EXPECT_EQ(late.next().status(), "ENTERED");
    EXPECT_EQ(late.next().name, "queue-entered");
    EXPECT_TRUE(late.has_ended());
}

TEST(PortalStream, EndsWithTheEntry) {
    TestQueue queue;
    queue.activate_slowly();
    Stream leaving(queue, queue.token("ann"));
    Stream expiring(queue, queue.token("bob"));
    EXPECT_EQ(leaving.next().status(), "WAITING");
    EXPECT_EQ(expiring.next().status(), "WAITING");
    queue.ask("DELETE", "/queue/TIMEDEAL/42/leave", "ann");
    Event last = leaving.next();
    while (last.status() == "WAITING") last = leaving.next();
    EXPECT_EQ(last.status(), "LEFT");
    EXPECT_TRUE(leaving.has_ended());
    queue.seller("deactivate");
    last = expiring.next();
    while (last.status() == "WAITING") last = expiring.next();
    EXPECT_EQ(last.status(), "EXPIRED");
    EXPECT_TRUE(expiring.has_ended());
}

TEST(PortalStream, EndsCleanlyWhenItsTimeIsOverAndGoesOn) {
    Options options;
    options.stream = Millis{1};
    TestQueue queue(options);
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    Stream stream(queue, token);
    stream.next();
    const Event last = stream.next();
    EXPECT_EQ(last.name, "queue-status") << "the last word is the status";
    EXPECT_EQ(last.id, "2");
    EXPECT_TRUE(stream.has_ended());
    Stream again(queue, token, fmt::format("Last-Event-ID: {}\r\n", last.id));
    const Event next = again.next();
    EXPECT_EQ(next.status(), "WAITING");
    EXPECT_EQ(next.id, "3") << "ids go on";
}

TEST(PortalStream, ANewerOneTakesThePlaceOfTheOlder) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    Stream older(queue, token);
    EXPECT_EQ(older.next().status(), "WAITING");
    Stream newer(queue, token);
    EXPECT_EQ(newer.next().status(), "WAITING");
    Event last = older.next();
    while (!last.name.empty()) last = older.next();
    EXPECT_TRUE(last.id.ends_with(".end")) << last.id;
    EXPECT_TRUE(older.has_ended());
    const auto back = queue.server.ask("GET", "/queue/TIMEDEAL/42/subscribe/" + token,
                                       fmt::format("Last-Event-ID: {}\r\n", last.id));
    EXPECT_EQ(back.status, 204u) << "they do not fight for the place";
    queue.seller("process");
    Event event = newer.next();
    while (event.status() == "WAITING") event = newer.next();
    EXPECT_EQ(event.status(), "ENTERED") << "the newer one still hears";
}

TEST(PortalStream, NeedsNoLoginButNotAnothers) {
    TestQueue queue;
    queue.activate_slowly();
    const std::string token = queue.token("ann");
    EXPECT_NE(Stream(queue, token, TestQueue::as_user("ann")).head.find("200 OK"),
              std::string::npos);
    EXPECT_EQ(shape(queue.ask("GET", "/queue/TIMEDEAL/42/subscribe/" + token, "eve")),
              error(403, "S807", "Queue token does not belong to current user"));
    EXPECT_EQ(shape(queue.ask("GET", "/queue/TIMEDEAL/42/subscribe/x", "eve")), no_entry);
    // What stands in the path beside the token does not matter.
    net::testing::Dial dial(queue.server.port());
    dial.write(TestServer::text("GET", "/api/v1/shopping/queue/ANY/x/subscribe/" + token));
    EXPECT_NE(dial.read_until("queue-status").find("200 OK"), std::string::npos);
}

} // namespace
} // namespace anteroom::portal
