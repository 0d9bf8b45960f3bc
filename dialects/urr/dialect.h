// System U as a dialect: docs/dialects/urr.md.
#pragma once

#include <memory>

#include "desk/dialect.h"
#include "desk/dialect_info.h"
#include "dialects/urr/options.h"

namespace anteroom::urr {

const DialectInfo& info();

std::shared_ptr<Dialect> open(const Options& options);

} // namespace anteroom::urr
