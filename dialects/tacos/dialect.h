// System T as a dialect: docs/dialects/tacos.md.
#pragma once

#include <memory>

#include "desk/dialect.h"
#include "desk/dialect_info.h"
#include "dialects/tacos/options.h"

namespace anteroom::tacos {

struct Shared;

const DialectInfo& info();

std::shared_ptr<Dialect> open(const Options& options);

// What the loops of this dialect share: its figures, its book of answers. REQUIRES: open() made it.
Shared& shared_of(Dialect& dialect);

} // namespace anteroom::tacos
