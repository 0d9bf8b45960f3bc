// A whole server in the test's process: rooms, keeper, API and a socket on a free port.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <string>

#include "api/api.h"
#include "dialects/hhplus/options.h"
#include "dialects/portal/options.h"
#include "dialects/tacos/options.h"
#include "dialects/urr/options.h"
#include "net/testing.h"
#include "token/key_ring.h"

namespace anteroom {

struct TestOptions {
    bool trust_loopback = true; // The test's client is a backend.
    RoomSettings defaults{};
    bool create_on_first_use = true;
    double joins_per_second = 0;
    std::vector<std::string> cors_origins{};
    std::string jwt_secret{};
    urr::Options urr{};
    std::optional<portal::Options> portal{}; // Nothing: not spoken.
    std::optional<tacos::Options> tacos{};
    std::optional<hhplus::Options> hhplus{};
    std::vector<std::shared_ptr<Dialect>> more_dialects{};
    std::vector<std::string> origins{}; // Of the gate.
    bool sessions_only = false;
    gate::CallLimits call_limits{}; // 0: not counted.
    std::vector<std::string> edge_secrets{};
    // While it is true the store refuses commands; nothing: it never does.
    std::shared_ptr<std::atomic<bool>> store_is_away{};
    bool is_away_unnoticed = false; // The store says all the same that it can be written.
    // Another store; nothing: rooms are in memory.
    std::function<std::unique_ptr<Store>(const Clock&, StoreListener&)> make_store{};
    std::optional<token::KeyRing> keys{}; // Of several servers; nothing: its own.
};

class TestServer {
  public:
    static constexpr const char* admin_token = "a-test-token-for-admins";

    explicit TestServer(TestOptions options = {});
    ~TestServer();

    std::uint16_t port() const { return port_; }
    net::Loop& loop() { return thread_.loop; }

    // One request on a connection of its own.
    net::testing::WireResponse ask(std::string_view method, std::string_view path,
                                   std::string_view headers = {}, std::string_view body = {},
                                   std::string_view host = "test");
    // Joins as this visitor; returns the standing.
    boost::json::object join(std::string_view room, std::string_view visitor);

    // Other rules for a room, from now on. Whoever is to be too slow for a rule comes before it:
    // then no machine is too slow for the test.
    void change_rules(std::string_view room, const std::function<void(Settings&)>& change);
    // A new key made at that time; the old one is valid for a while.
    void rotate(token::Purpose purpose, token::UnixSeconds at, Millis overlap);

    static std::string text(std::string_view method, std::string_view path,
                            std::string_view headers = {}, std::string_view body = {},
                            std::string_view host = "test");
    static std::string bearer(std::string_view token);
    static std::string as_admin() { return bearer(admin_token); }

    static boost::json::object json(const net::testing::WireResponse& answer);
    static std::string text_of(const boost::json::object& object, const char* name);
    static std::string code(const net::testing::WireResponse& answer);

    Service service;
    DeskShared shared;
    api::GateShared gate;
    token::KeyRing keys;

  private:
    net::testing::LoopThread thread_;
    std::unique_ptr<api::Api> api_;
    std::unique_ptr<net::HttpServer> server_;
    std::uint16_t port_ = 0;
};

} // namespace anteroom
