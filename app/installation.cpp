#include "app/installation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "token/base64.h"
#include "token/key_file.h"
#include "token/secret.h"

namespace anteroom::app {
namespace {

void configure(token::KeyRing& ring, token::Purpose purpose, const std::string& secret) {
    if (secret.empty()) return;
    const Result<void> done = ring.configure(purpose, secret);
    if (!done)
        throw ConfigError(fmt::format("keys.{}: {}", token::name(purpose), done.fault().reason));
}

// O_EXCL: of two processes that start at once, one writes and the other reads.
bool write_new_file(const std::string& path, const std::string& text) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        if (errno == EEXIST) return false;
        throw ConfigError(fmt::format("{}: {}", path, std::strerror(errno)));
    }
    const bool written =
        write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        fsync(file) == 0;
    close(file);
    if (!written) throw ConfigError(fmt::format("{} cannot be written", path));
    return true;
}

void find_admin_token(Installation& installation, const Config& config, const std::string& folder) {
    installation.admin_token_path = folder + "/admin-token";
    if (!config.admin_token.empty()) {
        installation.admin_token = config.admin_token;
        return;
    }
    if (!std::filesystem::exists(installation.admin_token_path)) {
        const Result<token::Secret> secret = token::Secret::random();
        if (!secret) throw ConfigError(secret.fault().reason);
        const std::string text = token::base64url(secret->bytes());
        installation.admin_token_is_new =
            write_new_file(installation.admin_token_path, text + "\n");
    }
    std::ifstream file(installation.admin_token_path);
    std::getline(file, installation.admin_token);
    if (installation.admin_token.size() < 8)
        throw ConfigError(fmt::format("{} holds no token; remove it to get a new one",
                                      installation.admin_token_path));
}

} // namespace

token::UnixSeconds wall_clock() {
    return {static_cast<std::int64_t>(std::time(nullptr))};
}

std::string key_file_path(const Config& config) {
    return data_folder(config) + "/keys.json";
}

Installation open_installation(const Config& config) {
    const std::string folder = data_folder(config);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw ConfigError(fmt::format("store.url: {}: {}", folder, error.message()));
    Result<token::KeyRing> ring = token::load_or_create_keys(key_file_path(config), wall_clock());
    if (!ring) throw ConfigError(ring.fault().reason);
    configure(*ring, token::Purpose::ticket, config.ticket_key);
    configure(*ring, token::Purpose::outer, config.outer_key);
    configure(*ring, token::Purpose::entry, config.entry_key);
    Installation installation{.keys = *std::move(ring)};
    find_admin_token(installation, config, folder);
    return installation;
}

} // namespace anteroom::app
