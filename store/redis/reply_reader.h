// ReplyReader: bytes in, replies out (RESP2), by hiredis' reader without its I/O.
//
// Bounded: the bytes and the values of one reply; hiredis allows seven lists inside each other.
// What is no reply, or too much, breaks the reader for good: it is not known where the next one
// starts.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/redis/reply.h"

struct redisReader;

namespace anteroom::redis {

struct ReplyLimits {
    std::size_t bytes_max = 16 << 20;
    std::size_t values_max = 1'000'000; // A list and each thing in it is one.
};

class ReplyReader {
  public:
    explicit ReplyReader(const ReplyLimits& limits = {});
    ~ReplyReader();
    ReplyReader(const ReplyReader&) = delete;
    ReplyReader& operator=(const ReplyReader&) = delete;

    // Takes some of the bytes, which lose what was taken. Call again while there are any left or
    // replies come. Empty: more bytes are needed, or it is broken.
    std::optional<Reply> read(std::string_view& bytes);

    bool is_broken() const { return !fault_.empty(); }
    const std::string& fault() const { return fault_; } // One clause.

  private:
    std::optional<Reply> next();
    void feed(std::string_view& bytes);

    const ReplyLimits limits_;
    redisReader* reader_;
    std::size_t values_ = 0; // Of the reply that is being read.
    std::size_t bytes_ = 0;  // The same, at most.
    bool drained_ = true;    // No whole reply waits in hiredis' buffer.
    std::string fault_;

    friend struct ReplyBuilder;
};

} // namespace anteroom::redis
