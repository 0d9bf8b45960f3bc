// OpenSslKey: an owner of one of OpenSSL's keys.
//
// OpenSSL counts the owners itself: a copy is one more owner of the same key, and a key does not
// change after it was made, so copies may be used by any number of threads.
#pragma once

#include <openssl/err.h>
#include <openssl/evp.h>

#include <memory>
#include <utility>

#include "base/check.h"

namespace anteroom::token {

class OpenSslKey {
  public:
    // Takes over the caller's share. Null when OpenSSL gave none.
    explicit OpenSslKey(EVP_PKEY* key) : key_(key) {}
    OpenSslKey(const OpenSslKey& other) : key_(other.key_.get()) {
        CHECK(!key_ || EVP_PKEY_up_ref(key_.get()) == 1);
    }
    OpenSslKey& operator=(const OpenSslKey& other) {
        OpenSslKey copy(other);
        key_.swap(copy.key_);
        return *this;
    }
    OpenSslKey(OpenSslKey&&) noexcept = default;
    OpenSslKey& operator=(OpenSslKey&&) noexcept = default;
    ~OpenSslKey() = default;

    explicit operator bool() const { return key_ != nullptr; }
    EVP_PKEY* get() const { return key_.get(); }

  private:
    struct Free {
        void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    };
    std::unique_ptr<EVP_PKEY, Free> key_;
};

// Guards calls that may fail on hostile bytes: its destructor empties the thread's queue of OpenSSL
// errors, which a TLS connection of the same thread would take for its own.
struct QuietErrors {
    QuietErrors() = default;
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;
    ~QuietErrors() { ERR_clear_error(); }
};

} // namespace anteroom::token
