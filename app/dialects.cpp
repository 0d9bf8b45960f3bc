#include "app/dialects.h"

#include <algorithm>

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

std::vector<const plan::System*> plan_systems() {
    std::vector<const plan::System*> all{&plan::native_system()};
    for (const DialectInfo* dialect : dialects())
        for (const plan::System& system : dialect->plans) all.push_back(&system);
    std::ranges::sort(all, {}, &plan::System::name);
    return all;
}

} // namespace anteroom::app
