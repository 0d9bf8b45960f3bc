// What system T's dialect shares among the loops of one process.
#pragma once

#include <memory>

#include "api/tacos/figures.h"
#include "api/tacos/idempotency.h"
#include "api/tacos/leaky_bucket.h"
#include "api/tacos/options.h"
#include "service/address_limiter.h"

namespace anteroom::api::tacos {

struct Shared {
    explicit Shared(Options given)
        : options(std::move(given)),
          limiter(static_cast<double>(options.limit_burst),
                  static_cast<double>(options.limit_per_second)),
          book(IdempotencyBook::open(options.idempotency, {})) {}

    const Options options;
    AddressLimiter limiter;
    std::shared_ptr<IdempotencyBook> book;
    LeakyBucket bucket; // Of those who enter.
    Figures figures;
};

} // namespace anteroom::api::tacos
