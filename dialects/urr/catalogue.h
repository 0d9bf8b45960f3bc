// Catalogue: what an event is called, asked of the site's own catalogue and remembered for a while.
//
// Nobody waits long for a name: who asks gets what there is after a moment, and the question goes
// on. When the catalogue fails, a breaker stops asking it for a while.
//
// One per loop.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
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

    // What is known at once; null: ask().
    const std::string* find(std::string_view event) const;
    // `done` runs on the loop, perhaps at once, when there is an answer or the patience ends.
    void ask(std::string_view event, OnInfo done);

  private:
    struct State;
    static net::Task<void> fetch(std::shared_ptr<State> state, std::string event);

    // Held by questions under way, too: they may outlive the catalogue.
    std::shared_ptr<State> state_;
};

// The two fields that clients show, of what the catalogue said.
std::optional<std::string> event_info(std::string_view body);

} // namespace anteroom::urr
