// Catalogue: what an event is called, asked of the site's own catalogue and remembered for a while.
//
// An answer never waits long for a name: after a moment ask() says what is known, and the question
// goes on. When the catalogue fails, a breaker stops asking it for a while.
//
// One per loop.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "dialects/urr/breaker.h"
#include "dialects/urr/options.h"
#include "net/http_client.h"

namespace anteroom::urr {

class Catalogue {
  public:
    // The event's eventInfo, as JSON.
    using OnInfo = UniqueFunction<void(std::string_view json)>;

    Catalogue(net::Loop& loop, CatalogueOptions options);
    ~Catalogue(); // Callbacks that still wait are dropped.
    Catalogue(const Catalogue&) = delete;
    Catalogue& operator=(const Catalogue&) = delete;

    // What is known at once; null: ask().
    const std::string* find(std::string_view event) const;
    // `done` runs on the loop, perhaps at once, when there is an answer or the patience ends.
    void ask(std::string_view event, OnInfo done);
    // The same for coroutines: co_await catalogue.info(event). Both must live until then.
    class Info;
    Info info(std::string_view event);

  private:
    struct State;
    static net::Task<void> fetch(std::shared_ptr<State> state, std::string event);

    // Shared with fetch(), which may outlive the catalogue.
    std::shared_ptr<State> state_;
};

class Catalogue::Info {
  public:
    Info(Catalogue& catalogue, std::string_view event) : catalogue_(catalogue), event_(event) {}

    bool await_ready() const noexcept { return false; }
    // What is known already comes before ask() returns: then the coroutine does not suspend.
    bool await_suspend(std::coroutine_handle<> waiter) {
        catalogue_.ask(event_, [this, waiter](std::string_view json) {
            json_ = json;
            if (is_suspended_) waiter.resume();
        });
        is_suspended_ = !json_;
        return is_suspended_;
    }
    std::string await_resume() { return *std::move(json_); }

  private:
    Catalogue& catalogue_;
    const std::string_view event_;
    std::optional<std::string> json_;
    bool is_suspended_ = false;
};

inline Catalogue::Info Catalogue::info(std::string_view event) {
    return {*this, event};
}

// The two fields that clients show, of what the catalogue said.
std::optional<std::string> event_info(std::string_view body);

} // namespace anteroom::urr
