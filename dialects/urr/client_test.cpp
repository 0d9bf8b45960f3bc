// The pages of the original as a script: the same calls in the same order, deciding by the same
// rules, with a browser's cookies. Whoever wrote such a client must notice nothing.
#include <gtest/gtest.h>

#include <map>

#include "dialects/urr/test_event.h"

namespace anteroom::urr {
namespace {

class OriginalClient {
  public:
    OriginalClient(TestEvent& event, std::string anonymous, std::string user)
        : event_(event), anonymous_(std::move(anonymous)), user_(std::move(user)) {}

    // /vwr/{event}: one step of the page. Returns where it goes, or empty: it waits.
    std::string outer_step() {
        if (!session_) {
            const auto assigned = ask("POST", "/vwr-api/vwr/assign/", "",
                                      fmt::format(R"({{"userId":"{}"}})", anonymous_));
            if (assigned.status == 404) return "/events/";
            EXPECT_EQ(assigned.status, 200) << assigned.body;
            session_ = TestServer::text_of(TestServer::json(assigned), "requestId");
        }
        const auto checked =
            ask("GET", "/vwr-api/vwr/check/", fmt::format("/{}?userId={}", *session_, anonymous_));
        if (checked.status == 404) {
            session_.reset();
            return {};
        }
        EXPECT_EQ(checked.status, 200) << checked.body;
        const boost::json::object said = TestServer::json(checked);
        if (!said.at("admitted").as_bool()) {
            EXPECT_GE(said.at("nextPoll").as_int64(), 1);
            return {};
        }
        EXPECT_FALSE(said.at("token").as_string().empty());
        session_.reset();
        return "/events/";
    }

    // /queue/{event}: the first call, then one poll each.
    std::string inner_step() {
        const auto answer =
            checked_ ? ask("GET", "/api/v1/queue/status/") : ask("POST", "/api/v1/queue/check/");
        checked_ = true;
        EXPECT_EQ(answer.status, 200) << answer.body;
        said_ = TestServer::json(answer);
        return said_.at("queued").as_bool() ? "" : "/seats";
    }
    void unload() { // The beacon.
        ask("POST", "/api/v1/queue/leave/");
        checked_ = false;
    }
    bool has(const std::string& cookie) const { return cookies_.contains(cookie); }
    const boost::json::object& said() const { return said_; }
    void forget_session() { session_.reset(); }

  private:
    net::testing::WireResponse ask(std::string_view method, std::string_view before,
                                   std::string_view after = {}, std::string_view body = {}) {
        std::string headers = "X-User-Id: " + user_ + "\r\n";
        if (!cookies_.empty()) {
            headers += "Cookie: ";
            for (const auto& [name, value] : cookies_) headers += name + "=" + value + "; ";
            headers.replace(headers.size() - 2, 2, "\r\n");
        }
        auto answer = event_.server.ask(method, fmt::format("{}{}{}", before, event_id, after),
                                        headers, body);
        std::size_t at = 0;
        constexpr std::string_view mark = "Set-Cookie: ";
        while ((at = answer.head.find(mark, at)) != std::string::npos) {
            at += mark.size();
            const std::size_t equals = answer.head.find('=', at);
            const std::size_t end = answer.head.find(';', at);
            cookies_[answer.head.substr(at, equals - at)] =
                answer.head.substr(equals + 1, end - equals - 1);
        }
        return answer;
    }

    TestEvent& event_;
    const std::string anonymous_;
    const std::string user_;
    std::map<std::string, std::string> cookies_;
    std::optional<std::string> session_; // localStorage.
    boost::json::object said_;
    bool checked_ = false;
};

TEST(UrrClient, GoesAllTheWay) {
    TestEvent event;
    event.set_threshold(1);
    event.inner("check", "somebody-before");
    event.outer_admin("activate");
    OriginalClient client(event, "anon-1x2y-ab12cd34", "user-1");
    EXPECT_EQ(client.outer_step(), "");
    EXPECT_EQ(client.outer_step(), "");
    event.outer_admin("advance");
    EXPECT_EQ(client.outer_step(), "/events/");
    EXPECT_TRUE(client.has("urr-vwr-token"));
    EXPECT_EQ(client.inner_step(), "");
    EXPECT_EQ(client.said().at("position"), 1);
    client.unload(); // A reload.
    EXPECT_EQ(client.inner_step(), "");
    EXPECT_EQ(client.said().at("position"), 1);
    event.inner("leave", "somebody-before");
    while (client.inner_step().empty() && !HasFailure()) {
    }
    EXPECT_TRUE(client.has("urr-entry-token"));
    EXPECT_EQ(client.said().at("message"), "Entry allowed");
}

TEST(UrrClient, WithoutTierOneGoesStraightToTheEvent) {
    TestEvent event;
    OriginalClient client(event, "anon-1", "user-1");
    EXPECT_EQ(client.outer_step(), "/events/");
    EXPECT_EQ(client.inner_step(), "/seats");
}

TEST(UrrClient, AnEmptiedBrowserGetsTheSameNumberByItsName) {
    TestEvent event;
    event.outer_admin("activate");
    OriginalClient client(event, "anon-same", "u");
    EXPECT_EQ(client.outer_step(), "");
    OriginalClient again(event, "anon-same", "u");
    EXPECT_EQ(again.outer_step(), "");
    client.forget_session();
    EXPECT_EQ(client.outer_step(), "");
    EXPECT_EQ(event.server.service.rooms().find(event_id)->view().outer().issued(), 1u);
}

TEST(UrrClient, ANewActivationSendsEverybodyToTheEndOfTheNewLine) {
    TestEvent event;
    event.outer_admin("activate");
    OriginalClient client(event, "anon-1", "u");
    EXPECT_EQ(client.outer_step(), "");
    event.outer_admin("activate");
    EXPECT_EQ(client.outer_step(), ""); // Forgets…
    EXPECT_EQ(client.outer_step(), ""); // …and has a new number.
    EXPECT_EQ(event.server.service.rooms().find(event_id)->view().outer().issued(), 1u);
}

} // namespace
} // namespace anteroom::urr
