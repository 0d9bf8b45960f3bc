#include "desk/router.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "desk/adapter.h"

namespace anteroom {
namespace {

using net::Method;
using Methods = std::vector<Method>;

// The owner of one route, named by its pattern.
class Owner final : public Adapter {
  public:
    explicit Owner(std::string_view text) : pattern(text) {}
    void add_routes(Router&) override {}
    CrossOrigin cross_origin(std::string_view) const override { return {}; }
    void refuse_method(Call&, std::string_view) override {}

    const std::string pattern;
};

std::string pattern_of(const Adapter* owner) {
    return owner ? static_cast<const Owner*>(owner)->pattern : "-";
}

class Routes {
  public:
    Routes(std::initializer_list<std::string_view> patterns) {
        for (const std::string_view pattern : patterns) add(pattern);
    }
    Owner& add(std::string_view pattern, std::optional<Method> method = Method::get,
               RouteEnd::Fits fits = nullptr) {
        Owner& owner = owners_.emplace_back(pattern);
        router.add(
            owner, method, pattern, [](Call&) {}, fits);
        return owner;
    }
    // The pattern of the route, and its parameters in brackets; "-": there is none.
    std::string find(std::string_view path, Method method = Method::get) const {
        const RouteMatch match = router.match(method, path);
        if (!match.route) return "-";
        EXPECT_EQ(match.route->owner, match.owner);
        EXPECT_TRUE(match.route->handler);
        std::string out = pattern_of(match.owner);
        for (const std::string_view value : match.parameters)
            if (value.data()) out += fmt::format(" [{}]", value);
        return out;
    }

    Router router;

