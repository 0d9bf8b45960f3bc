// pulse_vectors.json holds frames as they go out today and what the engine reads in them: the page
// is tested against the same file.
//
// After a change that is meant, write it anew with
//     ANTEROOM_WRITE_VECTORS=1 build/dev/pulse_vectors_test
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "engine/pulse.h"
#include "service/hosted_room.h"
#include "service/pulse_json.h"

namespace anteroom {
namespace {

const std::string file = ANTEROOM_PULSE_VECTORS;

struct Asked {
    std::uint8_t line;
    std::uint64_t order;
};

// No visitor is called. They join two lanes by turns, or one; some leave.
class Crowd {
  public:
    Crowd(Number visitors, std::uint8_t lanes) {
        Settings settings;
        settings.capacity = 0;
        settings.lanes = lanes;
        settings.leave_grace = Millis{0};
        apply(Configure{settings});
        for (Number i = 0; i < visitors; ++i)
            apply(Join{.visitor = {.high = i * 0x9e37'79b9'7f4a'7c15, .low = i},
                       .lane = static_cast<std::uint8_t>(i % 5 == 0 ? 0 : lanes - 1)});
    }
    void leave(Number number) { apply(Leave{number}); }
    void leave_at_random(Number visitors, unsigned percent) {
        std::minstd_rand random(percent); // The same in every library.
        for (Number number = 1; number <= visitors; ++number)
            if (random() % 100 < percent) leave(number);
    }

    const Room& room() const { return hosted_.view(); }
    // What the frame on the wire says of the lines; the other members are not needed for `ahead`.
    std::string map() const {
        const std::string frame = pulse_json(hosted_, now_);
        return '{' + frame.substr(frame.find("\"lines\":["));
    }
    // Where the visitor of this number stands.
    Asked at(Number number) const {
        const Standing standing = room().standing(number);
        EXPECT_EQ(standing.state, VisitorState::waiting) << number;
        return {.line = standing.line, .order = standing.order};
    }

  private:
    void apply(const Command& command) {
        HostedRoom::Writing writing(hosted_);
        facts_.clear();
        writing.room().apply(command, now_, facts_);
    }

    Quiet quiet_{1};
    HostedRoom hosted_{"r", 0, Profile{}, quiet_};
    Instant now_{1'000'000};
    Facts facts_;
};

// One row for each question to the frame.
class Vectors {
  public:
    void ask(const Crowd& crowd, const std::vector<Asked>& questions) {
        const Pulse pulse = make_pulse(crowd.room());
        const std::string map = crowd.map();
        for (const auto& [line, order] : questions)
            rows_ += fmt::format("{}{{\"pulse\":{},\"line\":{},\"order\":{},\"ahead\":{}}}",
                                 rows_.empty() ? "" : ",\n", map, line, order,
                                 ahead_from(pulse, line, order));
    }
    std::string text() const { return "[\n" + rows_ + "\n]\n"; }

  private:
    std::string rows_;
};

std::string engine_says() {
    Vectors vectors;
    vectors.ask(Crowd(0, 1), {{1, 42}});
    vectors.ask(Crowd(1, 1), {{1, 0}, {1, 1}, {1, 2}});

    Crowd two_lanes(60, 2); // All within the exact part; also orders of nobody, and other lines.
    two_lanes.leave_at_random(60, 25);
    std::vector<Asked> questions{{0, 5}, {7, 5}};
    for (const std::uint8_t line : {std::uint8_t{1}, std::uint8_t{3}})
        for (std::uint64_t order = 0; order < 63; order += 7) questions.push_back({line, order});
    vectors.ask(two_lanes, questions);

    Crowd from_the_middle(4'000, 1); // The edges of runs and marks.
    for (Number number = 1; number <= 400; ++number) from_the_middle.leave(number);
    questions.clear();
    for (const std::uint64_t order : std::initializer_list<std::uint64_t>{
             1,     400,   401,   402,   900,   1'399, 1'400, 1'401, 1'402, 1'420, 1'421,
             1'422, 1'500, 2'000, 2'999, 3'000, 3'500, 3'998, 3'999, 4'000, 4'001, 9'000})
        questions.push_back({1, order});
    vectors.ask(from_the_middle, questions);

    Crowd long_lanes(60'000, 2);
    long_lanes.leave_at_random(60'000, 2);
    questions.clear();
    for (const Number number : std::initializer_list<Number>{11'134, 25'066, 36'771, 59'996, 5'123,
                                                             13'395, 45'305, 57'742})
        questions.push_back(long_lanes.at(number));
    vectors.ask(long_lanes, questions);

    Crowd thinned(30'000, 1);
    thinned.leave_at_random(30'000, 30);
    questions.clear();
    for (const std::uint64_t order :
         std::initializer_list<std::uint64_t>{700, 1'500, 11'046, 17'758, 23'998, 29'768})
        questions.push_back({1, order});
    vectors.ask(thinned, questions);
    return vectors.text();
}

TEST(PulseVectors, AreWhatTheEngineSays) {
    const std::string says = engine_says();
    if (std::getenv("ANTEROOM_WRITE_VECTORS") != nullptr)
        std::ofstream(file, std::ios::binary) << says;
    std::ifstream opened(file, std::ios::binary);
    const std::string kept{std::istreambuf_iterator<char>(opened), {}};
    ASSERT_FALSE(kept.empty()) << file;
    // Not EXPECT_EQ, which would print both.
    EXPECT_TRUE(kept == says) << "the file is stale; see the top of " << __FILE__;
}

} // namespace
} // namespace anteroom
