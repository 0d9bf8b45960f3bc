// A configuration file for the length of a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace anteroom::app {

// Always the same file of this process: the second one writes over the first.
class File {
  public:
    explicit File(const std::string& text)
        : path_(std::filesystem::path(::testing::TempDir()) /
                ("config-" + std::to_string(getpid()) + ".toml")) {
        std::ofstream(path_) << text;
    }
    ~File() { std::filesystem::remove(path_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    std::string path() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

} // namespace anteroom::app
