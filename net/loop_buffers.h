// The scratch memory that all connections of a loop share, so that an idle connection owns none.
#pragma once

#include <array>

#include "net/http_date.h"
#include "net/limits.h"
#include "net/output.h"
#include "net/request.h"
#include "net/response_head.h"

namespace anteroom::net {

struct LoopBuffers {
    std::array<char, limits::read_buffer_bytes> wire;  // What a socket gave, maybe encrypted.
    std::array<char, limits::read_buffer_bytes> plain; // The same, decrypted.
    Output corked;   // Answers of the connection that is being read, for one write.
    Output deferred; // The answer of a Reply that comes later.
    bool deferred_in_use = false;
    Output cipher; // Ciphertext on its way out.
    Request request;
    ResponseHead response;
    DateLine date;
};

} // namespace anteroom::net
