#include "desk/router.h"

#include <algorithm>

#include "base/check.h"

namespace anteroom {

using net::Method;

struct Router::Node {
    struct Text {
        std::string segment;
        std::unique_ptr<Node> next;
    };
    std::vector<Text> texts;
    std::unique_ptr<Node> parameter;
    std::unique_ptr<Node> rest; // Takes what is left of the path.
    std::vector<RouteEnd> ends;

    Node& text(std::string_view segment) {
        for (Text& one : texts)
            if (one.segment == segment) return *one.next;
        return *texts.emplace_back(std::string(segment), std::make_unique<Node>()).next;
    }
};

struct Router::Search {
    Method method;
    RouteMatch result;
};

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;

void Router::add(Adapter& owner, std::optional<Method> method, std::string_view pattern,
                 RouteEnd::Handler handler, RouteEnd::Fits fits) {
    CHECK(pattern.starts_with('/'));
    Node* node = root_.get();
    std::size_t names = 0;
    while (!pattern.empty()) {
        pattern.remove_prefix(1);
        const std::size_t end = std::min(pattern.find('/'), pattern.size());
        const std::string_view segment = pattern.substr(0, end);
        pattern.remove_prefix(end);
        const bool is_name = segment.starts_with('{') && segment.ends_with('}');
        const bool is_rest = segment.ends_with("*}");
        CHECK(!is_rest || pattern.empty());
        CHECK(!is_name || ++names <= parameters_max);
        std::unique_ptr<Node>* child = is_rest ? &node->rest : &node->parameter;
        if (is_name && !*child) *child = std::make_unique<Node>();
        node = is_name ? child->get() : &node->text(segment);
    }
    node->ends.push_back(
        {.owner = &owner, .method = method, .handler = std::move(handler), .fits = fits});
}

// The node whose route answers, or null. What only another method has is noted in the search.
const Router::Node* Router::find(const Node& node, std::string_view path, Search& search,
                                 std::size_t depth) {
    if (path.empty()) {
        for (const RouteEnd& end : node.ends) {
            if (end.fits && !end.fits(search.result.parameters)) continue;
            if (!search.result.owner) search.result.owner = end.owner;
            if (!end.method || *end.method == search.method) {
                search.result.route = &end;
                search.result.owner = end.owner;
                return &node;
            }
            search.result.methods.push_back(*end.method);
        }
        return nullptr;
    }
    const std::string_view below = path.substr(1);
    const std::size_t length = std::min(below.find('/'), below.size());
    const std::string_view segment = below.substr(0, length);
    const std::string_view left = below.substr(length);
    for (const Node::Text& text : node.texts)
        if (text.segment == segment)
            if (const Node* found = find(*text.next, left, search, depth)) return found;
    if (node.parameter && !segment.empty()) {
        search.result.parameters[depth] = segment;
        if (const Node* found = find(*node.parameter, left, search, depth + 1)) return found;
        search.result.parameters[depth] = {};
    }
    if (node.rest && !search.result.owner) {
        search.result.parameters[depth] = below;
        return find(*node.rest, {}, search, depth + 1);
    }
    return nullptr;
}

RouteMatch Router::match(Method method, std::string_view path) const {
    Search search{.method = method == Method::head ? Method::get : method, .result = {}};
    if (path.starts_with('/')) find(*root_, path, search, 0);
    return std::move(search.result);
}

std::string_view name(Method method) {
    switch (method) {
        case Method::get: return "GET";
        case Method::head: return "HEAD";
        case Method::post: return "POST";
        case Method::put: return "PUT";
        case Method::del: return "DELETE";
        case Method::patch: return "PATCH";
        case Method::options: return "OPTIONS";
        case Method::trace: return "TRACE";
        case Method::other: return "";
    }
    return "";
}

std::string list_of(const std::vector<Method>& methods) {
    std::string out;
    for (const Method method : methods) {
        if (!out.empty()) out += ", ";
        out += name(method);
    }
    return out;
}

} // namespace anteroom
