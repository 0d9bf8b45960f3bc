// UniqueFunction: a callable that may own things which cannot be copied (a reply that is still
// open).
//
// std::function wants copies and std::move_only_function is not in C++20.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace anteroom {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
  public:
    UniqueFunction() = default;

    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> &&
             std::is_invocable_r_v<R, std::remove_cvref_t<F>&, Args...>)
        UniqueFunction(F&& work) // NOLINT(*-explicit-*)
        : body_(std::make_unique<Body<std::remove_cvref_t<F>>>(std::forward<F>(work))) {}

    explicit operator bool() const { return body_ != nullptr; }

    // REQUIRES: not empty.
    R operator()(Args... args) const {
        CHECK(body_);
        return body_->run(std::forward<Args>(args)...);
    }

  private:
    struct Base {
        Base() = default;
        Base(const Base&) = delete;
        Base& operator=(const Base&) = delete;
        virtual ~Base() = default;
        virtual R run(Args... args) = 0;
    };
    template <class F>
    struct Body final : Base {
        template <class G>
        explicit Body(G&& from) : work(std::forward<G>(from)) {}
        R run(Args... args) override { return static_cast<R>(work(std::forward<Args>(args)...)); }
        F work;
    };
    std::unique_ptr<Base> body_;
};

} // namespace anteroom
