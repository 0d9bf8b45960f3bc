#include "app/dialects.h"

#include "dialects/hhplus/dialect.h"
#include "dialects/portal/dialect.h"
#include "dialects/tacos/dialect.h"
#include "dialects/urr/dialect.h"

namespace anteroom::app {

std::span<const DialectInfo* const> dialects() {
    static const DialectInfo* const all[] = {&urr::info(), &tacos::info(), &portal::info(),
                                             &hhplus::info()};
    return all;
}

} // namespace anteroom::app
