// Router: which route answers a request. One tree of path segments for the native routes and all
// dialects; a path is looked up once.
//
//   "/v1/rooms/{room}/ticket"   `{name}` stands for one segment that is not empty
//   "/vwr-api/{rest*}"          the last one may stand for the whole rest of the path
//
// A text goes before a parameter, a parameter before the rest. Of two routes for the same path and
// method the first one that was added counts. HEAD is answered like GET.
//
// Filled before the first request; then only read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "net/request.h"

namespace anteroom {

class Adapter;
class Call;

inline constexpr std::size_t parameters_max = 4;
// In the order of the pattern, as they stand in the path.
using Parameters = std::array<std::string_view, parameters_max>;

struct RouteEnd {
    using Handler = UniqueFunction<void(Call&)>;
    // Whether the parameters can be those of this route; null: always.
    using Fits = bool (*)(const Parameters&);

    Adapter* owner = nullptr;
    std::optional<net::Method> method; // Nothing: every method.
    Handler handler;
    Fits fits = nullptr;
};

struct RouteMatch {
    const RouteEnd* route = nullptr; // Null: there is none with this method.
    Adapter* owner = nullptr;        // Of the path with whatever method; null: nobody has it.
    Parameters parameters{};
    std::vector<net::Method> methods{}; // That the path has; only where the route is null.
};

class Router {
  public:
    Router();
    ~Router();
    Router(const Router&) = delete;
    Router& operator=(const Router&) = delete;

    // REQUIRES: the pattern begins with a slash and has at most parameters_max names.
    void add(Adapter& owner, std::optional<net::Method> method, std::string_view pattern,
             RouteEnd::Handler handler, RouteEnd::Fits fits = nullptr);

    RouteMatch match(net::Method method, std::string_view path) const;

  private:
    struct Node;
    struct Search;
    static const Node* find(const Node& node, std::string_view path, Search& search,
                            std::size_t depth);

    std::unique_ptr<Node> root_;
};

// "GET" and so on, for Allow; empty: a method without a name here.
std::string_view name(net::Method method);
// "GET, POST".
std::string list_of(const std::vector<net::Method>& methods);

} // namespace anteroom
