// The scratch memory that all connections of a loop share: an idle client owns none.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "net/http_date.h"
#include "net/limits.h"
#include "net/request.h"

namespace anteroom::net {

// Answers are formatted straight into one of these: fmt::format_to(fmt::appender(output), …).
using Output = fmt::memory_buffer;

inline void append(Output& output, std::string_view text) {
    output.append(text.data(), text.data() + text.size());
}

struct LoopBuffers {
    std::array<char, limits::read_buffer_bytes> wire;  // What a socket gave, maybe encrypted.
    std::array<char, limits::read_buffer_bytes> plain; // The same, decrypted.
    Output corked;   // Answers of the connection that is being read, for one write.
    Output deferred; // The answer of a Reply that comes later.
    bool deferred_in_use = false;
    Output cipher; // Ciphertext on its way out.
    Request request;
    DateLine date;
};

// After one huge answer the shared buffer goes back to its usual size.
inline void recycle(Output& output) {
    constexpr std::size_t kept_bytes_max = 256 * 1024;
    output.clear();
    if (output.capacity() > kept_bytes_max) output = Output();
}

} // namespace anteroom::net
