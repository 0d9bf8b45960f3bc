// Response bytes from a hostile peer: bounded, and the same result however they are cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/response_reader.h"

namespace {

using namespace anteroom::net;

struct Seen {
    ResponseReader::Step step = ResponseReader::Step::more;
    unsigned status = 0;
    std::string body;
    std::size_t headers = 0;
    bool keep_alive = false;
    friend bool operator==(const Seen&, const Seen&) = default;
};

Seen read(std::string_view bytes, std::size_t piece_bytes, bool no_body) {
    constexpr std::size_t body_bytes_max = 4'096;
    ResponseReader reader(body_bytes_max, no_body);
    Seen seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
        const std::string piece(bytes.substr(at, piece_bytes));
        seen.step = reader.feed(piece);
        if (seen.step == ResponseReader::Step::failed) return Seen{.step = seen.step};
    }
    if (seen.step == ResponseReader::Step::more) seen.step = reader.end(true);
    if (seen.step == ResponseReader::Step::failed) return Seen{.step = seen.step};
    seen.status = reader.response().status;
    seen.body = reader.response().body;
    seen.headers = reader.response().headers.size();
    seen.keep_alive = reader.keep_alive();
    CHECK(seen.body.size() <= body_bytes_max);
    CHECK(seen.status >= 200 && seen.status <= 599);
    return seen;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const bool no_body = data[1] % 8 == 0;
    const Seen whole = read(bytes, bytes.size() + 1, no_body);
    CHECK(read(bytes, 1 + data[0] % 64, no_body) == whole);
    CHECK(read(bytes, 1, no_body) == whole);
    return 0;
}
