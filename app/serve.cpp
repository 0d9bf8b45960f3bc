#include "app/serve.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <thread>
#include <vector>

#include "api/api.h"
#include "app/demo.h"
#include "app/dialect_config.h"
#include "app/exit_codes.h"
#include "app/gate_config.h"
#include "app/history_desk.h"
#include "app/installation.h"
#include "app/log.h"
#include "app/metrics.h"
#include "app/open_historian.h"
#include "app/redis_config.h"
#include "app/taken.h"
#include "base/heap.h"
#include "base/text.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "net/tls.h"
#include "service/memory_store.h"
#include "store/embedded/ledger_store.h"
#include "store/shared/redis_store.h"
#include "token/jwks.h"

namespace anteroom::app {
namespace {

constexpr Millis shutdown_deadline = seconds(10);
// How long a shutdown waits for the historian; facts that it has not written yet are written after
// the next start.
constexpr Millis history_patience = seconds(2);
// How often the trimmer looks for free memory to give back.
constexpr std::time_t heap_interval_seconds = 5;

sigset_t handled_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
    return set;
}

// One thread with its loop, its view of the API and its socket.
struct Worker {
    net::Loop loop;
    std::unique_ptr<api::Api> api;
    std::unique_ptr<net::HttpServer> server;
    std::atomic<std::int64_t> lag_ms{0};
    net::Alarm beat;
    std::thread thread;
};

class Server {
  public:
    explicit Server(const ServeOptions& options)
        : config_(options.config),
          installation_(open_installation(config_)),
          history_keys_(std::make_shared<SharedRing>(
              std::make_shared<const token::KeyRing>(installation_.keys))),
          jwks_(open_jwks(config_)),
          service_(service_options(config_),
                   [this](const Clock& clock, StoreListener& listener) -> std::unique_ptr<Store> {
                       if (!keeps_rooms(config_))
                           return std::make_unique<MemoryStore>(clock, listener);
                       if (shares_rooms(config_)) {
                           auto store = std::make_unique<shared::RedisStore>(
                               clock, listener, shared_store_options());
                           redis_ = store.get();
                           return store;
                       }
                       auto store = std::make_unique<embedded::LedgerStore>(clock, listener,
                                                                            ledger_options());
                       ledger_ = store.get();
                       return store;
                   }),
          shared_{.service = service_,
                  .admin_token = installation_.admin_token,
                  .cors_origins = config_.cors_origins,
                  .join_limiter = std::make_unique<AddressLimiter>(
                      static_cast<double>(config_.joins_burst), config_.joins_per_second),
                  .has_demo = options.demo} {
        if (ledger_) historian_ = open_historian(config_, history_keys_);
        if (const Result<void> loaded = service_.load(); !loaded)
            throw DataError(loaded.fault().reason);
        if (historian_) {
            historian_->start();
            desk_ = std::make_unique<HistoryDesk>(data_folder(config_));
            shared_.history = desk_.get();
        }
        shared_.dialects = open_dialects(config_);
        shared_.dialect_names = dialect_names();
        if (config_.admin_token.empty()) shared_.admin_token_path = installation_.admin_token_path;
        if (options.demo) demo_ = std::make_unique<Demo>(service_);
        shared_.metrics = [this] {
            const MetricSources sources{.service = service_,
                                        .ledger = ledger_,
                                        .redis = redis_,
                                        .historian = historian_.get(),
                                        .dialects = shared_.dialects};
            return metrics_text(sources, loop_metrics_);
        };
        prepare_gate();
        open_workers();
    }

    void run() {
        service_.start();
        for (std::size_t slot = 0; slot < workers_.size(); ++slot) start(slot);
        announce();
        for (;;) {
            const int signal = next_signal();
            if (signal != SIGHUP) break;
            reload();
        }
        shut_down();
    }

  private:
    static ServiceOptions service_options(const Config& config) {
        ServiceOptions options{.defaults = config.defaults,
                               .create_on_first_use = config.create_rooms == "first-use",
                               .rooms_max = static_cast<std::size_t>(config.rooms_max),
                               .loops = thread_count(config)};
        for (const std::shared_ptr<Dialect>& dialect : open_dialects(config))
            dialect->add_rooms(options);
        return options;
    }
    embedded::LedgerOptions ledger_options() {
        return {.folder = data_folder(config_),
                .say = [](const std::string& line) { spdlog::info("{}", line); },
                .fatal =
                    [](const std::string& why) {
                        spdlog::critical("stopped: {}", why);
                        fmt::print(stderr, "anteroom: {}\n", why);
                        std::_Exit(exit_data); // Nothing more may be said or written.
                    },
                .consumed = [this] { return historian_->consumed(); },
                .written = [this] { historian_->nudge(); },
                .snapshots = {.facts = static_cast<std::uint64_t>(config_.snapshot_facts)}};
    }
    shared::RedisOptions shared_store_options() const {
        shared::RedisOptions options = redis_options(config_);
        // The visitor key never rotates, so its fingerprint tells whether processes share their
        // keys.
        const token::Fingerprint mark =
            installation_.keys.current(token::Purpose::visitor).secret.fingerprint();
        options.keys_mark = to_hex(mark);
        options.say = [](const std::string& line) { spdlog::info("{}", line); };
        return options;
    }
    static std::size_t thread_count(const Config& config) {
        if (config.threads > 0) return static_cast<std::size_t>(config.threads);
        return std::max(1u, std::thread::hardware_concurrency());
    }

