#include "token/key_file.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "token/key_text.h"
#include "token/whole_file.h"

namespace anteroom::token {
namespace {

constexpr std::size_t file_bytes_max = 64 * 1024;
constexpr mode_t others_may = 077;

Fault failed(std::string_view what, const std::string& path) {
    const int error = errno;
    return Fault{"cannot " + std::string(what) + " key file " + path + ": " + std::strerror(error)};
}

// A text with secrets in it, wiped when it is done with.
struct WipedText {
    std::string text;
    ~WipedText() { OPENSSL_cleanse(text.data(), text.size()); }
};

Result<void> write_whole(const Descriptor& file, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t written = ::write(file.number(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failed("write", path);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<void> sync_folder_of(const std::string& path) {
    std::string folder = std::filesystem::path(path).parent_path().string();
    if (folder.empty()) folder = ".";
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened || ::fsync(opened.number()) != 0) return failed("sync the folder of", path);
    return {};
}

// A file beside the path, complete and on disk, that only we may read. Removed unless it was
// renamed.
class Draft {
  public:
    explicit Draft(const std::string& path) : name_(path + ".XXXXXX") {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft() {
        if (made_) ::unlink(name_.c_str());
    }

    Result<void> write(const KeyRing& ring) {
        const Descriptor file(::mkostemp(name_.data(), O_CLOEXEC)); // Its mode is 0600.
        if (!file) return failed("create", name_);
        made_ = true;
        const WipedText content{key_text(ring)};
        if (Result<void> written = write_whole(file, content.text, name_); !written) return written;
        if (::fsync(file.number()) != 0) return failed("sync", name_);
        return {};
    }

    const char* name() const { return name_.c_str(); }
    void renamed() { made_ = false; }

  private:
    std::string name_;
    bool made_ = false;
};

} // namespace

Result<KeyRing> load_keys(const std::string& path) {
    Result<WholeFile> file = read_whole_file(path, file_bytes_max);
    if (!file) return Fault{"key file " + file.fault().reason};
    if ((file->mode & others_may) != 0)
        return Fault{"key file " + path + " may be read by others: chmod 600 it, or make new keys"};
    Result<KeyRing> ring = parse_key_text(file->text);
    if (!ring) return Fault{path + ": " + ring.fault().reason};
    return ring;
}

Result<KeyRing> load_or_create_keys(const std::string& path, UnixSeconds now) {
    if (::access(path.c_str(), F_OK) == 0) return load_keys(path);
    Result<KeyRing> ring = KeyRing::generate(now);
    if (!ring) return ring;
    Draft draft(path);
    if (Result<void> written = draft.write(*ring); !written) return written.fault();
    // A link, unlike a rename, never replaces the keys of a process that was quicker.
    if (::link(draft.name(), path.c_str()) != 0)
        return errno == EEXIST ? load_keys(path) : Result<KeyRing>(failed("create", path));
    if (Result<void> synced = sync_folder_of(path); !synced) return synced.fault();
    return ring;
}

Result<void> save_keys(const KeyRing& ring, const std::string& path) {
    Draft draft(path);
    if (Result<void> written = draft.write(ring); !written) return written;
    if (::rename(draft.name(), path.c_str()) != 0) return failed("replace", path);
    draft.renamed();
    return sync_folder_of(path);
}

} // namespace anteroom::token
