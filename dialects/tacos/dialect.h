// System T as a dialect: docs/dialects/tacos.md.
#pragma once

#include <memory>

#include "desk/dialect.h"
#include "desk/dialect_info.h"
#include "dialects/tacos/options.h"

namespace anteroom::tacos {

const DialectInfo& info();

std::shared_ptr<Dialect> open(const Options& options);

} // namespace anteroom::tacos