    void open_workers() {
        const Listen listen = parse_listen(config_.listen);
        net::ServerOptions options{.address = listen.address, .port = listen.port};
        Result<net::TrustedProxies> proxies = net::TrustedProxies::parse(config_.trusted_proxies);
        if (!proxies) throw ConfigError("server.trusted_proxies: " + proxies.fault().reason);
        options.proxies = *std::move(proxies);
        options.budget = std::make_shared<net::ConnectionBudget>(
            net::connections_max_of_process(),
            static_cast<std::uint32_t>(config_.connections_per_address));
        if (!config_.tls_certificate.empty()) {
            Result<std::shared_ptr<net::TlsServer>> tls = net::TlsServer::load(
                {.certificate = config_.tls_certificate, .key = config_.tls_key});
            if (!tls) throw ConfigError("server.tls_certificate: " + tls.fault().reason);
            tls_ = *std::move(tls);
            options.tls = tls_;
        }
        for (std::size_t slot = 0; slot < service_.options().loops; ++slot) {
            workers_.push_back(std::make_unique<Worker>());
            Worker& worker = *workers_.back();
            service_.attach(slot, worker.loop);
            worker.api = std::make_unique<api::Api>(shared_, slot, worker.loop,
                                                    open_office(installation_, jwks_));
            open_gate(worker);
            Result<std::unique_ptr<net::HttpServer>> server =
                net::HttpServer::listen(worker.loop, *worker.api, options);
            if (!server)
                throw ConfigError(
                    fmt::format("server.listen {}: {}", config_.listen, server.fault().reason));
            worker.server = *std::move(server);
            options.port = worker.server->port(); // Port 0: all loops share the one that was given.
            options.joins_port = true;
            worker.beat = worker.loop.every(seconds(1), [&worker] {
                worker.lag_ms.store(worker.loop.take_lag_max().count, std::memory_order_relaxed);
            });
            loop_metrics_.push_back({.server = &worker.server->stats(),
                                     .latency = &worker.api->latency(),
                                     .lag_ms = &worker.lag_ms,
                                     .proxy = worker.api->gate().stats()});
        }
        port_ = options.port;
    }

    static std::optional<token::JwkSet> open_jwks(const Config& config) {
        if (config.jwks_file.empty()) return std::nullopt;
        Result<token::JwkSet> set = token::load_jwks(config.jwks_file);
        if (!set) throw ConfigError("auth.jwks_file: " + set.fault().reason);
        for (const std::string& line : set->skipped)
            spdlog::warn("auth.jwks_file: skipped {}", line);
        return *std::move(set);
    }
    std::unique_ptr<anteroom::Office> open_office(const Installation& installation,
                                                  const std::optional<token::JwkSet>& jwks) const {
        anteroom::OfficeOptions options{.jwt_secret = config_.jwt_secret,
                                        .jwks = jwks ? &*jwks : nullptr,
                                        .access_rules = access_rules(config_)};
        for (const std::shared_ptr<Dialect>& dialect : shared_.dialects)
            if (std::optional<token::AccessRules> rules = dialect->login())
                options.logins.emplace_back(dialect->name(), *std::move(rules));
        Result<std::unique_ptr<anteroom::Office>> office =
            anteroom::Office::open(installation.keys, options);
        if (!office) throw ConfigError("auth.jwt_secret: " + office.fault().reason);
        return *std::move(office);
    }

    void prepare_gate() {
        gate_.rules.store(gate_rules(config_));
        gate_.edge_keys.store(gate_edge_keys(config_));
        gate_.sessions_only = config_.gate_redeem;
        gate_.proxy = gate_proxy(config_);
        const gate::CallLimits limits = gate_call_limits(config_);
        for (std::size_t i = 0; i < limits.size(); ++i)
            if (limits[i] > 0) gate_.limiters[i] = std::make_unique<WindowLimiter>(limits[i]);
    }

    void open_gate(Worker& worker) {
        if (const Result<void> opened = worker.api->open(gate_); !opened)
            throw ConfigError("gate.origin: " + opened.fault().reason);
    }

    void start(std::size_t slot) {
        Worker& worker = *workers_[slot];
        worker.loop.on_turn([this, slot] { service_.quiet().pass(slot); });
        worker.thread = std::thread([this, slot, &worker] {
            service_.quiet().online(slot);
            worker.loop.run();
            service_.quiet().offline(slot);
        });
    }

