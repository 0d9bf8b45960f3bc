#include "store/embedded/fact_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "service/profile_text.h"

namespace anteroom::embedded {
namespace {

std::vector<Happening> one_of_each() {
    Settings settings;
    settings.capacity = 7;
    settings.lease_start = LeaseStart::at_claim;
    settings.claim_by_look = false;
    settings.lanes = 3;
    return {Joined{.number = 5, .visitor = {1, 2}, .lane = 2, .outer = 9, .bound_only = true},
            Joined{.number = 6, .visitor = {~0ull, ~0ull}},
            Called{1},
            Claimed{2},
            Finished{3},
            Leaving{4},
            Returned{5},
            Left{6},
            Expired{7, Expiry::no_show},
            NumberTaken{8, {3, 4}},
            Advanced{9},
            OuterExpired{10},
            Activated{11},
            Deactivated{},
            Configured{settings},
            StateChanged{RoomState::draining},
            Cleared{},
            Redeemed{12},
            Missed{14},
            LeaseSet{13, Instant{1'700'000'300'000}}};
}

bool same(const FactColumns& a, const FactColumns& b) {
    return a.kind == b.kind && a.number == b.number && a.visitor == b.visitor &&
           a.detail == b.detail && a.text == b.text && a.outer == b.outer;
}

TEST(FactCodec, EveryFactComesBackAsItWas) {
    for (const Happening& what : one_of_each()) {
        const FactColumns columns = columns_of(what);
        const std::optional<Happening> back = happening_of(columns);
        ASSERT_TRUE(back) << columns.kind;
        EXPECT_EQ(back->index(), what.index());
        EXPECT_TRUE(same(columns_of(*back), columns)) << columns.kind;
    }
    EXPECT_EQ(std::get<Configured>(*happening_of(columns_of(one_of_each()[14]))).settings,
              std::get<Configured>(one_of_each()[14]).settings);
}

TEST(FactCodec, WhatIsNoFactIsRefused) {
    EXPECT_FALSE(happening_of({.kind = 0}));
    EXPECT_FALSE(happening_of({.kind = 17}));
    EXPECT_FALSE(happening_of({.kind = 18, .number = 1})); // Without a time.
    EXPECT_FALSE(happening_of({.kind = 18, .detail = 5}));
    EXPECT_FALSE(happening_of({.kind = 20, .number = 1}));
    EXPECT_FALSE(happening_of({.kind = 1, .number = 1, .detail = 0})); // Without a visitor.
    EXPECT_FALSE(happening_of({.kind = 1, .visitor = VisitorKey{}, .detail = 0}));
    EXPECT_FALSE(happening_of({.kind = 1, .number = 1, .visitor = VisitorKey{}, .detail = 512}));
    EXPECT_FALSE(happening_of({.kind = 2}));
    EXPECT_FALSE(happening_of({.kind = 8, .number = 1, .detail = 3}));
    EXPECT_FALSE(happening_of({.kind = 12, .number = std::int64_t{1} << 32}));
    EXPECT_FALSE(happening_of({.kind = 15, .detail = 5}));
    for (const char* text : {"", "{", "[]", R"({"capacity":"7"})", R"({"unheard_of":1})",
                             R"({"lanes":300})", R"({"lease_start":2})"})
        EXPECT_FALSE(happening_of({.kind = 14, .text = text})) << text;
    EXPECT_TRUE(happening_of({.kind = 14, .text = "{}"})); // Defaults.
}

TEST(FactCodec, TheSumKnowsEveryColumnAndWhatCameBefore) {
    const FactRow row{.fact = 3,
                      .room = 1,
                      .sequence = 2,
                      .at = Instant{1'700'000'000'000},
                      .columns = columns_of(one_of_each()[0]),
                      .who = "w"};
    const std::uint32_t sum = sum_of(row, 7);
    EXPECT_EQ(sum_of(row, 7), sum);
    EXPECT_NE(sum_of(row, 8), sum);
    const auto changed = [&](auto change) {
        FactRow other = row;
        change(other);
        return sum_of(other, 7) != sum;
    };
    EXPECT_TRUE(changed([](FactRow& r) { ++r.fact; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.room; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.sequence; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.at.ms; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.columns.kind; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.columns.number; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.columns.visitor->low; }));
    EXPECT_TRUE(changed([](FactRow& r) { r.columns.visitor.reset(); }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.columns.detail; }));
    EXPECT_TRUE(changed([](FactRow& r) { ++r.columns.outer; }));
    EXPECT_TRUE(changed([](FactRow& r) { r.columns.text = "t"; }));
    EXPECT_TRUE(changed([](FactRow& r) { r.who = "v"; }));
}

TEST(FactCodec, KeysAreSixteenBytes) {
    const VisitorKey key{.high = 0x0102'0304'0506'0708, .low = 0xf1f2'f3f4'f5f6'f7f8};
    EXPECT_EQ(bytes_of(key)[0], '\x01');
    EXPECT_EQ(key_of(bytes_of(key)), key);
    EXPECT_FALSE(key_of("short"));
}

TEST(ProfileCodec, ComesBackOrIsRefused) {
    const Profile profile{.message = "a \"b\" \n é", .target = "/x", .lanes = {"m", "w"}};
    EXPECT_EQ(profile_of(profile_text(profile)), profile);
    EXPECT_EQ(profile_of("{}"), Profile{});
    for (const char* text : {"", "[]", R"({"message":1})", R"({"lanes":"m"})", R"({"lanes":[1]})"})
        EXPECT_FALSE(profile_of(text)) << text;
}

} // namespace
} // namespace anteroom::embedded
