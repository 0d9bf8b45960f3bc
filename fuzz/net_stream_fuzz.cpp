// Bytes of a server, cut in three ways: the same parts of one answer come out each time, and the
// same whole answer, whose body is bounded, is collected from them.
//
// Input: two bytes that say how it is cut and what was asked, then the server's bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "net/client_response.h"
#include "net/response_stream.h"

namespace {

using namespace anteroom::net;
using Step = ResponseStream::Step;

struct Asked {
    bool to_head = false;
    bool upgrades = false;
    bool cleanly = true; // How the connection ends.
};

struct Head {
    Step step = Step::head;
    unsigned status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    friend bool operator==(const Head&, const Head&) = default;
};

struct Seen {
    Step last = Step::more;
    std::string_view fault;
    std::vector<Head> heads;
    std::string body;
    std::size_t left = 0; // Bytes behind the end.
    bool keep_alive = false;
    friend bool operator==(const Seen&, const Seen&) = default;
};

Head copy_of(Step step, const ResponseHead& head) {
    Head copy{.step = step, .status = head.status, .headers = {}};
    for (const Header& header : head.headers())
        copy.headers.emplace_back(header.name, header.value);
    return copy;
}

// What must hold of the order of steps, whatever the bytes.
void check_order(const Seen& seen, Step step, unsigned status) {
    const bool had_head = !seen.heads.empty() && seen.heads.back().step != Step::interim;
    if (step == Step::body || step == Step::end) CHECK(had_head);
    if (step != Step::interim && step != Step::head && step != Step::upgrade) return;
    CHECK(!had_head);
    CHECK((step == Step::interim) == (status < 200 && status != 101));
    CHECK((step == Step::upgrade) == (status == 101));
    CHECK(seen.heads.size() <= limits::interim_max);
}

Seen read(std::string_view bytes, std::size_t piece_bytes, std::size_t space_bytes,
          const Asked& asked) {
    ResponseStream stream;
    stream.begin(asked.to_head, asked.upgrades);
    ResponseHead head;
    std::vector<char> space(space_bytes);
    Seen seen;
    while (!bytes.empty() && seen.last != Step::end && seen.last != Step::failed) {
        const std::string copy(bytes.substr(0, piece_bytes)); // So that sanitizers see its end.
        bytes.remove_prefix(copy.size());
        std::string_view fresh = copy;
        do {
            std::string_view piece;
            seen.last = stream.next(fresh, head, space, piece);
            check_order(seen, seen.last, head.status);
            const bool is_head =
                seen.last == Step::interim || seen.last == Step::head || seen.last == Step::upgrade;
            if (is_head) seen.heads.push_back(copy_of(seen.last, head));
            if (seen.last == Step::body) seen.body += piece;
        } while (seen.last != Step::more && seen.last != Step::end && seen.last != Step::failed);
        if (seen.last == Step::more) CHECK(fresh.empty());
        seen.left = fresh.size() + bytes.size();
    }
    if (seen.last != Step::end && seen.last != Step::failed)
        seen.last = stream.finish(asked.cleanly);
    CHECK(seen.last == Step::end || seen.last == Step::failed);
    CHECK((seen.last == Step::failed) == !stream.fault().empty());
    seen.fault = stream.fault();
    seen.keep_alive = stream.keep_alive();
    // How much of a body came before it broke depends on the cuts; that it broke must not.
    if (seen.last == Step::failed) {
        CHECK(!seen.keep_alive);
        seen.body.clear();
        seen.left = 0;
    }
    return seen;
}

// The whole answer, collected with a bound that inputs reach.
void check_collected(std::string_view bytes, std::size_t piece_bytes, std::size_t space_bytes,
                     const Seen& seen, const Asked& asked) {
    constexpr std::size_t body_bytes_max = 1'024;
    using Collected = ResponseCollector::Step;
    ResponseCollector collector(body_bytes_max, asked.to_head);
    ResponseHead head;
    std::vector<char> space(space_bytes);
    Collected step = Collected::more;
    while (!bytes.empty() && step == Collected::more) {
        const std::string copy(bytes.substr(0, piece_bytes));
        bytes.remove_prefix(copy.size());
        std::string_view fresh = copy;
        step = collector.feed(fresh, head, space);
    }
    if (step == Collected::more) step = collector.finish(asked.cleanly);
    const ClientResponse& response = collector.response();
    CHECK(response.body.size() <= body_bytes_max);
    CHECK((step == Collected::failed) == !collector.fault().empty());
    const bool is_small = seen.body.size() <= body_bytes_max;
    CHECK((step == Collected::done) == (seen.last == Step::end && is_small));
    if (step != Collected::done) return;
    CHECK(response.status == seen.heads.back().status);
    CHECK(response.body == seen.body);
    CHECK(response.headers.size() == seen.heads.back().headers.size());
    CHECK(collector.keep_alive() == seen.keep_alive);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const Asked asked{.to_head = data[1] % 8 == 0,
                      .upgrades = (data[1] & 0x40) != 0,
                      .cleanly = (data[1] & 0x80) == 0};
    const Seen whole = read(bytes, bytes.size() + 1, bytes.size() + 1, asked);
    CHECK(read(bytes, 1 + data[0] % 64, 16, asked) == whole);
    CHECK(read(bytes, 1, 1, asked) == whole);
    if (asked.upgrades) return 0;
    check_collected(bytes, bytes.size() + 1, bytes.size() + 1, whole, asked);
    check_collected(bytes, 1 + data[0] % 64, 16, whole, asked);
    return 0;
}