    void announce() const {
        const std::string address =
            fmt::format("{}://{}:{}", tls_ ? "https" : "http", shown_address(), port_);
        fmt::print("listening {}\n", address);
        for (const std::string& origin : config_.gate_origin) fmt::print("gate to {}\n", origin);
        if (config_.gate_origin.empty()) fmt::print("front page {}/\n", address);
        if (demo_) fmt::print("waiting page {0}/wait/demo\n", address);
        fmt::print("API {0}/v1/openapi.json\n", address);
        if (installation_.admin_token_is_new)
            fmt::print("admin token {} (kept in {})\n", installation_.admin_token,
                       installation_.admin_token_path);
        else if (!shared_.admin_token_path.empty())
            fmt::print("admin token in {}\n", shared_.admin_token_path);
        std::fflush(stdout);
        spdlog::info("started version={} threads={} port={}", ANTEROOM_VERSION, workers_.size(),
                     port_);
    }
    std::string shown_address() const {
        const std::string address = parse_listen(config_.listen).address;
        return address.find(':') == address.npos ? address : "[" + address + "]";
    }

    // The main thread serves no requests, so the trimmer, which takes milliseconds, runs here.
    int next_signal() {
        const sigset_t set = handled_signals();
        const timespec rest{.tv_sec = heap_interval_seconds, .tv_nsec = 0};
        for (;;) {
            const int signal = sigtimedwait(&set, nullptr, &rest);
            if (signal > 0) return signal;
            if (errno == EAGAIN) trimmer_.look();
        }
    }

    // Reads certificates, keys and rules again. A file that cannot be used is logged, and the one
    // in force stays.
    void reload() {
        if (tls_) {
            const Result<void> done = tls_->reload();
            if (!done) spdlog::error("the certificate was not reloaded: {}", done.fault().reason);
        }
        try {
            Installation installation = open_installation(config_);
            std::optional<token::JwkSet> jwks = open_jwks(config_);
            std::shared_ptr<const gate::Rules> rules = gate_rules(config_);
            std::shared_ptr<const gate::EdgeKeys> edge_keys = gate_edge_keys(config_);
            std::vector<std::unique_ptr<anteroom::Office>> offices;
            for (std::size_t slot = 0; slot < workers_.size(); ++slot)
                offices.push_back(open_office(installation, jwks));
            installation_ = std::move(installation); // From here on nothing can fail.
            // Before the offices, so that the history never writes an entry token by an older key
            // than an office shows.
            history_keys_->store(std::make_shared<const token::KeyRing>(installation_.keys));
            jwks_ = std::move(jwks);
            gate_.rules.store(std::move(rules));
            gate_.edge_keys.store(std::move(edge_keys));
            for (std::size_t slot = 0; slot < workers_.size(); ++slot)
                workers_[slot]->loop.post(
                    [&worker = *workers_[slot], office = std::move(offices[slot])]() mutable {
                        worker.api->set_office(std::move(office));
                    });
            spdlog::info("reloaded");
        } catch (const ConfigError& error) {
            spdlog::error("nothing was reloaded: {}", error.what());
        }
    }

    void shut_down() {
        spdlog::info("stopping");
        shared_.stopping.store(true, std::memory_order_relaxed);
        demo_.reset();
        service_.stop();
        const net::Frame farewell = net::make_frame("event: bye\nretry: 2000\ndata: {}\n\n");
        for (const std::unique_ptr<Worker>& worker : workers_)
            worker->loop.post([&worker = *worker, farewell] {
                worker.server->shut_down(shutdown_deadline, farewell,
                                         [&worker] { worker.loop.stop(); });
            });
        for (const std::unique_ptr<Worker>& worker : workers_) worker->thread.join();
        for (const std::unique_ptr<Worker>& worker : workers_) {
            worker->beat = {};
            worker->server.reset();
        }
        desk_.reset();
        service_.close();
        if (historian_) {
            historian_->nudge();
            historian_->wait_consumed(ledger_->durable_fact(), history_patience);
            historian_->stop();
        }
        spdlog::info("stopped");
    }

    Config config_;
    Installation installation_;
    const std::shared_ptr<SharedRing> history_keys_;
    std::optional<token::JwkSet> jwks_; // The login's keys; none: there is no such file.
    std::unique_ptr<history::Historian> historian_; // Null: rooms are not kept.
    embedded::LedgerStore* ledger_ = nullptr;       // The service's; null: rooms are not kept here.
    shared::RedisStore* redis_ = nullptr;           // The service's; null: they are not in Redis.
    Service service_;
    DeskShared shared_;
    api::GateShared gate_;
    std::shared_ptr<net::TlsServer> tls_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<LoopMetrics> loop_metrics_;
    std::unique_ptr<HistoryDesk> desk_;
    std::unique_ptr<Demo> demo_;
    std::uint16_t port_ = 0;
    HeapTrimmer trimmer_;
};

} // namespace

int serve(const ServeOptions& options) {
    heap::set_up();
    open_log(options.config.log_level);
    for (const std::string& line : options.warnings) spdlog::warn("{}", line);
    ::umask(077); // The data folder holds keys and the names of visitors.
    // Signals are waited for in one place; no handler ever interrupts anything.
    sigset_t set = handled_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    check_nothing_is_taken(options.config);
    Server(options).run();
    return exit_done;
}

} // namespace anteroom::app
