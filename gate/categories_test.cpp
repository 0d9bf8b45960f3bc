#include "gate/categories.h"

#include <gtest/gtest.h>

namespace anteroom::gate {
namespace {

TEST(Categories, AreThoseOfTheTable) {
    const std::pair<const char*, std::optional<Category>> rows[] = {
        {"/api/auth/login", Category::auth},
        {"/api/v1/auth/login", Category::auth},
        {"/api/auth/me", std::nullopt},
        {"/api/v1/auth/me?x=1", std::nullopt},
        {"/api/auth/me2", Category::auth},
        {"/api/authors", Category::general},
        {"/api/v1/queue/check/x", Category::queue},
        {"/api/queue", Category::queue},
        {"/api/queues/token", Category::general},
        {"/api/seats/reserve", Category::booking},
        {"/api/v1/seats/reserve?a=b", Category::booking},
        {"/api/seats/reserve/2", Category::general},
        {"/api/reservations", Category::booking},
        {"/api/reservations/17/cancel", Category::booking},
        {"/api/reservations/17/18/cancel", Category::general},
        {"/api/reservations//cancel", Category::general},
        {"/api/reservations/my", Category::general},
        {"/api/events/1", Category::general},
        {"/health", std::nullopt},
        {"/actuator/info", std::nullopt},
        {"/events/1", std::nullopt},
        {"/apix/queue", std::nullopt},
        {"", std::nullopt},
    };
    for (const auto& [path, category] : rows) EXPECT_EQ(category_of(path), category) << path;
}

} // namespace
} // namespace anteroom::gate
