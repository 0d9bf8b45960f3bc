#include "token/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace anteroom::token {
namespace {

Fault failed(std::string_view what, const std::string& path) {
    const int error = errno;
    return Fault{path + " cannot be " + std::string(what) + ": " + std::strerror(error)};
}

} // namespace

Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max) {
    // Opening a pipe must not block.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return failed("opened", path);
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return failed("looked at", path);
    if (!S_ISREG(status.st_mode)) return Fault{path + " is not a regular file"};

    WholeFile whole{.text = {}, .mode = status.st_mode};
    whole.text.resize(bytes_max + 1); // One more than allowed, so that growth is seen.
    std::size_t size = 0;
    while (size < whole.text.size()) {
        const ssize_t got =
            ::read(file.number(), whole.text.data() + size, whole.text.size() - size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failed("read", path);
        if (got == 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (size > bytes_max)
        return Fault{path + " has more than " + std::to_string(bytes_max) + " bytes"};
    whole.text.resize(size);
    return whole;
}

} // namespace anteroom::token
