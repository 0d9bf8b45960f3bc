// ResponseReader: bytes of an HTTP/1.1 response in, one whole response out. As strict as the
// request side: a peer whose framing is doubtful is a fault, not a guess. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/chunk_decoder.h"

namespace anteroom::net {

struct ClientResponse {
    struct Field {
        std::string name; // In lower case.
        std::string value;
    };

    unsigned status = 0;
    std::vector<Field> headers;
    std::string body;

    // The first header of that name (in lower case); null: not there.
    const std::string* header(std::string_view lower_name) const;
};

class ResponseReader {
  public:
    enum class Step : std::uint8_t { more, done, failed };

    // no_body: the answer to HEAD.
    ResponseReader(std::size_t body_bytes_max, bool no_body)
        : body_bytes_max_(body_bytes_max), no_body_(no_body) {}

    // Takes bytes as they come. After done, bytes that follow make the connection unusable.
    Step feed(std::string_view bytes);

    // The connection ended. cleanly: TLS said goodbye, or there is no TLS.
    Step end(bool cleanly);

    ClientResponse& response() { return response_; }
    bool keep_alive() const { return keep_alive_ && rest_.empty(); }
    std::string_view fault() const { return fault_; }
    bool has_begun() const { return begun_; }

  private:
    enum class Framing : std::uint8_t { none, sized, chunked, until_end };

    Step fail(std::string_view reason);
    Step read_head();
    bool parse_head(std::string_view head);
    bool parse_status_line(std::string_view line);
    bool note_header(std::string_view name, std::string_view value);
    Step begin_body();
    Step read_body();

    std::size_t body_bytes_max_;
    bool no_body_;
    bool begun_ = false;
    bool head_done_ = false;
    bool done_ = false;
    bool keep_alive_ = true;
    bool has_length_ = false;
    bool has_encoding_ = false;
    bool is_http10_ = false;
    Framing framing_ = Framing::until_end;
    unsigned interim_ = 0; // 1xx answers so far.
    std::uint64_t content_length_ = 0;
    std::size_t scanned_ = 0;
    std::unique_ptr<ChunkDecoder> chunks_;
    std::string rest_; // Bytes not used yet.
    std::string_view fault_;
    ClientResponse response_;
};

} // namespace anteroom::net
