// World: a room with a clock and names for its visitors, so that a test reads like a story.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "engine/room.h"

namespace anteroom {

class World {
  public:
    explicit World(const Settings& settings = {}) { configure(settings); }

    void configure(const Settings& settings) {
        EXPECT_TRUE(std::holds_alternative<Done>(apply(Configure{settings})));
    }

    Outcome apply(const Command& command) { return room.apply(command, now, facts); }

    // Joins under this name; returns the number.
    Number join(const std::string& who, std::uint8_t lane = 0) {
        return std::get<Standing>(apply(Join{.visitor = key(who), .lane = lane})).number;
    }
    Number join(const std::string& who, OuterPlace outer) {
        return std::get<Standing>(apply(Join{.visitor = key(who), .outer = outer})).number;
    }
    Reason refusal(const Command& command) {
        const Outcome outcome = apply(command);
        const auto* refused = std::get_if<Refused>(&outcome);
        return refused ? refused->reason : Reason::none;
    }
    Number take_number(const std::string& who) {
        return std::get<OuterStanding>(apply(TakeNumber{key(who)})).number;
    }

    // Lets time pass as the service does: every deadline on the way gets its tick.
    void pass(Millis span) {
        const Instant until = now + span;
        for (;;) {
            const Instant next = room.next_deadline().value_or(instant_max);
            if (next > until) break;
            now = std::max(now, next);
            const std::size_t before = facts.size();
            apply(Tick{});
            // A tick that found nothing to do yet must not be asked for again at the same moment.
            if (facts.size() == before && room.next_deadline().value_or(instant_max) <= now) {
                ADD_FAILURE() << "the deadline at " << now.ms << " does not pass";
                break;
            }
        }
        now = until;
    }
    // As pass(), while these visitors stay in touch.
    void pass_with(Millis span, std::initializer_list<Number> alive) {
        for (std::int64_t ms = 0; ms < span.count; ms += 1'000) {
            for (const Number number : alive) apply(Touch{number});
            pass(Millis{std::min<std::int64_t>(1'000, span.count - ms)});
        }
    }

    VisitorState state(Number number) const { return room.standing(number).state; }
    std::uint64_t ahead(Number number) const { return room.standing(number).ahead; }

    // The same room from its facts alone.
    void expect_replay_is_equal() const {
        Room again;
        for (const Fact& fact : facts) ASSERT_TRUE(again.replay(fact)) << fact.sequence;
        EXPECT_EQ(again.digest(), room.digest());
    }

    VisitorKey key(const std::string& who) {
        const auto [found, fresh] = keys_.try_emplace(who);
        if (fresh)
            found->second = {.high = keys_.size() * 0x9e37'79b9'7f4a'7c15, .low = keys_.size()};
        return found->second;
    }

    Room room;
    Instant now{1'000'000};
    Facts facts;

  private:
    std::map<std::string, VisitorKey> keys_;
};

} // namespace anteroom
