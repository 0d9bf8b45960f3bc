#include "tests/server/test_server.h"

#include <fmt/format.h>

#include "dialects/hhplus/dialect.h"
#include "dialects/portal/dialect.h"
#include "dialects/tacos/dialect.h"
#include "dialects/urr/dialect.h"
#include "tests/server/test_store.h"

namespace anteroom {
namespace {

std::vector<std::shared_ptr<Dialect>> open_dialects(const TestOptions& options) {
    std::vector<std::shared_ptr<Dialect>> open{urr::open(options.urr)};
    if (options.portal) open.push_back(portal::open(*options.portal));
    if (options.hhplus) open.push_back(hhplus::open(*options.hhplus));
    if (options.tacos) open.push_back(tacos::open(*options.tacos));
    open.insert(open.end(), options.more_dialects.begin(), options.more_dialects.end());
    return open;
}

ServiceOptions service_options(const TestOptions& options) {
    ServiceOptions service{.defaults = options.defaults,
                           .create_on_first_use = options.create_on_first_use};
    for (const std::shared_ptr<Dialect>& dialect : open_dialects(options))
        dialect->add_rooms(service);
    return service;
}

// The logins of systems T and P, whether or not they are spoken: they must not count elsewhere.
OfficeOptions office_options(const TestOptions& options) {
    OfficeOptions office{.jwt_secret = options.jwt_secret, .access_rules = {}};
    office.logins.emplace_back("tacos", tacos::login_rules({}));
    office.logins.emplace_back("portal", portal::login_rules({}));
    return office;
}

Service::MakeStore make_store(const TestOptions& options) {
    if (options.make_store) return options.make_store;
    if (!options.store_is_away) return {};
    return [away = options.store_is_away, unnoticed = options.is_away_unnoticed](
               const Clock& clock, StoreListener& listener) {
        return std::make_unique<FlakyStore>(clock, listener, away, unnoticed);
    };
}

} // namespace

TestServer::TestServer(TestOptions options)
    : service(service_options(options), make_store(options)),
      shared{.service = service,
             .admin_token = admin_token,
             .cors_origins = options.cors_origins,
             .join_limiter = std::make_unique<AddressLimiter>(3, options.joins_per_second)},
      keys(options.keys ? *options.keys : *token::KeyRing::generate({1'700'000'000})) {
    CHECK(service.load());
    shared.dialects = open_dialects(options);
    shared.dialect_names = {"urr", "tacos", "portal", "hhplus"};
    gate.rules.store(std::make_shared<gate::Rules>(gate::default_rules()));
    gate.sessions_only = options.sessions_only;
    if (!options.edge_secrets.empty())
        gate.edge_keys.store(
            std::make_shared<gate::EdgeKeys>(*gate::EdgeKeys::from_texts(options.edge_secrets)));
    gate.proxy.origins.urls = options.origins;
    gate.proxy.origins.limits = net::testing::patient(gate.proxy.origins.limits);
    gate.proxy.limits.first_byte = gate.proxy.limits.idle = net::testing::patience;
    for (std::size_t i = 0; i < options.call_limits.size(); ++i)
        if (options.call_limits[i] > 0)
            gate.limiters[i] = std::make_unique<WindowLimiter>(options.call_limits[i]);
    shared.metrics = [] { return std::string("metrics here\n"); };
    service.attach(0, thread_.loop);
    net::ServerOptions server_options = net::testing::patient(net::ServerOptions());
    const std::vector<std::string> loopback{"127.0.0.0/8"};
    if (options.trust_loopback) server_options.proxies = *net::TrustedProxies::parse(loopback);
    thread_.call([&] {
        service.quiet().online(0);
        thread_.loop.on_turn([this] { service.quiet().pass(0); });
        api_ = std::make_unique<api::Api>(shared, 0, thread_.loop,
                                          *Office::open(keys, office_options(options)));
        CHECK(api_->open(gate));
        server_ = *net::HttpServer::listen(thread_.loop, *api_, std::move(server_options));
        port_ = server_->port();
    });
    service.start();
}

TestServer::~TestServer() {
    service.stop();
    thread_.call([&] {
        server_.reset();
        api_.reset();
        thread_.loop.on_turn([] {});
        service.quiet().offline(0);
    });
}

net::testing::WireResponse TestServer::ask(std::string_view method, std::string_view path,
                                           std::string_view headers, std::string_view body,
                                           std::string_view host) {
    net::testing::Dial dial(port_);
    return dial.ask(text(method, path, headers, body, host));
}

boost::json::object TestServer::join(std::string_view room, std::string_view visitor) {
    const auto answer = ask("POST", fmt::format("/v1/rooms/{}/tickets", room), "",
                            fmt::format(R"({{"visitor":"{}"}})", visitor));
    EXPECT_TRUE(answer.status == 200 || answer.status == 201) << answer.status << answer.body;
    return json(answer);
}

std::string TestServer::text(std::string_view method, std::string_view path,
                             std::string_view headers, std::string_view body,
                             std::string_view host) {
    std::string out = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}", method, path, host, headers);
    if (!body.empty())
        out += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
    else if (method == "POST" || method == "PUT")
        out += "Content-Length: 0\r\n";
    return out + "\r\n" + std::string(body);
}

std::string TestServer::bearer(std::string_view token) {
    return fmt::format("Authorization: Bearer {}\r\n", token);
}

boost::json::object TestServer::json(const net::testing::WireResponse& answer) {
    boost::json::error_code error;
    boost::json::value value = boost::json::parse(answer.body, error);
    if (error || !value.is_object()) {
        ADD_FAILURE() << "no JSON object: " << answer.status << " " << answer.body;
        return {};
    }
    return value.as_object();
}

std::string TestServer::text_of(const boost::json::object& object, const char* name) {
    return std::string(object.at(name).as_string().c_str());
}

std::string TestServer::code(const net::testing::WireResponse& answer) {
    return text_of(json(answer), "code");
}

void TestServer::change_rules(std::string_view room, const std::function<void(Settings&)>& change) {
    const std::shared_ptr<HostedRoom> found = service.rooms().share(room);
    ASSERT_NE(found, nullptr);
    Settings rules = found->view().settings();
    change(rules);
    service.submit(*found, Configure{rules}, nullptr, {});
}

void TestServer::rotate(token::Purpose purpose, token::UnixSeconds at, Millis overlap) {
    EXPECT_TRUE(keys.rotate(purpose, at, overlap));
    thread_.call(
        [&] { api_->set_office(*Office::open(keys, {.jwt_secret = {}, .access_rules = {}})); });
}

} // namespace anteroom
