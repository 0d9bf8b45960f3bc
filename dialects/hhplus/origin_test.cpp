// What the origin tells of system H's visits, and of what it stands.
#include "dialects/hhplus/test_hall.h"

namespace anteroom::hhplus {
namespace {

TEST(HhplusOrigin, AReservationLeavesFiveMinutesAndAPaymentNone) {
    TestHall hall;
    const std::string ann = hall.token(1);
    EXPECT_EQ(hall.tell("reserved", ann).body, refused); // Not yet.
    EXPECT_EQ(hall.tell("paid", ann).body, refused);
    hall.activate(1);
    EXPECT_EQ(hall.tell("reserved", ann).body, success);
    EXPECT_GT(hall.stays(1), minutes(4));
    EXPECT_LE(hall.stays(1), minutes(5));
    EXPECT_EQ(hall.rank(1, ann).body, active);
    EXPECT_LE(hall.stays(1), minutes(5));
    EXPECT_EQ(hall.tell("paid", ann).body, success);
    EXPECT_EQ(hall.rank(1, ann).body, refused);
    EXPECT_EQ(hall.tell("paid", ann).body, success); // Again is as good as once.
    EXPECT_EQ(hall.tell("reserved", ann).body, refused);
    EXPECT_EQ(hall.room().view().inside(), 0u);
}

TEST(HhplusOrigin, TheBatchFollowsWhatTheOriginStands) {
    TestHall hall;
    const auto tell = [&](std::string_view body) {
        return hall.server.ask("POST", "/api/v1/queues/batch", "", body);
    };
    const auto said = [](int batch) {
        return fmt::format(R"({{"result":"SUCCESS","data":{{"batch":{}}},"error":null}})", batch);
    };
    EXPECT_EQ(tell(R"({"qps":10000})").body, said(4'000)); // Before anybody came.
    EXPECT_EQ(tell(R"({"qps":5000})").body, said(2'000));
    EXPECT_EQ(hall.room().view().settings().admit_batch, 2'000);
    EXPECT_EQ(tell(R"({"qps":0.5})").body, said(1)) << "somebody always goes in";
    // The interval in force, and nothing else is changed.
    hall.server.ask("PUT", "/v1/admin/rooms/hhplus", TestServer::as_admin(),
                    R"({"admit_interval":"20s","capacity":77})");
    EXPECT_EQ(tell(R"({"qps":10000,"more":[]})").body, said(8'000));
    EXPECT_EQ(hall.room().view().settings().capacity, 77);
    for (const char* body : {"", "{}", "[]", "8000", R"({"qps":"8000"})", R"({"qps":0})",
                             R"({"qps":-1})", R"({"qps":1e10})", R"({"qps":null})"}) {
        EXPECT_EQ(tell(body).status, 400) << body;
        EXPECT_EQ(tell(body).body, malformed);
    }
    EXPECT_EQ(hall.room().view().settings().admit_batch, 8'000);
}

TEST(HhplusOrigin, AnOperatorWhoComesFirstMakesTheSameRoom) {
    TestHall hall;
    const auto made = hall.server.ask("PUT", "/v1/admin/rooms/hhplus", TestServer::as_admin(),
                                      R"({"waiting_max":77})");
    EXPECT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(hall.room().profile().dialect, "hhplus");
    Settings expected = quiet_hall().hhplus->settings.rules;
    expected.waiting_max = 77;
    EXPECT_EQ(hall.room().view().settings(), expected);
}

TEST(HhplusOrigin, OnlyTheOriginMayTell) {
    TestOptions options = quiet_hall();
    options.trust_loopback = false;
    options.hhplus->trusts_user_id = true;
    TestHall hall(std::move(options));
    const std::string ann = hall.token(1);
    hall.activate(1);
    EXPECT_EQ(hall.tell("paid", ann).body, refused);
    EXPECT_EQ(hall.server.ask("POST", "/api/v1/queues/batch", "", R"({"qps":1})").body, refused);
    const auto by_admin = hall.server.ask("POST", "/api/v1/queues/token/paid",
                                          TestServer::as_admin() + TestHall::with(ann));
    EXPECT_EQ(by_admin.body, success);
    EXPECT_EQ(hall.server.ask("POST", "/api/v1/queues/token/paid", TestServer::as_admin()).status,
              400);
}

// What is written are all settings: an old copy would undo what was changed elsewhere.
TEST(HhplusOrigin, ABatchIsNotSetFromAnOldCopy) {
    TestHall hall;
    hall.token(1);
    const auto tell = [&] {
        return hall.server.ask("POST", "/api/v1/queues/batch", "", R"({"qps":5000})");
    };
    const std::shared_ptr<HostedRoom> room = hall.server.service.rooms().share("hhplus");
    room->set_fresh(Instant{0});
    const auto late = tell();
    EXPECT_EQ(late.status, 503);
    EXPECT_EQ(late.body, R"({"result":"ERROR","data":null,"error":"잠시 후 다시 시도해 주세요."})");
    EXPECT_EQ(late.header("retry-after"), "5");
    EXPECT_EQ(room->view().settings().admit_batch, 4'000);
    room->set_fresh(instant_max);
    EXPECT_EQ(tell().body, R"({"result":"SUCCESS","data":{"batch":2000},"error":null})");
}

} // namespace
} // namespace anteroom::hhplus
