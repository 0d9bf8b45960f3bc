// The options of the four dialects as a configuration gives them, for tests.
#pragma once

#include "app/dialect_config.h"
#include "dialects/hhplus/dialect.h"
#include "dialects/hhplus/settings.h"
#include "dialects/portal/dialect.h"
#include "dialects/portal/settings.h"
#include "dialects/tacos/dialect.h"
#include "dialects/tacos/settings.h"
#include "dialects/urr/dialect.h"
#include "dialects/urr/settings.h"

namespace anteroom::app {

inline urr::Options urr_options(const Config& config) {
    return urr::read_options(dialect_settings(config, urr::info()),
                             dialect_surroundings(config, urr::info()));
}
inline tacos::Options tacos_options(const Config& config) {
    return tacos::read_options(dialect_settings(config, tacos::info()),
                               dialect_surroundings(config, tacos::info()));
}
inline portal::Options portal_options(const Config& config) {
    return portal::read_options(dialect_settings(config, portal::info()),
                                dialect_surroundings(config, portal::info()));
}
inline hhplus::Options hhplus_options(const Config& config) {
    return hhplus::read_options(dialect_settings(config, hhplus::info()),
                                dialect_surroundings(config, hhplus::info()));
}

} // namespace anteroom::app
