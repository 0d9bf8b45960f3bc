// System P as a dialect: docs/dialects/portal.md.
#pragma once

#include <memory>

#include "desk/dialect.h"
#include "desk/dialect_info.h"
#include "dialects/portal/options.h"

namespace anteroom::portal {

const DialectInfo& info();

std::shared_ptr<Dialect> open(const Options& options);

} // namespace anteroom::portal
