#include "desk/call.h"

#include <gtest/gtest.h>

#include "desk/desk.h"
#include "net/testing.h"

namespace anteroom {
namespace {

constexpr std::string_view asked =
    "GET / HTTP/1.1\r\nHost: test\r\nOrigin: https://shop.test\r\n"
    "Authorization: Bearer a-token-of-an-admin\r\nX-Request-ID: r-1\r\n\r\n";

// A server whose requests are calls at one desk.
class TestDesk {
  public:
    using Handle = std::function<void(Call&)>;

    explicit TestDesk(Handle handle)
        : handle_(std::move(handle)),
          server_([this](const net::Request& request, net::Exchange& exchange) {
              if (!desk_) desk_.emplace(shared_, server_.loop(), *Office::open(keys_, {}));
              Call call = desk_->open(request, exchange, service_.clock().now());
              handle_(call);
          }) {}
    ~TestDesk() {
        server_.destroy_server();
        server_.thread().call([this] { desk_.reset(); });
    }

    net::testing::WireResponse ask() { return net::testing::Dial(server_.port()).ask(asked); }
    net::Loop& loop() { return server_.loop(); }

  private:
    const Handle handle_;
    Service service_{{}};
    token::KeyRing keys_ = *token::KeyRing::generate({1'700'000'000});
    DeskShared shared_{.service = service_,
                       .admin_token = "a-token-of-an-admin",
                       .cors_origins = {"https://shop.test"},
                       .join_limiter = std::make_unique<AddressLimiter>(1, 0)};
    std::optional<Desk> desk_; // Of the loop's thread.
    net::testing::TestServer server_;
};

TEST(Call, VerifiesWhoAsksOnceAlsoForLater) {
    TestDesk desk([](Call& call) {
        const Caller* first = &call.caller();
        EXPECT_TRUE(first->is_admin);
        EXPECT_EQ(&call.caller(), first);
        call.defer();
        EXPECT_EQ(&call.caller(), first);
        call.begin(net::Status::ok).send();
    });
    EXPECT_EQ(desk.ask().status, 200);
}

TEST(Call, IsAnsweredLaterAsItWouldHaveBeenAtOnce) {
    const auto answer = [](Call& call) { call.begin(net::Status::ok).send(); };
    TestDesk at_once(answer);
    std::optional<Call> kept; // Of the loop's thread.
    TestDesk* later_desk = nullptr;
    TestDesk later([&](Call& call) {
        EXPECT_FALSE(call.is_deferred());
        call.defer();
        call.defer(); // Once more does nothing.
        EXPECT_TRUE(call.is_deferred());
        EXPECT_EQ(call.origin(), "https://shop.test");
        EXPECT_EQ(call.parameter(0), "");
        kept = std::move(call);
        later_desk->loop().post([&] {
            answer(*kept);
            kept.reset();
        });
    });
    later_desk = &later;
    for (TestDesk* desk : {&at_once, &later}) {
        const net::testing::WireResponse told = desk->ask();
        EXPECT_EQ(told.status, 200);
        EXPECT_EQ(told.header("x-request-id"), "r-1");
        EXPECT_EQ(told.header("access-control-allow-origin"), "https://shop.test");
        EXPECT_EQ(told.header("access-control-allow-credentials"), "true");
        EXPECT_EQ(told.header("vary"), "Origin");
    }
}

TEST(Call, HasNoRequestOnceItIsDeferred) {
    TestDesk desk([](Call& call) {
        EXPECT_EQ(call.request().path, "/");
        call.defer();
        EXPECT_DEATH(call.request(), "CHECK failed");
        EXPECT_DEATH(call.caller(), "CHECK failed"); // Nobody asked before.
        call.begin(net::Status::ok).send();
    });
    EXPECT_EQ(desk.ask().status, 200);
}

} // namespace
} // namespace anteroom
