#include "store/embedded/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(FolderLock, NamesTheProcessThatHoldsIt) {
    const TestFolder folder;
    EXPECT_EQ(folder_owner(folder.path()), std::nullopt);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())); // Asking leaves no file.
    {
        const Result<File> lock = lock_folder(folder.path());
        EXPECT_EQ(folder_owner(folder.path()), ::getpid());
        const std::string mine = "process " + std::to_string(::getpid());
        EXPECT_NE(lock_folder(folder.path()).fault().reason.find(mine), std::string::npos);
        // Of a process that is no more; of nobody; nonsense.
        for (const char* text : {"2147483647\n", "", "-1\n", "0\n", "ann\n"}) {
            std::ofstream(folder.path() + "/lock") << text;
            EXPECT_EQ(folder_owner(folder.path()), std::nullopt) << text;
            EXPECT_NE(lock_folder(folder.path()).fault().reason.find("another process"),
                      std::string::npos)
                << text;
        }
    }
    ASSERT_TRUE(lock_folder(folder.path())); // Writes the id; then the lock is given back.
    EXPECT_EQ(folder_owner(folder.path()), std::nullopt);
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
