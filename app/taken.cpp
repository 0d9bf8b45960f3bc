#include "app/taken.h"

#include <fmt/format.h>
#include <sys/types.h>

#include <fstream>
#include <optional>
#include <string>

#include "base/text_table.h"
#include "net/port_owner.h"
#include "store/embedded/files.h"

namespace anteroom::app {
namespace {

// "process 4711 (anteroom)".
std::string process_text(std::optional<pid_t> pid) {
    if (!pid) return "another process";
    std::string name; // Empty when it has ended since.
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", *pid)), name);
    const std::string shown = name.empty() ? "" : fmt::format(" ({})", printable(name));
    return fmt::format("process {}{}", *pid, shown);
}

} // namespace

void check_nothing_is_taken(const Config& config) {
    const Listen listen = parse_listen(config.listen);
    const Result<bool> port_taken = net::is_port_taken(listen.address, listen.port);
    if (!port_taken)
        throw ConfigError(
            fmt::format("server.listen {}: {}", config.listen, port_taken.fault().reason));
    const bool locks_folder = keeps_rooms(config) && !shares_rooms(config);
    const std::string folder = data_folder(config);
    const std::optional<pid_t> folder_owner =
        locks_folder ? embedded::folder_owner(folder) : std::nullopt;
    if (!*port_taken && !folder_owner) return;

    const std::optional<pid_t> port_owner =
        *port_taken ? net::port_owner(listen.address, listen.port) : std::nullopt;
    const std::string port_text = fmt::format("{} (server.listen)", config.listen);
    const std::string folder_text = fmt::format("the data folder {} (store.url)", folder);
    if (!folder_owner)
        throw ConfigError(fmt::format("{} is in use by {}", port_text, process_text(port_owner)));
    if (!*port_taken)
        throw DataError(fmt::format("{} is in use by {}", folder_text, process_text(folder_owner)));
    if (port_owner == folder_owner)
        throw DataError(fmt::format("{} and {} are in use by {}", port_text, folder_text,
                                    process_text(folder_owner)));
    throw DataError(fmt::format("{} is in use by {}, {} by {}", port_text, process_text(port_owner),
                                folder_text, process_text(folder_owner)));
}

} // namespace anteroom::app
