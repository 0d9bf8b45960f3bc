#include "app/installation.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
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

// Complete or not there, whenever we are killed. A link, unlike a rename, never replaces the file
// of a process that was quicker: that one writes, and we read.
bool write_new_file(const std::string& path, const std::string& text) {
    // Not named after the process: in containers that share a folder every server is process 1.
    std::string draft = path + ".XXXXXX";
    const int file = mkostemp(draft.data(), O_CLOEXEC); // Its mode is 0600.
    if (file < 0) throw ConfigError(fmt::format("{}: {}", draft, std::strerror(errno)));
    const bool written =
        write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        fsync(file) == 0;
    close(file);
    const bool linked = written && link(draft.c_str(), path.c_str()) == 0;
    const bool was_there = written && !linked && errno == EEXIST;
    unlink(draft.c_str());
    if (!linked && !was_there) throw ConfigError(fmt::format("{} cannot be written", path));
    return linked;
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
