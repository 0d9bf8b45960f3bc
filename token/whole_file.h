// A small file read whole, into memory that is wiped when it is freed. Blocks on the disk.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "base/result.h"
#include "token/secret.h"

namespace anteroom::token {

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    explicit operator bool() const { return number_ >= 0; }
    int number() const { return number_; }

  private:
    int number_;
};

struct WholeFile {
    SecretText text;
    mode_t mode = 0;
};

// Only regular files. A fault begins with the path.
Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max);

} // namespace anteroom::token
