// RequestReader: bytes in, whole requests out. Knows no sockets, so that tests and fuzzers can cut
// the bytes up as they like.
//
// A request that arrives in one piece is parsed where it lies, without a copy. Only what is left
// incomplete is kept, and the memory goes away with the request: an idle connection holds none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/chunk_decoder.h"
#include "net/http_parser.h"
#include "net/limits.h"
#include "net/request.h"

namespace anteroom::net {

class RequestReader {
  public:
    enum class Step : std::uint8_t { more, ready, refused };
    enum class Phase : std::uint8_t { idle, head, body };

    // Reads the next request from what was kept and then from fresh, which loses what was taken.
    // ready: request holds views that are valid until release(), which must come before the next
    // call. more: all of fresh was taken. refused: see refusal(); the reader is finished.
    Step next(std::string_view& fresh, const Limits& limits, Request& request);

    // The request of the last next() has been dealt with.
    void release();

    // Puts bytes aside for a later next(), while a request is being answered.
    void keep(std::string_view fresh);

    bool has_kept() const { return kept_begin_ < kept_.size(); }
    std::size_t kept_bytes() const { return kept_.size() - kept_begin_; }
    const Refusal& refusal() const { return refusal_; }
    Phase phase() const;
    std::uint64_t body_bytes() const; // Of the body that is coming in.

    // True once per request whose client waits for "100 Continue" before it sends the body.
    bool take_wants_continue();

  private:
    std::string_view kept() const { return std::string_view(kept_).substr(kept_begin_); }
    Step read_head(std::string_view bytes, const Limits& limits, Request& request);
    Step read_sized_body(std::string_view bytes, Request& request);
    Step read_chunked_body();
    Step refuse(const Refusal& refusal);

    std::string kept_;
    std::size_t kept_begin_ = 0;   // What lies before it has been dealt with.
    std::size_t handed_bytes_ = 0; // Of the request handed out and not released yet.
    std::size_t scanned_ = 0;      // Bytes of the head that held no end.
    std::size_t head_bytes_ = 0;   // Not 0: the head is complete, the body is coming in.
    std::size_t total_bytes_ = 0;  // Head and body, when the length is known.
    std::size_t decoded_end_ = 0;  // Of head and decoded chunks in kept().
    std::unique_ptr<ChunkDecoder> chunks_;
    Refusal refusal_;
    bool handed_from_kept_ = false;
    bool wants_continue_ = false;
};

} // namespace anteroom::net
