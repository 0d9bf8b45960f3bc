#include "app/dialects.h"

#include "dialects/hhplus/dialect.h"
#include "dialects/portal/dialect.h"
#include "dialects/tacos/dialect.h"
#include "dialects/urr/dialect.h"

namespace anteroom::app {
namespace {

// tacos is the last: a path below /api/v1 that no dialect has is missed in its words.
constexpr const DialectInfo* all[] = {&urr::info, &portal::info, &hhplus::info, &tacos::info};

} // namespace

std::span<const DialectInfo* const> dialects() {
    return all;
}

} // namespace anteroom::app
