// What [urr], [tacos], [portal] and [hhplus] say, as the options of each dialect. All throw
// ConfigError.
#pragma once

#include "api/hhplus/options.h"
#include "api/portal/options.h"
#include "api/tacos/options.h"
#include "api/urr/options.h"
#include "app/config.h"

namespace anteroom::app {

api::urr::Options urr_options(const Config& config);
api::tacos::Options tacos_options(const Config& config);
api::portal::Options portal_options(const Config& config);
api::hhplus::Options hhplus_options(const Config& config);

} // namespace anteroom::app
