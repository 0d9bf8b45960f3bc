// What [urr], [tacos], [portal] and [hhplus] say, as the options of each dialect. All throw
// ConfigError.
#pragma once

#include <memory>
#include <vector>

#include "app/config.h"
#include "desk/dialect.h"
#include "dialects/hhplus/options.h"
#include "dialects/portal/options.h"
#include "dialects/tacos/options.h"
#include "dialects/urr/options.h"

namespace anteroom::app {

// Those that are enabled, in the order of app/dialects.cpp.
std::vector<std::shared_ptr<Dialect>> open_dialects(const Config& config);

urr::Options urr_options(const Config& config);
tacos::Options tacos_options(const Config& config);
portal::Options portal_options(const Config& config);
hhplus::Options hhplus_options(const Config& config);

} // namespace anteroom::app
