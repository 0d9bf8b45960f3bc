// System H as a dialect: docs/dialects/hhplus.md.
#pragma once

#include <memory>

#include "desk/dialect.h"
#include "desk/dialect_info.h"
#include "dialects/hhplus/options.h"

namespace anteroom::hhplus {

const DialectInfo& info();

std::shared_ptr<Dialect> open(const Options& options);

} // namespace anteroom::hhplus
