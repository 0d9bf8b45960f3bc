// FullDisk: while it is full, SQLite in this process can write to no file, as on a disk without
// space. One at a time, and databases are opened while it lives.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace anteroom {

class FullDisk {
  public:
    FullDisk() {
        is_full = false;
        static const bool is_registered = register_files();
        CHECK(is_registered);
    }
    ~FullDisk() { is_full = false; }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    void fill() { is_full = true; }
    void clear() { is_full = false; }

  private:
    using Methods = sqlite3_io_methods;

    // The files of the usual VFS, with a write of our own.
    static bool register_files() {
        usual = sqlite3_vfs_find(nullptr);
        static sqlite3_vfs files = *usual;
        files.zName = "full-disk";
        files.xOpen = open;
        return sqlite3_vfs_register(&files, 1) == SQLITE_OK;
    }
    static int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out) {
        const int code = usual->xOpen(usual, path, file, flags, out);
        if (code != SQLITE_OK || !file->pMethods) return code;
        const std::lock_guard lock(mutex);
        const auto [ours, is_new] = methods.try_emplace(file->pMethods, *file->pMethods);
        if (is_new) usual_write = std::exchange(ours->second.xWrite, write);
        file->pMethods = &ours->second;
        return code;
    }
    static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
        return is_full ? SQLITE_FULL : usual_write.load()(file, bytes, size, at);
    }

    static inline std::atomic<bool> is_full{false};
    static inline sqlite3_vfs* usual = nullptr;
    static inline std::atomic<decltype(Methods::xWrite)> usual_write{nullptr}; // Of all methods.
    static inline std::mutex mutex;
    static inline std::map<const Methods*, Methods> methods; // Guarded by mutex.
};

} // namespace anteroom
