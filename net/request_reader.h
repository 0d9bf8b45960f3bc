// RequestReader: bytes in, whole requests out. Knows no sockets, so that tests and fuzzers can cut
// the bytes up as they like.
//
// A request that arrives in one piece is parsed where it lies, without a copy. Only what is left
// incomplete is kept, and the memory goes away with the request: an idle connection holds none.
// A body that has not arrived with its head can be streamed instead: ready comes at the end of the
// head then, and take_body() gives the rest piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

    // Asked at the end of a head whose body is still coming.
    class Chooser {
      public:
        virtual bool streams_body(Request& head) = 0;

        Chooser(const Chooser&) = delete;
        Chooser& operator=(const Chooser&) = delete;

      protected:
        Chooser() = default;
        ~Chooser() = default;
    };

    // Reads the next request from what was kept and then from fresh, which loses what was taken.
    // ready: request holds views that are valid until release(), which must come before the next
    // call. more: all of fresh was taken. refused: see refusal(); the reader is finished.
    // Without a chooser every body is read whole.
    Step next(std::string_view& fresh, const Limits& limits, Request& request,
              Chooser* chooser = nullptr);

    // The request of the last next() has been dealt with; of a streamed one, its head.
    void release();

    struct Piece {
        enum class State : std::uint8_t { more, last, malformed };
        std::string_view bytes; // Valid until the next call; may be empty.
        State state = State::more;
    };

    // The next piece of a streamed body, from what was kept and then from fresh, which loses what
    // was taken. space: where chunks are decoded to; fresh may lie in it. REQUIRES: streams().
    Piece take_body(std::string_view& fresh, std::span<char> space);
    bool streams() const { return streams_; } // The last piece has not been taken yet.

    // The kept bytes as they came: for a connection that becomes a tunnel.
    std::string take_kept();

    // Frees the memory that pieces of a body lay in.
    void shed() { drop_kept(0); }

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
    Step read_head(std::string_view bytes, const Limits& limits, Request& request,
                   Chooser* chooser);
    bool begin_stream(std::string_view bytes, Request& request, Chooser* chooser);
    void drop_kept(std::size_t count);
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
    std::uint64_t body_left_ = 0;  // Of a streamed body whose length is known.
    std::uint64_t streamed_bytes_ = 0;
    std::unique_ptr<ChunkDecoder> chunks_;
    Refusal refusal_;
    bool streams_ = false;
    bool handed_from_kept_ = false;
    bool wants_continue_ = false;
};

} // namespace anteroom::net
