#include "dialects/urr/catalogue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "dialects/urr/test_event.h"

namespace anteroom::urr {
namespace {

using net::testing::eventually;

// A site's catalogue that says what the test wants.
struct Shop {
    explicit Shop(std::string text = R"({"title":"Spring Night","artist":"The Band","seats":900})",
                  net::Status status = net::Status::ok)
        : answer(std::move(text)),
          server([this, status](const net::Request& request, net::Exchange& exchange) {
              ++asked;
              path = std::string(request.path);
              authorization = std::string(request.header("authorization").value_or(""));
              if (silent) return held.push_back(exchange.defer());
              exchange.answer(failing ? net::Status::internal_error : status, "application/json",
                              answer);
          }) {}
    ~Shop() {
        server.thread().call([this] { held.clear(); });
    }

    CatalogueOptions options() const {
        return {.url = fmt::format("http://127.0.0.1:{}/internal/events/{{event}}/queue-info",
                                   server.port()),
                .token = "for-insiders-only",
                .deadline = minutes(5),
                .patience = minutes(5),
                .pause = Millis{1}};
    }

    const std::string answer;
    std::atomic<int> asked{0};
    std::atomic<bool> failing{false};
    std::atomic<bool> silent{false};
    std::string path, authorization; // Of the last question; read when it was answered.
    std::vector<net::Reply> held;    // The server's loop's.
    net::testing::TestServer server;
};

struct Asking {
    explicit Asking(CatalogueOptions options) {
        thread.call([&] { catalogue = std::make_unique<Catalogue>(thread.loop, options); });
    }
    ~Asking() {
        thread.call([this] { catalogue.reset(); });
    }
    std::string ask(std::string_view event) {
        std::promise<std::string> told;
        thread.call([&] {
            catalogue->ask(event,
                           [&](std::string_view json) { told.set_value(std::string(json)); });
        });
        return told.get_future().get();
    }
    net::testing::LoopThread thread;
    std::unique_ptr<Catalogue> catalogue;
};

TEST(Catalogue, TellsTitleAndArtistAndRemembersThem) {
    Shop shop;
    Asking asking(shop.options());
    EXPECT_EQ(asking.ask("e-1"), R"({"title":"Spring Night","artist":"The Band"})");
    EXPECT_EQ(shop.path, "/internal/events/e-1/queue-info");
    EXPECT_EQ(shop.authorization, "Bearer for-insiders-only");
    EXPECT_EQ(asking.ask("e-1"), R"({"title":"Spring Night","artist":"The Band"})");
    EXPECT_EQ(shop.asked, 1);
}

TEST(Catalogue, UnknownEventsAndNonsenseHaveTheirWords) {
    for (const auto& [text, status] :
         std::vector<std::pair<std::string, net::Status>>{{"{}", net::Status::not_found},
                                                          {"<html>", net::Status::ok},
                                                          {R"({"title":7})", net::Status::ok},
                                                          {"", net::Status::forbidden}}) {
        Shop shop(text, status);
        Asking asking(shop.options());
        EXPECT_EQ(asking.ask("e"), R"({"title":"Unknown","artist":"Unknown"})") << text;
        EXPECT_EQ(shop.asked, 1);
    }
    Asking nobody({});
    EXPECT_EQ(nobody.ask("e"), R"({"title":"Unknown","artist":"Unknown"})");
}

TEST(Catalogue, TriesAgainAndThenGivesUp) {
    Shop shop;
    shop.failing = true;
    Asking asking(shop.options());
    EXPECT_EQ(asking.ask("e"), R"({"title":"Unknown"})");
    EXPECT_EQ(shop.asked, 3);
}

TEST(Catalogue, ABreakerSparesACatalogueThatFails) {
    Shop shop;
    shop.failing = true;
    Asking asking(shop.options());
    const auto now = [&] { return asking.thread.call([&] { return asking.thread.loop.now(); }); };
    const Instant begun = now();
    for (int i = 0; i < 20; ++i) asking.ask(fmt::format("e-{}", i));
    EXPECT_GE(shop.asked, 10); // Then it was open, except for one trial after each rest.
    EXPECT_LE(shop.asked, 10 + (now() - begun).count / Breaker::rest.count);
}

TEST(Catalogue, NobodyWaitsLongForAName) {
    Shop shop;
    shop.silent = true;
    CatalogueOptions options = shop.options();
    options.patience = Millis{1};
    Asking asking(options);
    EXPECT_EQ(asking.ask("e"), R"({"title":"Unknown"})");
    EXPECT_EQ(asking.ask("e"), R"({"title":"Unknown"})"); // The same question is under way.
    EXPECT_TRUE(eventually([&] { return shop.asked == 1; }));
}

TEST(Catalogue, ACheckShowsWhatTheEventIsCalled) {
    Shop shop;
    TestEvent event({.urr = {.catalogue = shop.options()}});
    const auto answer = TestServer::json(event.inner("check", "u"));
    EXPECT_EQ(boost::json::serialize(answer.at("eventInfo")),
              R"({"title":"Spring Night","artist":"The Band"})");
}

TEST(Catalogue, AHostileTitleStaysAString) {
    EXPECT_EQ(event_info(R"({"title":"</script>\"\u0000é","artist":"a\\"})"),
              "{\"title\":\"</script>\\\"\\u0000\u00e9\",\"artist\":\"a\\\\\"}");
    EXPECT_EQ(event_info(R"([])"), std::nullopt);
    EXPECT_EQ(event_info(R"({"artist":"only"})"), R"({"artist":"only"})");
}

} // namespace
} // namespace anteroom::urr
