#include "store/embedded/snapshot_file.h"

#include <gtest/gtest.h>

#include "store/embedded/test_house.h"

namespace anteroom::embedded {
namespace {

const std::vector<std::string> pieces{"one", "", std::string(100'000, 'x'), "last"};

Result<void> write(const std::string& folder) {
    Result<SnapshotWriter> writer = SnapshotWriter::begin(folder, "s", 4, 9);
    if (!writer) return writer.fault();
    if (Result<void> added = writer->add(pieces); !added) return added;
    return writer->finish();
}

TEST(SnapshotFile, GivesBackThePieces) {
    const TestFolder folder;
    ASSERT_TRUE(write(folder.path()));
    std::vector<std::string> found;
    const auto keep = [&](std::string_view piece) {
        found.emplace_back(piece);
        return true;
    };
    ASSERT_TRUE(read_snapshot(folder.path() + "/s", 4, 9, keep));
    EXPECT_EQ(found, pieces);
}

TEST(SnapshotFile, OfAnotherRoomOrMomentIsRefused) {
    const TestFolder folder;
    ASSERT_TRUE(write(folder.path()));
    const auto any = [](std::string_view) { return true; };
    EXPECT_FALSE(read_snapshot(folder.path() + "/s", 5, 9, any));
    EXPECT_FALSE(read_snapshot(folder.path() + "/s", 4, 8, any));
    EXPECT_FALSE(read_snapshot(folder.path() + "/s", 4, 9, [](std::string_view) { return false; }));
    EXPECT_FALSE(read_snapshot(folder.path() + "/missing", 4, 9, any));
}

TEST(SnapshotFile, GivenUpItLeavesNothing) {
    const TestFolder folder;
    {
        Result<SnapshotWriter> writer = SnapshotWriter::begin(folder.path(), "s", 4, 9);
        ASSERT_TRUE(writer);
        ASSERT_TRUE(writer->add(pieces));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_FALSE(SnapshotWriter::begin(folder.path() + "/missing", "s", 4, 9));
}

} // namespace
} // namespace anteroom::embedded
