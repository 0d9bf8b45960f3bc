// What system T's dialect shares among the loops of one process.
#pragma once

#include <memory>

#include "dialects/tacos/figures.h"
#include "dialects/tacos/idempotency.h"
#include "dialects/tacos/leaky_bucket.h"
#include "dialects/tacos/options.h"
#include "service/address_limiter.h"

namespace anteroom::tacos {

struct Shared {
    explicit Shared(Options given)
        : options(std::move(given)),
          limiter(static_cast<double>(options.limit_burst),
                  static_cast<double>(options.limit_per_second)),
          book(IdempotencyBook::open(options.idempotency, {})) {}

    const Options options;
    AddressLimiter limiter;
    std::shared_ptr<IdempotencyBook> book;
    LeakyBucket bucket; // Paces `enter`.
    Figures figures;
};

} // namespace anteroom::tacos
