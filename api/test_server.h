// A whole server in the test's process: rooms, keeper, API and a socket on a free port.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>

#include "api/api.h"
#include "api/portal/paths.h"
#include "api/test_store.h"
#include "net/testing.h"
#include "token/key_ring.h"

namespace anteroom::api {

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
    std::vector<std::string> origins{}; // Of the gate.
    bool sessions_only = false;
    gate::CallLimits call_limits{}; // 0: not counted.
    std::vector<std::string> edge_secrets{};
    // While it is true the store refuses commands; nothing: it never does.
    std::shared_ptr<std::atomic<bool>> store_is_away{};
};

inline std::map<std::string, RoomSettings, std::less<>> named_rooms(const TestOptions& options) {
    if (!options.hhplus) return {};
    return {{options.hhplus->room, options.hhplus->settings}};
}

class TestServer {
  public:
    static constexpr const char* admin_token = "a-test-token-for-admins";

    explicit TestServer(TestOptions options = {})
        : service({.defaults = options.defaults,
                   .create_on_first_use = options.create_on_first_use,
                   .named = named_rooms(options),
                   .is_reserved = options.portal ? portal::is_queue_id : nullptr},
                  make_store(options)),
          shared{.service = service,
                 .admin_token = admin_token,
                 .cors_origins = options.cors_origins,
                 .join_limiter = std::make_unique<AddressLimiter>(3, options.joins_per_second)},
          keys(*token::KeyRing::generate({1'700'000'000})) {
        shared.urr = options.urr;
        shared.portal = options.portal;
        if (options.tacos) shared.tacos = std::make_unique<tacos::Shared>(*options.tacos);
        shared.hhplus = options.hhplus;
        gate.rules.store(std::make_shared<gate::Rules>(gate::default_rules()));
        gate.sessions_only = options.sessions_only;
        if (!options.edge_secrets.empty())
            gate.edge_keys.store(std::make_shared<gate::EdgeKeys>(
                *gate::EdgeKeys::from_texts(options.edge_secrets)));
        gate.proxy.origins.urls = options.origins;
        for (std::size_t i = 0; i < options.call_limits.size(); ++i)
            if (options.call_limits[i] > 0)
                gate.limiters[i] = std::make_unique<WindowLimiter>(options.call_limits[i]);
        shared.metrics = [] { return std::string("metrics here\n"); };
        service.attach(0, thread_.loop);
        net::ServerOptions server_options;
        const std::vector<std::string> loopback{"127.0.0.0/8"};
        if (options.trust_loopback) server_options.proxies = *net::TrustedProxies::parse(loopback);
        thread_.call([&] {
            service.quiet().online(0);
            thread_.loop.on_turn([this] { service.quiet().pass(0); });
            api_ = std::make_unique<Api>(
                shared, 0, thread_.loop,
                *Office::open(
                    keys, {.jwt_secret = options.jwt_secret,
                           .access_rules = {},
                           .tacos_rules = token::AccessRules{.type_required = false,
                                                             .audience = "traffic-tacos-api"}}));
            api_->set_gate(*GateKeeper::open(api_->desk(), gate));
            server_ = *net::HttpServer::listen(thread_.loop, *api_, std::move(server_options));
            port_ = server_->port();
        });
        service.start();
    }

    ~TestServer() {
        service.stop();
        thread_.call([&] {
            server_.reset();
            api_.reset();
            thread_.loop.on_turn([] {});
            service.quiet().offline(0);
        });
    }

    std::uint16_t port() const { return port_; }
    net::Loop& loop() { return thread_.loop; }

    // One request on a connection of its own.
    net::testing::WireResponse ask(std::string_view method, std::string_view path,
                                   std::string_view headers = {}, std::string_view body = {}) {
        net::testing::Dial dial(port_);
        return dial.ask(text(method, path, headers, body));
    }

    // A new key made at that time; the old one is valid for a while.
    void rotate(token::Purpose purpose, token::UnixSeconds at, Millis overlap) {
        EXPECT_TRUE(keys.rotate(purpose, at, overlap));
        thread_.call(
            [&] { api_->set_office(*Office::open(keys, {.jwt_secret = {}, .access_rules = {}})); });
    }

    static std::string text(std::string_view method, std::string_view path,
                            std::string_view headers = {}, std::string_view body = {}) {
        std::string out = fmt::format("{} {} HTTP/1.1\r\nHost: test\r\n{}", method, path, headers);
        if (!body.empty())
            out += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n",
                               body.size());
        else if (method == "POST" || method == "PUT")
            out += "Content-Length: 0\r\n";
        return out + "\r\n" + std::string(body);
    }

    static std::string bearer(std::string_view token) {
        return fmt::format("Authorization: Bearer {}\r\n", token);
    }
    static std::string as_admin() { return bearer(admin_token); }

    // Joins as this visitor; returns the standing.
    boost::json::object join(std::string_view room, std::string_view visitor) {
        const auto answer = ask("POST", fmt::format("/v1/rooms/{}/tickets", room), "",
                                fmt::format(R"({{"visitor":"{}"}})", visitor));
        EXPECT_TRUE(answer.status == 200 || answer.status == 201) << answer.status << answer.body;
        return json(answer);
    }

    static boost::json::object json(const net::testing::WireResponse& answer) {
        boost::json::error_code error;
        boost::json::value value = boost::json::parse(answer.body, error);
        if (error || !value.is_object()) {
            ADD_FAILURE() << "no JSON object: " << answer.status << " " << answer.body;
            return {};
        }
        return value.as_object();
    }
    static std::string text_of(const boost::json::object& object, const char* name) {
        return std::string(object.at(name).as_string().c_str());
    }
    static std::string code(const net::testing::WireResponse& answer) {
        return text_of(json(answer), "code");
    }

    Service service;
    ApiShared shared;
    GateShared gate;
    token::KeyRing keys;

  private:
    static Service::MakeStore make_store(const TestOptions& options) {
        if (!options.store_is_away) return {};
        return [away = options.store_is_away](const Clock& clock, Listener& listener) {
            return std::make_unique<FlakyStore>(clock, listener, away);
        };
    }

    net::testing::LoopThread thread_;
    std::unique_ptr<Api> api_;
    std::unique_ptr<net::HttpServer> server_;
    std::uint16_t port_ = 0;
};

} // namespace anteroom::api
