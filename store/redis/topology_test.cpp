#include "store/redis/topology.h"

#include <gtest/gtest.h>

#include "store/redis/script.h"
#include "store/redis/server_error.h"
#include "store/redis/slot.h"

namespace anteroom::redis {
namespace {

Reply list(std::vector<Reply> values) {
    return {.kind = Reply::Kind::list, .list = std::move(values)};
}
Reply text(const char* words) {
    return Reply::of(std::string(words));
}
Reply number(std::int64_t value) {
    return Reply::of(value);
}

TEST(RedisSlot, IsWhatTheServerComputes) {
    EXPECT_EQ(slot_of("123456789"), 0x31c3); // The check value of CRC-16/XMODEM, below 16384.
    EXPECT_EQ(slot_of("foo"), 12'182);
    EXPECT_EQ(slot_of(""), 0);
    EXPECT_EQ(slot_of("{room}:a"), slot_of("room"));
    EXPECT_EQ(slot_of("x{room}{other}"), slot_of("room"));
    EXPECT_EQ(slot_of("{}room"), slot_of("{}room"));
    EXPECT_NE(slot_of("{}a"), slot_of("{}b")); // An empty tag is none.
    EXPECT_NE(slot_of("{a"), slot_of("a"));
    EXPECT_EQ(slot_of("a{{b}}"), slot_of("{b"));
}

TEST(RedisScript, IsNamedByItsSum) {
    const Script script("return 1");
    EXPECT_EQ(script.source(), "return 1");
    EXPECT_EQ(script.sha(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

TEST(RedisTopology, ReadsTheRole) {
    EXPECT_FALSE(parse_role(list({text("master"), number(0), list({})}))->is_replica);
    const auto replica = parse_role(
        list({text("slave"), text("10.0.0.1"), number(6380), text("connected"), number(5)}));
    ASSERT_TRUE(replica);
    EXPECT_TRUE(replica->is_replica);
    EXPECT_EQ(replica->primary, (Address{.host = "10.0.0.1", .port = 6380}));
    EXPECT_FALSE(parse_role(Reply{}));
    EXPECT_FALSE(parse_role(list({})));
    EXPECT_FALSE(parse_role(list({text("sentinel"), list({})})));
    EXPECT_FALSE(parse_role(list({text("slave"), text(""), number(6380)})));
    EXPECT_FALSE(parse_role(list({text("slave"), text("h"), number(0)})));
}

TEST(RedisTopology, ReadsTheSlots) {
    const Address asked{.host = "asked", .port = 1};
    const Reply reply =
        list({list({number(0), number(5), list({text("a"), number(1), text("id")}),
                    list({text("b"), number(2), text("id")})}),
              list({number(6), number(6), list({text(""), number(3), text("id")})}),
              list({number(7), number(7), list({Reply{}, number(4), text("id")})}),
              list({number(8), number(8), list({text("?"), number(5), text("id")})})});
    const auto ranges = parse_slots(reply, asked);
    ASSERT_TRUE(ranges);
    ASSERT_EQ(ranges->size(), 3u);
    EXPECT_EQ((*ranges)[0].last, 5);
    EXPECT_EQ((*ranges)[0].primary, (Address{.host = "a", .port = 1}));
    EXPECT_EQ((*ranges)[0].replicas, std::vector<Address>({{.host = "b", .port = 2}}));
    EXPECT_EQ((*ranges)[1].primary, (Address{.host = "asked", .port = 3}));
    EXPECT_EQ((*ranges)[2].primary, (Address{.host = "asked", .port = 4}));
    EXPECT_TRUE(parse_slots(list({}), asked)->empty());
}

TEST(RedisTopology, RefusesSlotsThatCannotBe) {
    const Reply node = list({text("a"), number(1), text("id")});
    for (const Reply& reply :
         {Reply{}, text("x"), list({text("x")}), list({list({number(0), number(1)})}),
          list({list({number(2), number(1), node})}), list({list({number(-1), number(1), node})}),
          list({list({number(0), number(16'384), node})}),
          list({list({number(0), number(1), list({text("a"), number(0)})})}),
          list({list({number(0), number(1), list({number(1), number(1)})})}),
          list({list({number(0), number(1), node, text("x")})})}) {
        EXPECT_FALSE(parse_slots(reply, {})) << to_string(reply);
    }
}

TEST(RedisServerError, MeansSomething) {
    EXPECT_EQ(meaning_of(Reply::fault("MOVED 1 h:1")), Meaning::moved);
    EXPECT_EQ(meaning_of(Reply::fault("LOADING Redis is loading the dataset")), Meaning::later);
    EXPECT_EQ(meaning_of(Reply::fault("READONLY You can't write")), Meaning::read_only);
    EXPECT_EQ(meaning_of(Reply::fault("ERR MOVED")), Meaning::final);
    EXPECT_EQ(meaning_of(Reply::fault("")), Meaning::final);
}

TEST(RedisServerError, NamesAnotherNode) {
    const Address by{.host = "by", .port = 1};
    const auto moved = parse_redirection("MOVED 3999 10.0.0.1:6381", by);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->slot, 3'999);
    EXPECT_EQ(moved->to, (Address{.host = "10.0.0.1", .port = 6381}));
    EXPECT_EQ(parse_redirection("ASK 0 ::1:7000", by)->to.host, "::1");
    EXPECT_EQ(parse_redirection("MOVED 0 :7000", by)->to, (Address{.host = "by", .port = 7000}));
    for (const char* wrong : {"MOVED", "MOVED 1", "MOVED x h:1", "MOVED 16384 h:1", "MOVED 1 h",
                              "MOVED 1 h:", "MOVED 1 h:0", "MOVED 1 h:70000", "MOVED -1 h:1"})
        EXPECT_FALSE(parse_redirection(wrong, by)) << wrong;
}

} // namespace
} // namespace anteroom::redis
