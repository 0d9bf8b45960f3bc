// Result<T>: a value, or the reason why the world did not give it.
//
// For failures outside our code (bad bytes, a timeout, a dead peer). std::expected does the same,
// but the clang that Debian 12 ships cannot compile libstdc++'s, and the tree builds with both
// compilers (docs/decisions/0001-result-type.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace anteroom {

struct Fault {
    std::string reason; // One clause that a person can read, without secrets.
};

template <class T>
class [[nodiscard]] Result {
  public:
    // Implicit, so that `return value;` and `return Fault{…};` read plainly.
    // NOLINTBEGIN(google-explicit-constructor)
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(Fault fault) : content_(std::in_place_index<1>, std::move(fault)) {}
    // NOLINTEND(google-explicit-constructor)

    explicit operator bool() const { return content_.index() == 0; }

    // REQUIRES: *this holds a value.
    T& operator*() & {
        CHECK(*this);
        return *std::get_if<0>(&content_);
    }
    const T& operator*() const& {
        CHECK(*this);
        return *std::get_if<0>(&content_);
    }
    T&& operator*() && {
        CHECK(*this);
        return std::move(*std::get_if<0>(&content_));
    }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }

    // REQUIRES: *this holds a fault.
    const Fault& fault() const {
        CHECK(!*this);
        return *std::get_if<1>(&content_);
    }

  private:
    std::variant<T, Fault> content_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Fault fault) : fault_(std::move(fault)) {} // NOLINT(google-explicit-constructor)

    explicit operator bool() const { return !fault_; }
    const Fault& fault() const {
        CHECK(fault_);
        return *fault_;
    }

  private:
    std::optional<Fault> fault_;
};

} // namespace anteroom
