// Systems U, T and H side by side behind one gate, with the rules of examples/hosts-rules.toml: on
// the path that all three have the host says whose rule decides, and nothing else does.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "dialects/hhplus/test_hall.h"
#include "dialects/tacos/test_event.h"
#include "tests/server/test_site.h"

namespace anteroom {
namespace {

using Response = net::testing::WireResponse;

gate::Rules example_rules() {
    const std::string path = ANTEROOM_EXAMPLES "/hosts-rules.toml";
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    Result<gate::Rules> rules = gate::read_rules(text.str(), path);
    if (!rules) throw std::runtime_error(rules.fault().reason);
    return *std::move(rules);
}

TestOptions three_systems(std::vector<std::string> origins) {
    TestOptions options = hhplus::quiet_hall();
    tacos::Rules rules = tacos::stopped();
    rules.grant = hours(1); // However slow the machine is.
    options.tacos = tacos::options_of(rules);
    options.origins = std::move(origins);
    return options;
}

// What somebody inside shows, and what somebody outside is told.
struct System {
    std::string host;
    std::string proof;
    unsigned refused_status;
    std::string refused;
};

struct Town {
    explicit Town(std::vector<std::string> origins = {}) : hall(three_systems(std::move(origins))) {
        server.gate.rules.store(std::make_shared<gate::Rules>(example_rules()));
        systems = {System{"tickets.example", proof_of_u(), 403,
                          R"({"error":"Queue entry token required","redirectTo":"/queue"})"},
                   System{"tacos.example", proof_of_t(), 401,
                          R"({"error":{"code":"MISSING_AUTHORIZATION",)"
                          R"("message":"Authorization header is required","trace_id":""}})"},
                   System{"concerts.example", proof_of_h(), 401, std::string(hhplus::refused)}};
    }

    std::string proof_of_u() {
        const Response checked = server.ask("POST", urr::path_of("/api/v1/queue/check/"),
                                            urr::TestEvent::as_user("ann"));
        return urr::TestEvent::as_user("ann") +
               fmt::format("x-queue-entry-token: {}\r\n",
                           TestServer::text_of(TestServer::json(checked), "entryToken"));
    }
    std::string proof_of_t() {
        const Response joined = server.ask("POST", "/api/v1/queue/join", "",
                                           fmt::format(R"({{"event_id":"{}"}})", tacos::event_id));
        const std::string token = TestServer::text_of(TestServer::json(joined), "waiting_token");
        server.service.submit(*server.service.rooms().share(tacos::event_id), CallNext{1}, nullptr,
                              {});
        const Response entered = server.ask("POST", "/api/v1/queue/enter", "",
                                            fmt::format(R"({{"waiting_token":"{}"}})", token));
        grant = TestServer::text_of(TestServer::json(entered), "reservation_token");
        return TestServer::bearer(grant);
    }
    std::string proof_of_h() {
        const std::string token = hall.token(1);
        hall.activate(1);
        return hhplus::TestHall::with(token);
    }

    // The body names an event in the words of all systems: it does not choose one either.
    Response reserve(std::string_view host, std::string_view headers,
                     std::string_view path = "/api/v1/reservations") {
        return server.ask("POST", path, headers,
                          fmt::format(R"({{"eventId":"{}","event_id":"{}","seat_ids":["A-1"]}})",
                                      urr::event_id, tacos::event_id),
                          host);
    }
    // As another proxy asks.
    Response verify(std::string_view host, std::string_view headers) {
        return server.ask("GET", "/v1/verify",
                          fmt::format("X-Original-URI: /api/v1/reservations\r\n"
                                      "X-Original-Method: POST\r\nX-Forwarded-Host: {}\r\n{}",
                                      host, headers));
    }
    std::string proofs_without(const System& one) const {
        std::string all;
        for (const System& other : systems)
            if (other.host != one.host) all += other.proof;
        return all;
    }

