// The small files beside the ledger, written so that a crash leaves the old one or the new one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anteroom::embedded {

// An open descriptor.
class File {
  public:
    File() = default;
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    ~File();
    int get() const { return descriptor_; }
    explicit operator bool() const { return descriptor_ >= 0; }

  private:
    int descriptor_ = -1;
};

// What errno says, after a path.
Fault file_fault(const std::string& path);

Result<void> make_folder(const std::string& path);
// So that names of files survive a power cut.
Result<void> sync_folder(const std::string& path);

// The one process that may write to the folder, for as long as this lives. Its id is in the file
// "lock", so that a second process can say which one has it.
Result<File> lock_folder(const std::string& folder);

// The process that has the folder's lock, if the lock names one that lives. Asking changes nothing
// there; whether the lock can be had is known only to lock_folder.
std::optional<pid_t> folder_owner(const std::string& folder);

// How far the ledger was written when it was last heard of. Written without waiting for the disk:
// after a kill it is exact, after a power cut it may be behind, never ahead. A ledger that ends
// before it has lost something.
class HeadFile {
  public:
    static Result<HeadFile> open(const std::string& path);
    std::uint64_t fact() const { return fact_; }
    std::uint64_t batch() const { return batch_; }
    Result<void> write(std::uint64_t fact, std::uint64_t batch);

  private:
    HeadFile(File file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
    File file_;
    std::string path_;
    std::uint64_t fact_ = 0;
    std::uint64_t batch_ = 0;
    std::uint64_t turn_ =
        0; // Written to two places in turns: a torn write leaves the other one whole.
};

} // namespace anteroom::embedded
