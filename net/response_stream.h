// ResponseStream: bytes of a server in, the parts of one answer out, piece by piece. Pure.
//
//   while ((step = stream.next(bytes, head, space, piece)) != Step::more) …
//
// A head that arrives in one piece is parsed where it lies; of the body nothing is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/chunk_decoder.h"
#include "net/response_head.h"

namespace anteroom::net {

class ResponseStream {
  public:
    enum class Step : std::uint8_t {
        more,    // All bytes were taken.
        interim, // head is a 1xx.
        head,    // head is the answer's.
        upgrade, // head is a 101 that was asked for; what follows is not HTTP.
        body,    // piece is the next of the body, or of what follows an upgrade.
        end,     // The answer is complete; bytes that are left are none of it.
        failed,  // See fault().
    };

    // For the next answer. to_head: the request was a HEAD. upgrades: it asked for an upgrade.
    void begin(bool to_head, bool upgrades);

    // Takes from bytes. head is valid until the next call, piece as long as bytes and space. space:
    // where chunks are decoded to; bytes may lie in it.
    Step next(std::string_view& bytes, ResponseHead& head, std::span<char> space,
              std::string_view& piece);

    // The server sends no more. cleanly: TLS said goodbye, or there is no TLS.
    Step finish(bool cleanly);

    bool has_begun() const { return begun_; } // At least one byte came.
    bool keep_alive() const { return keep_alive_ && state_ == State::done; }
    std::string_view fault() const { return fault_; }

  private:
    enum class State : std::uint8_t { head, sized, chunked, until_end, raw, done, failed };

    Step fail(std::string_view reason);
    Step read_head(std::string_view& bytes, ResponseHead& head);
    Step note_head(const ResponseHead& head);
    Step read_chunks(std::string_view& bytes, std::span<char> space, std::string_view& piece);

    State state_ = State::head;
    bool to_head_ = false;
    bool upgrades_ = false;
    bool begun_ = false;
    bool keep_alive_ = true;
    std::uint32_t interim_ = 0; // 1xx answers so far.
    std::uint64_t left_ = 0;    // Of a body whose length is known.
    std::size_t scanned_ = 0;
    std::unique_ptr<ChunkDecoder> chunks_;
    std::string kept_; // A head that has not arrived whole, or was the last one given out.
    bool kept_is_used_ = false;
    std::string_view fault_;
};

} // namespace anteroom::net