    hhplus::TestHall hall;
    TestServer& server = hall.server;
    std::string grant; // Of system T.
    std::array<System, 3> systems;
};

TEST(GateHosts, EachHostsOwnSystemDecidesAboutReservations) {
    urr::Site site;
    Town town({site.url()});
    int passed = 0;
    for (const System& system : town.systems)
        for (const char* path : {"/api/v1/reservations", "/api/reservations",
                                 "/api/v1/reservations/concert", "/API/v1/Reservations"}) {
            // Nothing, and what the others' rules would take, one by one and together.
            std::vector<std::string> shown{"", town.proofs_without(system)};
            for (const System& other : town.systems)
                if (other.host != system.host) shown.push_back(other.proof);
            for (const std::string& headers : shown) {
                const Response refused = town.reserve(system.host, headers, path);
                EXPECT_EQ(refused.status, system.refused_status) << system.host << path << headers;
                EXPECT_EQ(refused.body, system.refused) << system.host << path << headers;
            }
            EXPECT_EQ(site.requests, passed);
            EXPECT_EQ(town.reserve(system.host, system.proof, path).body, "the site")
                << system.host << path;
            EXPECT_EQ(site.requests, ++passed);
            EXPECT_TRUE(site.saw("Host: " + system.host + "\n")) << "the origin goes by it, too";
        }
    // The token went by the gate several times, and the origin can still redeem it.
    const Response redeemed =
        town.server.ask("POST", "/api/v1/queue/verify", TestServer::bearer(town.grant),
                        fmt::format(R"({{"event_id":"{}"}})", tacos::event_id));
    EXPECT_EQ(redeemed.status, 200) << redeemed.body;
}

TEST(GateHosts, OtherProxiesAreToldTheSame) {
    Town town;
    for (const System& system : town.systems) {
        EXPECT_EQ(town.verify(system.host, system.proof).status, 204) << system.host;
        const Response refused = town.verify(system.host, town.proofs_without(system));
        EXPECT_EQ(refused.status, system.refused_status) << system.host;
        EXPECT_EQ(refused.body, system.refused);
        // Clients cannot name another host beside the one that the proxy names.
        for (const System& other : town.systems)
            if (other.host != system.host) {
                EXPECT_EQ(town.verify(system.host,
                                      other.proof + "X-Original-Host: " + other.host + "\r\n")
                              .body,
                          R"({"error":"The request is described in two ways"})");
            }
    }
    EXPECT_EQ(town.verify("elsewhere.example", town.proofs_without({})).body,
              R"({"error":"Forbidden"})");
}

TEST(GateHosts, AHostIsKnownHoweverItIsWrittenAndOnlyByItsHeader) {
    urr::Site site;
    Town town({site.url()});
    const System& tickets = town.systems[0];
    for (const char* host : {"TICKETS.example", "tickets.example:8443", "Tickets.Example."}) {
        EXPECT_EQ(town.reserve(host, "").body, tickets.refused) << host;
        EXPECT_EQ(town.reserve(host, tickets.proof).body, "the site") << host;
    }
    const std::string lies =
        "X-Forwarded-Host: tacos.example\r\nX-Original-Host: tacos.example\r\n"
        "Forwarded: host=tacos.example\r\n";
    EXPECT_EQ(town.reserve(tickets.host, lies + town.proofs_without(tickets)).body,
              tickets.refused);
    EXPECT_EQ(site.requests, 3);
}

TEST(GateHosts, AnUnknownHostIsRefusedWhateverIsShown) {
    urr::Site site;
    Town town({site.url()});
    const std::string everything = town.proofs_without({}) + "X-Forwarded-Host: tacos.example\r\n";
    const std::string asks_first =
        "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n";
    for (const char* host : {"elsewhere.example", "example", "my.tickets.example",
                             "tickets.example.evil.example", "xtacos.example", "127.0.0.1"}) {
        for (const char* path : {"/api/v1/reservations", "/api/v1/reservations/my", "/shop", "/"}) {
            const Response refused = town.reserve(host, everything, path);
            EXPECT_EQ(refused.status, 403) << host << path;
            EXPECT_EQ(refused.body, R"({"error":"Forbidden"})") << host << path;
        }
        EXPECT_EQ(town.server.ask("OPTIONS", "/shop", asks_first, "", host).status, 403) << host;
    }
    EXPECT_EQ(site.requests, 0);
    EXPECT_EQ(town.server.ask("OPTIONS", "/shop", asks_first, "", "tacos.example").status, 200);
}

// So that system U's part does not fall behind.
TEST(GateHosts, SystemUsHostHasTheBuiltInRules) {
    std::vector<gate::Rule> rules;
    for (gate::Rule& rule : example_rules().list) {
        if (rule.hosts.empty() || rule.hosts.front() != "tickets.example") continue;
        rule.hosts.clear();
        rules.push_back(std::move(rule));
    }
    const std::vector<gate::Rule>& built_in = gate::default_rules().list;
    ASSERT_EQ(rules.size(), built_in.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
        EXPECT_TRUE(gate::hides(rules[i], built_in[i])) << built_in[i].name;
        EXPECT_TRUE(gate::hides(built_in[i], rules[i])) << built_in[i].name;
        EXPECT_EQ(rules[i].needs, built_in[i].needs) << built_in[i].name;
        EXPECT_EQ(rules[i].body_event, built_in[i].body_event) << built_in[i].name;
        EXPECT_EQ(rules[i].redirects, built_in[i].redirects) << built_in[i].name;
    }
}

} // namespace
} // namespace anteroom
