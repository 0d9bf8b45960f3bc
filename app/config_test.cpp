#include "app/config.h"

#include <gtest/gtest.h>

#include "app/config_text.h"
#include "app/gate_config.h"
#include "app/history_config.h"
#include "app/test_dialects.h"
#include "app/test_file.h"
#include "gate/edge_stamp.h"
#include "token/access.h"

namespace anteroom::app {
namespace {

using Texts = std::vector<std::string>;

std::string fault_of_file(const std::string& text) {
    const File file(text);
    try {
        load_config(file.path(), nullptr);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

TEST(Config, ReadsTheFileAndThenTheEnvironment) {
    const File file(
        "[server]\nlisten = \"127.0.0.1:9000\"\n[defaults]\ncapacity = 7\nlease = \"5m\"\n");
    const char* environment[] = {"PATH=/bin",
                                 "ANTEROOM_SERVER_THREADS=3",
                                 "ANTEROOM_DEFAULTS_CAPACITY=9",
                                 "ANTEROOM_SERVER_TRUSTED_PROXIES=10.0.0.0/8, ::1",
                                 "ANTEROOM_DEFAULTS_ADMIT_ON_JOIN=false",
                                 "ANTEROOM_ROOMS_JOINS_PER_SECOND=0.5",
                                 nullptr};
    const Config config = load_config(file.path(), environment);
    EXPECT_EQ(config.listen, "127.0.0.1:9000");
    EXPECT_EQ(config.threads, 3);
    EXPECT_EQ(config.defaults.rules.capacity, 9);
    EXPECT_EQ(config.defaults.rules.lease, minutes(5));
    EXPECT_FALSE(config.defaults.rules.admit_on_join);
    EXPECT_EQ(config.trusted_proxies, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
    EXPECT_EQ(config.joins_per_second, 0.5);
}

TEST(Config, KnowsTheNamesOfSystemU) {
    const char* environment[] = {"QUEUE_THRESHOLD=500",
                                 "QUEUE_ACTIVE_TTL_SECONDS=300",
                                 "QUEUE_SEEN_TTL_SECONDS=120",
                                 "QUEUE_ADMISSION_INTERVAL_MS=2000",
                                 "QUEUE_ADMISSION_BATCH_SIZE=50",
                                 "QUEUE_STALE_CLEANUP_INTERVAL_MS=15000",
                                 "BATCH_SIZE=250",
                                 "QUEUE_ENTRY_TOKEN_SECRET=entry-test-secret-0123456789abcd",
                                 "QUEUE_ENTRY_TOKEN_TTL_SECONDS=200",
                                 "VWR_TOKEN_SECRET=vwr-test-secret-0123456789abcdef",
                                 "JWT_SECRET=jwt-test-secret-0123456789abcdef",
                                 "CORS_ORIGIN=https://shop.example",
                                 "INTERNAL_API_TOKEN=for-insiders",
                                 "KAFKA_BOOTSTRAP_SERVERS=",
                                 nullptr};
    const Config config = load_config("", environment);
    const Settings& rules = config.defaults.rules;
    EXPECT_EQ(rules.capacity, 500);
    EXPECT_EQ(rules.lease, minutes(5));
    EXPECT_EQ(rules.idle, minutes(2));
    EXPECT_EQ(rules.admit_interval, seconds(2));
    EXPECT_EQ(rules.admit_batch, 50);
    EXPECT_EQ(rules.sweep_interval, seconds(15));
    EXPECT_EQ(rules.outer_batch, 250);
    EXPECT_EQ(config.entry_key, "entry-test-secret-0123456789abcd");
    EXPECT_EQ(urr_options(config).entry_pass_life, seconds(200));
    EXPECT_EQ(config.outer_key, "vwr-test-secret-0123456789abcdef");
    EXPECT_EQ(config.jwt_secret, "jwt-test-secret-0123456789abcdef");
    EXPECT_EQ(config.cors_origins, std::vector<std::string>{"https://shop.example"});
    EXPECT_EQ(urr_options(config).catalogue.token, "for-insiders");

    const char* ours[] = {"ANTEROOM_DEFAULTS_CAPACITY=7", "QUEUE_THRESHOLD=500", nullptr};
    EXPECT_EQ(load_config("", ours).defaults.rules.capacity, 7);
    const char* silent[] = {"ANTEROOM_DIALECTS_ENABLED=", "QUEUE_THRESHOLD=500", nullptr};
    EXPECT_EQ(load_config("", silent).defaults.rules.capacity, 1'000);
    const char* wrong[] = {"QUEUE_THRESHOLD=many", nullptr};
    EXPECT_THROW(load_config("", wrong), ConfigError);
}

TEST(Config, SystemPHasItsRules) {
    const char* alone[] = {"ANTEROOM_DIALECTS_ENABLED=portal",
                           "JWT_SECRET=jwt-test-secret-0123456789abcdef", nullptr};
    EXPECT_EQ(load_config("", alone).jwt_secret, "jwt-test-secret-0123456789abcdef");
    const portal::Options usual = portal_options(load_config("", nullptr));
    EXPECT_EQ(usual.entered, minutes(10));
    EXPECT_EQ(usual.idle, minutes(10));
    EXPECT_EQ(usual.stream, minutes(5));
    EXPECT_FALSE(usual.idempotent_enter || usual.drains);
    const char* environment[] = {"ANTEROOM_PORTAL_DEACTIVATE=drain", "ANTEROOM_PORTAL_ENTERED=7m",
                                 "ANTEROOM_PORTAL_IDEMPOTENT_ENTER=true", nullptr};
    const portal::Options set = portal_options(load_config("", environment));
    EXPECT_TRUE(set.idempotent_enter && set.drains);
    const Settings rules =
        room_rules(set, {.capacity = 1'000, .batch = 50, .interval_seconds = 10});
    EXPECT_EQ(rules.capacity, 1'000);
    EXPECT_EQ(rules.admit_batch, 50);
    EXPECT_EQ(rules.admit_interval, seconds(10));
    EXPECT_EQ(rules.lease, minutes(7));
    EXPECT_EQ(rules.lease_max, minutes(7));
    EXPECT_FALSE(rules.admit_on_join);
    EXPECT_EQ(fault_of(rules), Reason::none);
}

TEST(Config, SystemTHasItsRulesAndItsNames) {
    const tacos::Options options = tacos_options(load_config("", nullptr));
    EXPECT_EQ(options.room.rules.called_max, 100);
    EXPECT_EQ(options.room.rules.wait_min, seconds(5));
    EXPECT_EQ(options.room.rules.rate_milli, 50'000);
    EXPECT_EQ(options.room.rules.lease_max, seconds(30));
    EXPECT_EQ(options.limit_burst, 100);
    EXPECT_EQ(options.limit_per_second, 50);
    EXPECT_FALSE(options.requires_idempotency_key || options.trusts_body_user);
    EXPECT_FALSE(options.comes_first) << "system U comes first";
    EXPECT_TRUE(options.test_token.empty() && options.flush_prefix.empty());

    const char* environment[] = {"ANTEROOM_DIALECTS_ENABLED=tacos,urr",
                                 "ANTEROOM_TACOS_MIN_WAIT=10s",
                                 "ANTEROOM_TACOS_RANK=0",
                                 "ANTEROOM_TACOS_RATE_PER_SECOND=0",
                                 "ANTEROOM_TACOS_TEST_TOKEN=a-long-test-token-0123456789-abcdef",
                                 "RATE_LIMIT_RPS=7",
                                 "RATE_LIMIT_BURST=9",
                                 "JWT_AUDIENCE=others",
                                 nullptr};
    const Config config = load_config("", environment);
    const tacos::Options current = tacos_options(config);
    EXPECT_EQ(current.room.rules.wait_min, seconds(10));
    EXPECT_EQ(current.room.rules.called_max, 0);
    EXPECT_EQ(current.room.rules.rate_milli, 0);
    EXPECT_EQ(current.limit_per_second, 7);
    EXPECT_EQ(current.limit_burst, 9);
    EXPECT_TRUE(current.comes_first);
    EXPECT_EQ(current.audience, "others");
    const char* silent[] = {"ANTEROOM_TACOS_JWT_AUDIENCE=", nullptr};
    EXPECT_EQ(tacos_options(load_config("", silent)).audience, "") << "then it is not looked at";
    EXPECT_EQ(print_config(config).find("a-long-test-token"), std::string::npos);
}

TEST(Config, SystemHLetsInWhatItsFormulaSays) {
    const char* nothing[] = {nullptr};
    const hhplus::Options usual = hhplus_options(load_config("", nothing));
    EXPECT_EQ(usual.room, "hhplus");
    EXPECT_EQ(usual.settings.rules.admit_batch, 4'000);
    EXPECT_EQ(usual.settings.rules.admit_interval, seconds(10));
    EXPECT_EQ(usual.settings.rules.capacity, limits::count_max);
    EXPECT_EQ(usual.settings.rules.lease, minutes(10));
    EXPECT_EQ(usual.settings.rules.lease_max, minutes(10));
    EXPECT_FALSE(usual.settings.rules.admit_on_join);
    EXPECT_EQ(usual.lease_reserved, minutes(5));
    const char* bold[] = {"ANTEROOM_HHPLUS_MARGIN=0", "ANTEROOM_HHPLUS_MAX_ACTIVE=20000", nullptr};
    EXPECT_EQ(hhplus_options(load_config("", bold)).settings.rules.admit_batch, 4'444);
    EXPECT_EQ(hhplus_options(load_config("", bold)).settings.rules.capacity, 20'000);
    const char* given[] = {"ANTEROOM_HHPLUS_BATCH=7", "ANTEROOM_HHPLUS_INTERVAL=1s", nullptr};
    EXPECT_EQ(hhplus_options(load_config("", given)).settings.rules.admit_batch, 7);
    EXPECT_EQ(usual.settings.rules.wait_min, seconds(1));
    const char* at_once[] = {"ANTEROOM_HHPLUS_WAIT_MIN=0s", nullptr};
    EXPECT_EQ(hhplus_options(load_config("", at_once)).settings.rules.wait_min, Millis{0});
}

TEST(Config, EveryMistakeIsOneClearLine) {
    const std::pair<const char*, const char*> rows[] = {
        {"[server]\nlisten = 8080\n", "server.listen must be a text"},
        {"[dialects]\nenabled = [\"klingon\"]\n",
         "dialects.enabled: \"klingon\" is not spoken; there are urr, tacos, portal, hhplus"},
        {"[portal]\nentered = \"soon\"\n", "portal.entered must be a span such as \"10m\""},
        {"[portal]\nstream = \"0s\"\n", "portal.stream must be a span such as \"10m\""},
        {"[portal]\ndeactivate = \"now\"\n", "portal.deactivate must be \"expire\" or \"drain\""},
        {"[tacos]\nmin_wait = \"soon\"\n", "tacos.min_wait must be a span such as \"10m\""},
        {"[tacos]\ngrant = \"0s\"\n", "tacos.grant must be a span"},
        {"[tacos]\nrank = -1\n", "0 or more"},
        {"[tacos]\nrate_per_second = 2000000\n", "tacos: rate_per_second must be from 0 to"},
        {"[tacos]\nrate_per_second = 0.0001\n", "must be 0 or at least 0.001"},
        {"[tacos]\nlimit_burst = 0\n", "tacos.limit_burst must be at least 1"},
        {"[tacos]\ntest_token = \"load-test-bypass-token\"\n", "tacos.test_token: "},
        {"[hhplus]\nroom = \"a room\"\n", "hhplus.room must be 1 to 128 of"},
        {"[hhplus]\ninterval = \"soon\"\n", "hhplus.interval must be a span"},
        {"[hhplus]\nwait_min = \"-1s\"\n", "hhplus.wait_min must be a span such as \"10m\""},
        {"[hhplus]\ninterval = \"2h\"\n", "hhplus: an interval must be from 1ms to 1h"},
        {"[hhplus]\nretry = 0\n", "hhplus.qps, queries, calls and retry must be above 0"},
        {"[hhplus]\nmargin = 1\n", "hhplus.margin must be from 0 to below 1"},
        {"[hhplus]\nqps = 0.1\n", "hhplus: a batch must be from 1"},
        {"[hhplus]\nlease_reserved = \"11m\"\n", "hhplus.lease_reserved must be from 1ms"},
        {"[urr]\nentry_pass = \"soon\"\n", "urr.entry_pass must be a span such as \"10m\""},
        {"[urr]\ncatalogue_url = \"ftp://x\"\n", "urr.catalogue_url must be an http or https URL"},
        {"[urr]\ntrust_vwr_position = 1\n", "urr.trust_vwr_position must be true or false"},
        {"[server]\nlisten = \"nowhere\"\n", "ADDRESS:PORT"},
        {"[server]\nlisten = \"127.0.0.1:99999\"\n", "ADDRESS:PORT"},
        {"[server]\nthreads = \"two\"\n", "whole number"},
        {"[server]\nthreads = -1\n", "0 or more"},
        {"[server]\nthreads = 1000\n", "at most 256"},
        {"[server]\ntrusted_proxies = 7\n", "list of texts"},
        {"[server]\ncolour = 1\n", ":2: there is no setting server.colour"},
        {"[nothing]\nx = 1\n", ":2: there is no section [nothing]"},
        {"[nothing]\n", ":1: there is no section [nothing]"},
        {"[sever]\n", ":1: there is no section [sever]; did you mean [server]?"},
        {"[sever]\nx = 1\n", ":2: there is no section [sever]; did you mean [server]?"},
        {"[server]\n\nlisen = 1\n",
         ":3: there is no setting server.lisen; did you mean server.listen?"},
        {"[server]\nadmin_token = \"\"\n",
         "there is no setting server.admin_token; did you mean auth.admin_token?"},
        {"[server.tls]\nkey = 1\n", "there is no setting server.tls"},
        {"[[server]]\nthreads = 1\n", "server must be a section such as [server]"},
        {"[server]\nlisten = { a = 1 }\n", "server.listen must be a text, a number"},
        {"[server]\nthreads = 1\nthreads = 2\n", ":3: Error while parsing"},
        {"[server]\nthreads = 2026-01-01\n", "server.threads must be a text, a number"},
        {"[server]\nconnections_per_address = 0\n", "must be from 1 to 4294967295"},
        {"listen = 1\n",
         ":1: listen must be a section such as [server]; did you mean server.listen?"},
        {"\x7f\x01\x02\xff\xfe", ":1: "},
        {"[server]\nlisten = \"\xff\"\n", ":2: Encountered invalid utf-8"},
        {"[log]\nlevel = \"loud\"\n", "log.level must be \"trace\", \"debug\", \"info\", "},
        {"[gate]\nlimits = \"\"\n", "gate.limits must be \"always\", \"origin\" or \"never\""},
        {"[server\n", "Error while parsing"},
        {"[store]\nurl = \"rodis://h\"\n", "store.url must be embedded:FOLDER"},
        {"[store]\nurl = \"redis://\"\n", "store.url "},
        {"[store]\nurl = \"redis://h\"\nreplicas = 17\n", "store.replicas must be from 0 to 16"},
        {"[store]\nurl = \"redis://h\"\npassword_file = \"/nowhere\"\n",
         "store.password_file: /nowhere cannot be read"},
        {"[store]\nurl = \"rediss://h\"\nauthorities = \"/nowhere\"\n", "store.authorities: "},
        {"[store]\nurl = \"redis://h\"\n[history]\nurl = \"postgresql://h/d\"\n",
         "history.url needs rooms in embedded:FOLDER"},
        {"[history]\nurl = \"redis://h\"\n", "history.url must be postgresql://"},
        {"[history]\nurl = \"mysql://ann:hidden@h:x/d\"\n", "the host or the port is wrong"},
        {"[history]\nkeep = \"for ever\"\n", "history.keep must be a duration from 1s to 3660d"},
        {"[history]\nkeep = \"0s\"\n", "history.keep"},
        {"[history]\nkeep = \"4000d\"\n", "history.keep"},
        {"[history]\nkeep = 30\n", "history.keep must be a text"},
        {"[auth]\nadmin_token = \"short\"\n", "at least 8"},
        {"[gate]\nedge_key = \"hidden\"\n", "gate.edge_key: a secret needs at least 32 bytes"},
        {"[gate]\nedge_key = \"an-edge-key-of-0123456789-letters \"\n", "visible UTF-8 text"},
        {"[gate]\nedge_key = \"a\"\nedge_key_file = \"b\"\n", "keep one"},
        {"[gate]\nedge_key_file = \"/nowhere\"\n", "gate.edge_key_file: /nowhere cannot be opened"},
        {"[gate]\nedge_key = \"an-edge-key-of-0123456789-letters\"\n"
         "[auth]\njwt_secret = \"an-edge-key-of-0123456789-letters\"\n",
         "must be a secret of its own"},
        {"[rooms]\ncreate = \"never\"\n", "rooms.create"},
        {"[rooms]\nmax = 0\n", "rooms.max"},
        {"[server]\ntls_key = \"k.pem\"\n", "go together"},
        {"[defaults]\ncapacity = -1\n", "capacity must be from 0"},
        {"[defaults]\nlease = \"soon\"\n", "duration"},
        {"[defaults]\nlease = \"2h\"\n", "lease_max not below"},
        {"[defaults]\ncolour = 1\n", "there is no setting defaults.colour"},
    };
    for (const auto& [text, expected] : rows) {
        const std::string fault = fault_of_file(text);
        EXPECT_NE(fault.find(expected), std::string::npos) << text << "said: " << fault;
        EXPECT_EQ(fault.find('\n'), std::string::npos) << fault;
        EXPECT_EQ(fault.find("hidden"), std::string::npos) << fault;
    }
}

TEST(Config, EdgeKeysComeFromTheEnvironmentOrAFile) {
    EXPECT_EQ(gate_edge_keys(Config{}), nullptr);
    const char* one[] = {"ANTEROOM_GATE_EDGE_KEY=an-edge-key-of-0123456789-letters", nullptr};
    const Config config = load_config("", one);
    EXPECT_EQ(gate_edge_secrets(config),
              std::vector<std::string>{"an-edge-key-of-0123456789-letters"});
    EXPECT_NE(gate_edge_keys(config), nullptr);
    EXPECT_EQ(print_config(config).find("0123456789"), std::string::npos);

    const File file("the-new-edge-key-0123456789-letters\n\nthe-old-edge-key-0123456789-letters");
    const std::string variable = "ANTEROOM_GATE_EDGE_KEY_FILE=" + file.path();
    const char* two[] = {variable.c_str(), nullptr};
    EXPECT_EQ(gate_edge_secrets(load_config("", two)),
              (std::vector<std::string>{"the-new-edge-key-0123456789-letters",
                                        "the-old-edge-key-0123456789-letters"}));
    const File empty("\n");
    EXPECT_THROW(load_config("", two), ConfigError);
}

TEST(Config, NothingIsSuggestedWhereNothingIsNear) {
    for (const char* text : {"[server]\ncolour = 1\n", "[nothing]\nx = 1\n", "q = 1\n"})
        EXPECT_EQ(fault_of_file(text).find("did you mean"), std::string::npos) << text;
}

TEST(Config, AnEmptyFileIsFineAndAFolderOrAHugeFileIsNot) {
    EXPECT_EQ(fault_of_file(""), "");
    EXPECT_EQ(fault_of_file("# nothing\n[server]\n"), "");
    const std::string much = fault_of_file(std::string(10 << 20, '#'));
    EXPECT_NE(much.find(": a configuration has at most 1048576 bytes"), std::string::npos) << much;
    for (const std::string& path : {::testing::TempDir(), std::string("/nowhere.toml")}) {
        try {
            load_config(path, nullptr);
            ADD_FAILURE() << path << " was read";
        } catch (const ConfigError& error) {
            EXPECT_EQ(std::string(error.what()), path + ": cannot be read");
        }
    }
}

TEST(Config, TheFirstAliasOfASettingWins) {
    for (const bool is_turned : {false, true}) {
        const char* one = "CORS_ORIGIN=https://one.example";
        const char* two = "CORS_ALLOWED_ORIGINS=https://two.example,https://three.example";
        const char* environment[] = {is_turned ? two : one, is_turned ? one : two, nullptr};
        EXPECT_EQ(load_config("", environment).cors_origins, Texts{"https://one.example"});
    }
    const char* alone[] = {"CORS_ALLOWED_ORIGINS=https://two.example,https://three.example",
                           nullptr};
    EXPECT_EQ(load_config("", alone).cors_origins,
              (Texts{"https://two.example", "https://three.example"}));
}

TEST(Config, UnknownVariablesAreErrors) {
    const char* unknown[] = {"ANTEROOM_SERVER_LISEN=hidden", nullptr};
    try {
        load_config("", unknown);
        ADD_FAILURE() << "it was taken";
    } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(),
                     "the environment variable ANTEROOM_SERVER_LISEN is no setting; "
                     "did you mean ANTEROOM_SERVER_LISTEN?");
    }
    const char* wrong[] = {"ANTEROOM_DEFAULTS_CAPACITY=many", nullptr};
    EXPECT_THROW(load_config("", wrong), ConfigError);
}

TEST(Config, WhatIsPrintedCanBeReadAndShowsNoSecrets) {
    const char* environment[] = {"ANTEROOM_AUTH_ADMIN_TOKEN=very-secret-token",
                                 "ANTEROOM_HISTORY_URL=mysql://ann:very-secret@db:3306/shop",
                                 "ANTEROOM_HISTORY_KEEP=90d",
                                 "ANTEROOM_AUTH_JWKS_FILE=login/jwks.json",
                                 "ANTEROOM_AUTH_ISSUER=https://login.example",
                                 "ANTEROOM_AUTH_AUDIENCE=shop",
                                 "ANTEROOM_DEFAULTS_RATE_PER_SECOND=2.5",
                                 "ANTEROOM_DEFAULTS_MESSAGE=say \"hi\"",
                                 nullptr};
    const std::string printed = print_config(load_config("", environment));
    EXPECT_EQ(printed.find("very-secret"), std::string::npos);
    EXPECT_NE(printed.find("url = \"mysql://ann:********@db:3306/shop\""), std::string::npos);
    EXPECT_NE(printed.find("jwks_file = \"login/jwks.json\"\n"), std::string::npos);
    const File file(printed);
    const Config again = load_config(file.path(), nullptr);
    EXPECT_EQ(access_rules(again).issuer, "https://login.example");
    EXPECT_EQ(access_rules(again).audience, "shop");
    EXPECT_TRUE(access_rules(again).type_required);
    EXPECT_EQ(again.defaults.rules.rate_milli, 2'500);
    EXPECT_EQ(again.defaults.profile.message, "say \"hi\"");
    EXPECT_EQ(print_config(again), printed);
    EXPECT_EQ(history_keep(again), hours(24 * 90));
    EXPECT_EQ(history_url(again)->user, "ann");
    EXPECT_FALSE(history_url(Config{}));
}

} // namespace
} // namespace anteroom::app
