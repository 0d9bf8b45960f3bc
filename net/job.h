// Job: something to do once or more, that may own things which cannot be copied.
//
// std::function wants copies, so it cannot hold a Reply; C++20 has nothing else.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace anteroom::net {

class Job {
  public:
    Job() = default;

    template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Job> && std::invocable<F&>)
        Job(F&& work) // NOLINT(*-explicit-*)
        : body_(std::make_unique<Body<std::remove_cvref_t<F>>>(std::forward<F>(work))) {}

    explicit operator bool() const { return body_ != nullptr; }

    // REQUIRES: not empty.
    void operator()() const {
        CHECK(body_);
        body_->run();
    }

  private:
    struct Base {
        Base() = default;
        Base(const Base&) = delete;
        Base& operator=(const Base&) = delete;
        virtual ~Base() = default;
        virtual void run() = 0;
    };

    template <class F>
    struct Body final : Base {
        explicit Body(F&& given) : work(std::move(given)) {}
        explicit Body(const F& given) : work(given) {}
        void run() override { work(); }
        F work;
    };

    std::unique_ptr<Base> body_;
};

} // namespace anteroom::net
