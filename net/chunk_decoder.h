// ChunkDecoder: the chunked transfer coding (RFC 9112, 7.1), byte by byte, strict and bounded.
//
// Extensions are read and ignored, up to a limit, since they do not count as body. Quoted extension
// values are refused: no known client sends them, and parsers differ in how they read them. Pure;
// used for requests and for responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "net/limits.h"

namespace anteroom::net {

class ChunkDecoder {
  public:
    enum class Verdict : std::uint8_t { more, done, malformed, too_large };

    struct Progress {
        std::size_t consumed = 0;
        std::size_t produced = 0;
    };

    // Trailers of an answer are dropped. Trailers of a request are refused: an origin could take
    // them for headers (RFC 9110, 6.5.1).
    enum class Trailers : std::uint8_t { drop, refuse };

    ChunkDecoder(std::size_t body_bytes_max, Trailers trailers)
        : body_bytes_max_(body_bytes_max), trailers_(trailers) {}

    // Writes the body bytes of input to output, which may be the start of input itself. Consumes
    // everything, unless the body ends or is refused before.
    Progress decode(std::string_view input, char* output);

    Verdict verdict() const { return verdict_; }
    std::size_t body_bytes() const { return body_bytes_; }

  private:
    enum class State : std::uint8_t {
        size_first,
        size,
        name_first,
        name,
        value_first,
        value,
        size_feed,
        data,
        data_return,
        data_feed,
        trailer_start,
        trailer_name,
        trailer_value,
        trailer_feed,
        last_feed,
    };

    void step(char c);
    void step_size(char c);
    void step_extension(char c);
    void step_trailer(char c);
    void add_digit(char c);
    void fail() { verdict_ = Verdict::malformed; }
    void expect(char c, char wanted, State next);

    std::size_t body_bytes_max_;
    Trailers trailers_;
    std::size_t body_bytes_ = 0;
    std::size_t chunk_bytes_ = 0; // Left in the current chunk.
    std::size_t line_bytes_ = 0;  // Of the size line, or of the whole trailer section.
    State state_ = State::size_first;
    Verdict verdict_ = Verdict::more;
};

} // namespace anteroom::net
