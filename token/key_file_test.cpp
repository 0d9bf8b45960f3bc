#include "token/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "token/key_text.h"
#include "token/test_keys.h"

namespace anteroom::token {
namespace {

class KeyFile : public testing::Test {
  public:
    KeyFile() {
        std::string name = testing::TempDir() + "anteroom-keys-XXXXXX";
        CHECK(::mkdtemp(name.data()) != nullptr);
        folder_ = name;
        path_ = (folder_ / "keys").string();
    }
    ~KeyFile() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

  protected:
    std::string content() const {
        std::ifstream in(path_);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put(std::string_view text, mode_t mode = 0600) const {
        std::ofstream(path_) << text;
        CHECK(::chmod(path_.c_str(), mode) == 0);
    }
    std::size_t files() const {
        std::size_t count = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            count += entry.exists();
        return count;
    }

    std::filesystem::path folder_;
    std::string path_;
};

TEST_F(KeyFile, IsMadeOnceAndKept) {
    const Result<KeyRing> first = load_or_create_keys(path_, test_now);
    const Result<KeyRing> second = load_or_create_keys(path_, test_now + hours(1));
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_EQ(key_text(*first), key_text(*second));
    EXPECT_EQ(key_text(*first), content());
    struct stat status {};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_EQ(files(), 1u) << "No draft is left behind.";
}

TEST_F(KeyFile, IsReplacedAsAWhole) {
    Result<KeyRing> ring = load_or_create_keys(path_, test_now);
    ASSERT_TRUE(ring);
    ASSERT_TRUE(ring->rotate(Purpose::ticket, test_now, hours(1)));
    ASSERT_TRUE(save_keys(*ring, path_));
    const Result<KeyRing> loaded = load_keys(path_);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(key_text(*loaded), key_text(*ring));
    EXPECT_EQ(files(), 1u);
}

TEST_F(KeyFile, ThatOthersMayReadIsRefused) {
    for (const mode_t mode : {0644u, 0640u, 0604u, 0620u, 0660u}) {
        put(key_text(generated_ring()), mode);
        const Result<KeyRing> ring = load_keys(path_);
        ASSERT_FALSE(ring);
        EXPECT_NE(ring.fault().reason.find("may be read by others"), std::string::npos);
    }
    put(key_text(generated_ring()), 0400);
    EXPECT_TRUE(load_keys(path_));
}

TEST_F(KeyFile, ThatIsBadIsRefusedAndNotReplaced) {
    const std::string whole = key_text(generated_ring());
    for (const std::string& text :
         {std::string(), std::string("anteroom-keys 9\n"), whole.substr(0, whole.size() / 2),
          std::string(70'000, '#'), std::string("{}")}) {
        put(text);
        const Result<KeyRing> ring = load_or_create_keys(path_, test_now);
        ASSERT_FALSE(ring);
        EXPECT_NE(ring.fault().reason.find(path_), std::string::npos);
        EXPECT_EQ(content(), text);
    }
}

TEST_F(KeyFile, ThatIsMissingOrNoFileIsAFault) {
    EXPECT_FALSE(load_keys(path_));
    EXPECT_FALSE(load_keys(folder_.string()));
    EXPECT_FALSE(load_or_create_keys((folder_ / "no" / "such").string(), test_now));
    EXPECT_FALSE(save_keys(generated_ring(), (folder_ / "no" / "such").string()));
}

TEST_F(KeyFile, IsTheSameForAllWhoStartAtOnce) {
    std::array<std::string, 8> seen;
    std::vector<std::thread> starters;
    starters.reserve(seen.size());
    for (std::string& text : seen)
        starters.emplace_back([&] {
            const Result<KeyRing> ring = load_or_create_keys(path_, test_now);
            if (ring) text = key_text(*ring);
        });
    for (std::thread& starter : starters) starter.join();
    for (const std::string& text : seen) EXPECT_EQ(text, content());
    EXPECT_EQ(files(), 1u);
}

} // namespace
} // namespace anteroom::token
