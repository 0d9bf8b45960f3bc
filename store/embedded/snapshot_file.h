// SnapshotFile: the pieces of a room's snapshot in a file, complete or not there.
//
// Layout (docs/formats-ledger.md): a head, the pieces with their lengths, an end with the number of
// pieces and the sum of everything before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"
#include "store/embedded/files.h"

namespace anteroom::embedded {

std::string snapshot_name(std::uint32_t room, std::uint64_t sequence);

class SnapshotWriter {
  public:
    // Writes to a file beside `path` until finish().
    static Result<SnapshotWriter> begin(const std::string& folder, const std::string& name,
                                        std::uint32_t room, std::uint64_t sequence);
    SnapshotWriter(SnapshotWriter&&) noexcept = default;
    SnapshotWriter& operator=(SnapshotWriter&&) = delete;
    ~SnapshotWriter(); // Without finish() nothing is left.

    Result<void> add(const std::vector<std::string>& pieces);
    // On the disk under its name.
    Result<void> finish();

  private:
    SnapshotWriter(File file, std::string folder, std::string name);
    void put(std::string_view bytes);
    Result<void> flush();

    File file_;
    std::string folder_;
    std::string name_;
    std::string buffer_;
    std::uint64_t pieces_ = 0;
    std::uint32_t sum_ = 0;
};

// Calls `visit` with each piece, after the sum of the whole file was found right. False from
// `visit`: the fault is that the file is no snapshot.
Result<void> read_snapshot(const std::string& path, std::uint32_t room, std::uint64_t sequence,
                           const UniqueFunction<bool(std::string_view)>& visit);

} // namespace anteroom::embedded
