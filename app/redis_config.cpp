#include "app/redis_config.h"

#include <fmt/format.h>

#include <fstream>

#include "net/tls.h"
#include "store/shared/redis_options.h"

namespace anteroom::app {
namespace {

constexpr std::size_t password_max = 1'024;

std::string password_in(const std::string& path) {
    std::ifstream file(path);
    std::string password;
    if (!file || !std::getline(file, password))
        throw ConfigError(fmt::format("store.password_file: {} cannot be read", path));
    if (!password.empty() && password.back() == '\r') password.pop_back();
    if (password.empty() || password.size() > password_max)
        throw ConfigError(fmt::format("store.password_file: {} holds no password", path));
    return password;
}

} // namespace

shared::RedisOptions redis_options(const Config& config) {
    Result<redis::Url> url = redis::parse_url(config.store_url);
    if (!url) throw ConfigError("store.url " + url.fault().reason);
    if (!config.store_password.empty() && !config.store_password_file.empty())
        throw ConfigError("store.password and store.password_file exclude each other");
    if (!config.store_password.empty()) url->password = config.store_password;
    if (!config.store_password_file.empty())
        url->password = password_in(config.store_password_file);
    if (!url->user.empty() && url->password.empty())
        throw ConfigError(
            "store.url names a user; give the password in store.password_file or store.password");
    if (config.store_replicas < 0 || config.store_replicas > 16)
        throw ConfigError("store.replicas must be from 0 to 16");
    if (!config.history_url.empty())
        throw ConfigError(
            "history.url needs rooms in embedded:FOLDER; with Redis there is none yet");
    shared::RedisOptions options{
        .url = *std::move(url),
        .server_name = config.store_server_name,
        .replicas = static_cast<int>(config.store_replicas),
        .snapshot_facts = static_cast<std::uint64_t>(config.snapshot_facts)};
    if (!options.url.tls) return options;
    Result<std::shared_ptr<net::TlsClient>> tls = net::TlsClient::load(config.store_authorities);
    if (!tls) throw ConfigError("store.authorities: " + tls.fault().reason);
    options.tls = *std::move(tls);
    return options;
}

} // namespace anteroom::app
