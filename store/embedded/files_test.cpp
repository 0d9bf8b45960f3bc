#include "store/embedded/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "store/embedded/test_house.h"

namespace anteroom::embedded {
namespace {

std::string slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(HeadFile, RemembersTheLastFact) {
    const TestFolder folder;
    const std::string path = folder.path() + "/head";
    {
        Result<HeadFile> head = HeadFile::open(path);
        ASSERT_TRUE(head);
        EXPECT_EQ(head->fact(), 0u);
        for (std::uint64_t fact : {3u, 5u, 9u}) ASSERT_TRUE(head->write(fact, fact * 2));
    }
    EXPECT_EQ(HeadFile::open(path)->fact(), 9u);
    EXPECT_EQ(HeadFile::open(path)->batch(), 18u);
}

TEST(HeadFile, ATornWriteLeavesTheOneBefore) {
    const TestFolder folder;
    const std::string path = folder.path() + "/head";
    {
        Result<HeadFile> head = HeadFile::open(path);
        for (std::uint64_t fact : {3u, 5u, 9u}) ASSERT_TRUE(head->write(fact, fact * 2));
    }
    const std::string good = slurp(path);
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::string torn = good;
        torn[i] = static_cast<char>(torn[i] ^ 0x10);
        std::ofstream(path, std::ios::binary) << torn;
        const Result<HeadFile> head = HeadFile::open(path);
        ASSERT_TRUE(head) << i;
        EXPECT_TRUE(head->fact() == 9 || head->fact() == 5) << i; // Never ahead.
    }
    std::ofstream(path, std::ios::binary) << good.substr(0, 10);
    EXPECT_FALSE(HeadFile::open(path));
}

TEST(FolderLock, IsHeldByOne) {
    const TestFolder folder;
    {
        const Result<File> lock = lock_folder(folder.path());
        ASSERT_TRUE(lock);
        EXPECT_FALSE(lock_folder(folder.path()));
    }
    EXPECT_TRUE(lock_folder(folder.path()));
    EXPECT_FALSE(lock_folder(folder.path() + "/missing"));
}

} // namespace
} // namespace anteroom::embedded
