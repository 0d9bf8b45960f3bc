#include "net/port_owner.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "net/ip_address.h"
#include "net/listen_address.h"

namespace anteroom::net {
namespace {

// "0100007F" or four such words: the kernel prints each as a number in its own byte order.
std::optional<IpAddress> kernel_address(std::string_view hex) {
    constexpr std::size_t word_digits = 8;
    std::array<std::uint32_t, 4> words{};
    const std::size_t count = hex.size() / word_digits;
    if (hex.size() % word_digits != 0 || (count != 1 && count != 4)) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
        const auto word =
            parse_whole_number<std::uint32_t>(hex.substr(i * word_digits, word_digits), 16);
        if (!word) return std::nullopt;
        words[i] = *word;
    }
    if (count == 1) words = {0, 0, htonl(0xffff), words[0]}; // ::ffff:1.2.3.4
    IpAddress ip;
    std::memcpy(ip.bytes.data(), words.data(), ip.bytes.size());
    return ip;
}

bool is_any(const IpAddress& ip) {
    return ip == parse_ip("0.0.0.0") || ip == IpAddress();
}

// The inodes of the sockets that listen on the port, at this address or at all of them (proc(5),
// /proc/net/tcp).
void find_listeners(const char* table, const IpAddress& wanted, std::uint16_t port,
                    std::vector<std::string>& inodes) {
    constexpr std::string_view listening = "0A";
    std::ifstream lines(table);
    std::string line;
    std::getline(lines, line); // The titles.
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        std::string slot, local, remote, state, queues, timer, retries, user, timeout, inode;
        fields >> slot >> local >> remote >> state >> queues >> timer >> retries >> user >>
            timeout >> inode;
        const std::size_t colon = local.find(':');
        if (state != listening || colon == local.npos) continue;
        if (parse_whole_number<std::uint16_t>(std::string_view(local).substr(colon + 1), 16) !=
            port)
            continue;
        const std::optional<IpAddress> address =
            kernel_address(std::string_view(local).substr(0, colon));
        if (address && (*address == wanted || is_any(*address) || is_any(wanted)))
            inodes.push_back(inode);
    }
}

bool holds_any(const std::filesystem::path& descriptors, const std::vector<std::string>& sockets) {
    std::error_code error;
    for (std::filesystem::directory_iterator it(descriptors, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code gone;
        const std::string link = std::filesystem::read_symlink(it->path(), gone).string();
        for (const std::string& socket : sockets)
            if (!gone && link == socket) return true;
    }
    return false;
}

} // namespace

Result<bool> is_port_taken(const std::string& address, std::uint16_t port) {
    Result<SocketAddress> wanted = listen_address(address, port);
    if (!wanted) return wanted.fault();
    const int descriptor = ::socket(wanted->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // Connections of an earlier server that are still closing take nothing (SO_REUSEADDR); one that
    // listens does, because this socket would not share the port (SO_REUSEPORT).
    const int on = 1;
    const bool is_free = descriptor >= 0 &&
                         setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                         ::bind(descriptor, wanted->get(), wanted->length) == 0;
    const int error = is_free ? 0 : errno;
    if (descriptor >= 0) ::close(descriptor);
    if (is_free) return false;
    if (error == EADDRINUSE) return true;
    return Fault{"cannot listen on " + address + " port " + std::to_string(port) + ": " +
                 std::strerror(error)};
}

std::optional<pid_t> port_owner(const std::string& address, std::uint16_t port) {
    const std::optional<IpAddress> wanted = parse_ip(address);
    if (!wanted) return std::nullopt;
    std::vector<std::string> sockets;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"})
        find_listeners(table, *wanted, port, sockets);
    for (std::string& inode : sockets) inode.insert(0, "socket:[").push_back(']');
    if (sockets.empty()) return std::nullopt;
    std::error_code error;
    for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
         it.increment(error)) {
        const std::optional<pid_t> pid =
            parse_whole_number<pid_t>(it->path().filename().string(), 10);
        if (pid && holds_any(it->path() / "fd", sockets)) return pid;
    }
    return std::nullopt;
}

} // namespace anteroom::net
