#include "store/embedded/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/byte_stream.h"
#include "base/text.h"

namespace anteroom::embedded {
namespace {

constexpr std::uint64_t head_magic = 0x3164616568746e61; // "anthead1" in little-endian order.
constexpr std::size_t head_bytes = 40;

std::string head_text(std::uint64_t turn, std::uint64_t fact, std::uint64_t batch) {
    std::string text;
    ByteWriter out(text);
    out.word(head_magic);
    out.word(turn);
    out.word(fact);
    out.word(batch);
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
    out.word(std::uint64_t{sum});
    return text;
}

// The process that wrote its id into the lock. Not one that has ended: then the owner has the lock
// and has not written its own yet.
std::optional<pid_t> read_pid(const File& file) {
    char text[24] = {};
    const ssize_t count = ::pread(file.get(), text, sizeof text, 0);
    if (count <= 0) return std::nullopt;
    const auto pid = parse_leading_number<pid_t>({text, static_cast<std::size_t>(count)});
    if (!pid || *pid <= 0) return std::nullopt;
    if (::kill(*pid, 0) != 0 && errno == ESRCH) return std::nullopt;
    return pid;
}

} // namespace

File::File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

File& File::operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

File::~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Fault file_fault(const std::string& path) {
    return Fault{path + ": " + std::strerror(errno)};
}

Result<void> make_folder(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
    return file_fault(path);
}

Result<void> sync_folder(const std::string& path) {
    const File folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || ::fsync(folder.get()) != 0) return file_fault(path);
    return {};
}

Result<File> lock_folder(const std::string& folder) {
    const std::string path = folder + "/lock";
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return file_fault(path);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
        // Only for the message of a second process: a full disk does not keep a server from
        // starting.
        const std::string pid = std::to_string(::getpid()) + "\n";
        [[maybe_unused]] const bool is_named =
            ::ftruncate(file.get(), 0) == 0 &&
            ::pwrite(file.get(), pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size());
        return file;
    }
    if (errno != EWOULDBLOCK) return file_fault(path);
    const std::optional<pid_t> pid = read_pid(file);
    const std::string owner = pid ? "process " + std::to_string(*pid) : "another process";
    return Fault{folder + " is in use by " + owner + "; two cannot write to it"};
}

std::optional<pid_t> folder_owner(const std::string& folder) {
    const File file(::open((folder + "/lock").c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::nullopt;
    // The lock is tried only when it names a living process: a try would disturb a server that is
    // just taking a lock that was left behind.
    const std::optional<pid_t> pid = read_pid(file);
    const bool is_held = pid && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return is_held ? pid : std::nullopt;
}

Result<HeadFile> HeadFile::open(const std::string& path) {
    File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file) return file_fault(path);
    HeadFile head(std::move(file), path);
    char bytes[2 * head_bytes] = {};
    const ssize_t count = ::pread(head.file_.get(), bytes, sizeof bytes, 0);
    if (count < 0) return file_fault(path);
    if (count == 0) return head; // New.
    bool found = false;
    for (std::size_t at = 0; at + head_bytes <= static_cast<std::size_t>(count); at += head_bytes) {
        const std::string_view place(bytes + at, head_bytes);
        ByteReader in(place);
        in.word();
        const std::uint64_t turn = in.word();
        const std::uint64_t fact = in.word();
        const std::uint64_t batch = in.word();
        if (head_text(turn, fact, batch) != place) continue;
        if (found && turn < head.turn_) continue;
        found = true;
        head.turn_ = turn;
        head.fact_ = fact;
        head.batch_ = batch;
    }
    if (!found) return Fault{path + " is damaged"};
    return head;
}

Result<void> HeadFile::write(std::uint64_t fact, std::uint64_t batch) {
    const std::string text = head_text(++turn_, fact, batch);
    const auto at = static_cast<off_t>(turn_ % 2 * head_bytes);
    if (::pwrite(file_.get(), text.data(), text.size(), at) != static_cast<ssize_t>(text.size()))
        return file_fault(path_);
    fact_ = fact;
    batch_ = batch;
    return {};
}

} // namespace anteroom::embedded
