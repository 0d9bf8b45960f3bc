// RedisOptions: how a RedisStore is set up. By itself, because the configuration fills it in and
// needs no more of the store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/time.h"
#include "base/unique_function.h"
#include "store/redis/url.h"

namespace anteroom::net {
class TlsClient;
}

namespace anteroom::shared {

struct RedisOptions {
    redis::Url url;
    std::shared_ptr<net::TlsClient> tls;
    std::string server_name;
    int replicas = 1; // That must confirm an entry before it is acknowledged; 0: the primary alone.
    std::string keys_mark; // A digest of the signing keys: all processes must have the same.
    std::uint64_t snapshot_facts = 250'000;
    Millis load_patience{15'000}; // Until Redis answers, at the start.
    UniqueFunction<void(const std::string&)> say;
};

} // namespace anteroom::shared