  private:
    std::deque<Owner> owners_;
};

TEST(Router, TextGoesBeforeParameterBeforeRest) {
    const Routes routes{"/a/{rest*}", "/a/{name}", "/a/b"}; // In whatever order they are added.
    EXPECT_EQ(routes.find("/a/b"), "/a/b");
    EXPECT_EQ(routes.find("/a/c"), "/a/{name} [c]");
    EXPECT_EQ(routes.find("/a/c/d"), "/a/{rest*} [c/d]");
    EXPECT_EQ(routes.find("/b"), "-");
    EXPECT_EQ(routes.find("/"), "-");
    EXPECT_EQ(routes.router.match(Method::get, "/b").owner, nullptr);
}

TEST(Router, GoesBackWhenATextLeadsNowhere) {
    const Routes routes{"/queue/token/{t}/status", "/queue/{type}/{id}/status",
                        "/queue/{type}/{id}/enter", "/queue/{rest*}"};
    EXPECT_EQ(routes.find("/queue/token/x/status"), "/queue/token/{t}/status [x]");
    EXPECT_EQ(routes.find("/queue/deal/42/status"), "/queue/{type}/{id}/status [deal] [42]");
    EXPECT_EQ(routes.find("/queue/token/42/enter"), "/queue/{type}/{id}/enter [token] [42]");
    EXPECT_EQ(routes.find("/queue/token/42/leave"), "/queue/{rest*} [token/42/leave]");
}

TEST(Router, ARouteOfAnotherMethodDoesNotHideOneThatFits) {
    Routes routes{};
    routes.add("/a/b", Method::post);
    routes.add("/a/{name}", Method::get);
    EXPECT_EQ(routes.find("/a/b"), "/a/{name} [b]");
    EXPECT_EQ(routes.find("/a/b", Method::post), "/a/b");
}

TEST(Router, HeadIsAnsweredLikeGet) {
    Routes routes{"/page"};
    routes.add("/form", Method::post);
    EXPECT_EQ(routes.find("/page", Method::head), "/page");
    EXPECT_EQ(routes.find("/form", Method::head), "-");
}

TEST(Router, TellsTheMethodsOfAPathThatHasNotGotThisOne) {
    Routes routes{};
    const Owner& first = routes.add("/a/b", Method::get);
    routes.add("/a/{name}", Method::post);
    routes.add("/a/{name}", Method::del);
    const RouteMatch match = routes.router.match(Method::put, "/a/b");
    EXPECT_EQ(match.route, nullptr);
    EXPECT_EQ(match.owner, &first);
    EXPECT_EQ(match.methods, (Methods{Method::get, Method::post, Method::del}));
    EXPECT_EQ(list_of(match.methods), "GET, POST, DELETE");
    EXPECT_EQ(list_of({}), "");
}

TEST(Router, ARestDoesNotAnswerForAPathThatHasAnOwner) {
    Routes routes{"/a/b"};
    routes.add("/{rest*}", std::nullopt);
    EXPECT_EQ(routes.find("/a/b", Method::post), "-"); // 405, not the rest's answer.
    EXPECT_EQ(routes.find("/a/c", Method::post), "/{rest*} [a/c]");
}

TEST(Router, ARouteMayTakeEveryMethod) {
    Routes routes{};
    routes.add("/any", std::nullopt);
    for (const Method method : {Method::get, Method::head, Method::put, Method::other})
        EXPECT_EQ(routes.find("/any", method), "/any");
}

TEST(Router, ParametersThatDoNotFitAreLeftToOthers) {
    Routes routes{};
    const RouteEnd::Fits is_number = [](const Parameters& parameters) {
        return parameters[0].find_first_not_of("0123456789") == std::string_view::npos;
    };
    routes.add("/{number}/x", Method::get, is_number);
    routes.add("/{rest*}");
    EXPECT_EQ(routes.find("/42/x"), "/{number}/x [42]");
    EXPECT_EQ(routes.find("/no/x"), "/{rest*} [no/x]");
    // Nor does the path belong to the route then.
    Routes alone{};
    alone.add("/{number}/x", Method::get, is_number);
    const RouteMatch match = alone.router.match(Method::post, "/no/x");
    EXPECT_EQ(match.owner, nullptr);
    EXPECT_TRUE(match.methods.empty());
}

TEST(Router, OfTwoEqualRoutesTheFirstCounts) {
    Routes routes{};
    const Owner& first = routes.add("/a/{x}");
    routes.add("/a/{y}");
    EXPECT_EQ(routes.router.match(Method::get, "/a/b").owner, &first);
}

TEST(Router, AParameterIsNeverEmptyAndARestMayBe) {
    const Routes routes{"/a/{name}", "/a/{name}/b", "/c/{rest*}"};
    EXPECT_EQ(routes.find("/a/"), "-");
    EXPECT_EQ(routes.find("/a//b"), "-");
    EXPECT_EQ(routes.find("//a/x"), "-");
    EXPECT_EQ(routes.find("/c/"), "/c/{rest*} []");
    EXPECT_EQ(routes.find("/c//d"), "/c/{rest*} [/d]");
    EXPECT_EQ(routes.find("/c"), "-");
}

TEST(Router, ATrailingSlashMakesAnotherPath) {
    const Routes routes{"/", "/a", "/b/", "/c/{name}"};
    EXPECT_EQ(routes.find("/"), "/");
    EXPECT_EQ(routes.find("/a"), "/a");
    EXPECT_EQ(routes.find("/a/"), "-");
    EXPECT_EQ(routes.find("/b"), "-");
    EXPECT_EQ(routes.find("/b/"), "/b/");
    EXPECT_EQ(routes.find("/c/x/"), "-");
}

TEST(Router, TakesUpToFourParameters) {
    Routes routes{"/{a}/{b}/{c}/{d}", "/x/{a}/{b}/{c}/{rest*}"};
    EXPECT_EQ(routes.find("/1/2/3/4"), "/{a}/{b}/{c}/{d} [1] [2] [3] [4]");
    EXPECT_EQ(routes.find("/x/2/3/4"), "/{a}/{b}/{c}/{d} [x] [2] [3] [4]");
    EXPECT_EQ(routes.find("/x/2/3/4/5/6"), "/x/{a}/{b}/{c}/{rest*} [2] [3] [4] [5/6]");
    EXPECT_DEATH(routes.add("/{a}/{b}/{c}/{d}/{e}"), "CHECK failed");
    EXPECT_DEATH(routes.add("/{rest*}/more"), "CHECK failed");
    EXPECT_DEATH(routes.add("no/slash"), "CHECK failed");
}

// Decoding is the owner's: %2F in a parameter must not part it.
TEST(Router, LeavesPercentSignsAlone) {
    const Routes routes{"/a/{name}", "/caf%C3%A9"};
    EXPECT_EQ(routes.find("/a/x%2Fy"), "/a/{name} [x%2Fy]");
    EXPECT_EQ(routes.find("/%61/x"), "-");
    EXPECT_EQ(routes.find("/caf%C3%A9"), "/caf%C3%A9");
    EXPECT_EQ(routes.find("/caf%c3%a9"), "-");
}

TEST(Router, WhatIsNoPathHasNoRoute) {
    Routes routes{};
    routes.add("/{rest*}", std::nullopt);
    EXPECT_EQ(routes.find("*", Method::options), "-");
    EXPECT_EQ(routes.find(""), "-");
}

} // namespace
} // namespace anteroom
