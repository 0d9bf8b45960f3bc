#include "base/overload.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <variant>

namespace anteroom {
namespace {

struct Waiting {
    int ahead;
};
struct Active {};
struct Refused {
    std::string reason;
};
using Outcome = std::variant<Waiting, Active, Refused>;

std::string describe(const Outcome& outcome) {
    return std::visit(Overload{
                          [](const Waiting& w) { return std::to_string(w.ahead) + " ahead"; },
                          [](const Active&) { return std::string("inside"); },
                          [](const Refused& r) { return r.reason; },
                      },
                      outcome);
}

// A visitor that forgets a case must not compile: that is what Overload is for.
template <class Visitor>
concept HandlesEveryOutcome = std::is_invocable_v<Visitor, const Waiting&> &&
    std::is_invocable_v<Visitor, const Active&> && std::is_invocable_v<Visitor, const Refused&>;

TEST(Overload, VisitsTheCaseThatTheVariantHolds) {
    EXPECT_EQ(describe(Waiting{41}), "41 ahead");
    EXPECT_EQ(describe(Active{}), "inside");
    EXPECT_EQ(describe(Refused{"room full"}), "room full");
}

TEST(Overload, LacksTheCaseThatNobodyWrote) {
    Overload complete{[](const Waiting&) {}, [](const Active&) {}, [](const Refused&) {}};
    Overload forgetful{[](const Waiting&) {}, [](const Active&) {}};
    static_assert(HandlesEveryOutcome<decltype(complete)>);
    static_assert(!HandlesEveryOutcome<decltype(forgetful)>);
}

TEST(Overload, CasesMayCaptureAndChangeState) {
    int seen = 0;
    const Outcome outcome = Waiting{3};
    std::visit(Overload{[&](const Waiting& w) { seen = w.ahead; }, [](const auto&) {}}, outcome);
    EXPECT_EQ(seen, 3);
}

} // namespace
} // namespace anteroom
