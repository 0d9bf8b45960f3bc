// ClientResponse: the whole answer to one request of ours. ResponseCollector puts it together from
// the steps of a ResponseStream, with a bound on the body. Both are values without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/response_stream.h"

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

class ResponseCollector {
  public:
    enum class Step : std::uint8_t { more, done, failed };

    // to_head: the request was a HEAD.
    ResponseCollector(std::size_t body_bytes_max, bool to_head);

    // Takes from bytes; after done, bytes that are left make the connection unusable. head and
    // space are scratch memory, as in ResponseStream::next().
    Step feed(std::string_view& bytes, ResponseHead& head, std::span<char> space);

    // The server sends no more. cleanly: TLS said goodbye, or there is no TLS.
    Step finish(bool cleanly);

    ClientResponse& response() { return response_; }
    bool keep_alive() const { return stream_.keep_alive(); }
    bool has_begun() const { return stream_.has_begun(); }
    std::string_view fault() const { return fault_.empty() ? stream_.fault() : fault_; }

  private:
    bool take_head(const ResponseHead& head);

    std::size_t body_bytes_max_;
    bool to_head_;
    ResponseStream stream_;
    std::string_view fault_;
    ClientResponse response_;
};

} // namespace anteroom::net
