// What the page without scripts says to somebody who waits.
#include "api/plain_page.h"

#include <gtest/gtest.h>

#include <array>

#include "base/time.h"

namespace anteroom::api {
namespace {

std::string waiting_page(Millis idle, std::string_view language) {
    PlainPage page{.room = "hall", .state = "waiting", .idle = idle};
    page.standing.state = VisitorState::waiting;
    return render_plain_page(page, language);
}

struct Kept {
    Millis idle;
    std::string_view language;
    std::string_view words;
};

// Singular and plural, whole units, and never more than is true.
constexpr std::array kept{
    Kept{minutes(10), "en", "your place is kept for 10 minutes."},
    Kept{minutes(1), "en", "your place is kept for 1 minute."},
    Kept{seconds(1), "en", "your place is kept for 1 second."},
    Kept{seconds(90), "en", "your place is kept for 90 seconds."},
    Kept{seconds(179), "en", "your place is kept for 2 minutes."},
    Kept{Millis{7'199'999}, "en", "your place is kept for 119 minutes."},
    Kept{hours(1'500), "en", "your place is kept for 1,500 hours."},
    Kept{minutes(10), "ko", "순서는 10분 동안 유지됩니다."},
    Kept{seconds(30), "ko", "순서는 30초 동안 유지됩니다."},
    Kept{minutes(10), "ja", "順番は10分間保たれます。"},
    Kept{hours(2), "ja", "順番は2時間保たれます。"},
    Kept{minutes(10), "es", "se conserva durante 10 minutos."},
    Kept{minutes(1), "es", "se conserva durante 1 minuto."},
};

TEST(PlainPage, SaysHowLongASilentPlaceIsKept) {
    for (const Kept& one : kept) {
        const std::string page = waiting_page(one.idle, one.language);
        EXPECT_NE(page.find(one.words), page.npos) << one.words << "\n" << page;
    }
}

} // namespace
} // namespace anteroom::api
