// Request bytes, cut in two random ways: the same verdict each time, and nothing is accepted that
// Boost.Beast reads differently. The first bytes of the input decide where the cuts are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "net/beast_oracle.h"
#include "net/request_reader.h"
#include "net/scan.h"

namespace {

using namespace anteroom::net;

struct Seen {
    unsigned status = 0; // 0: incomplete.
    std::string method, target, path, query, host, body;
    std::vector<std::pair<std::string, std::string>> headers;
    unsigned version = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
};

// Every request of the bytes, delivered in pieces whose sizes follow the seed; in one piece when
// the caller wants to know how many bytes the first request used.
std::vector<Seen> deliver(std::string_view bytes, std::uint32_t seed, std::size_t* first_used) {
    RequestReader reader;
    Request request;
    const Limits limits;
    std::vector<Seen> all;
    std::size_t delivered = 0;
    while (true) {
        seed = seed * 1'664'525 + 1'013'904'223;
        const std::size_t want = first_used ? bytes.size() : 1 + (seed >> 16) % 97;
        const std::string piece(bytes.substr(delivered, want));
        if (piece.empty()) break;
        delivered += piece.size();
        std::string_view fresh = piece;
        auto step = RequestReader::Step::ready;
        while ((step = reader.next(fresh, limits, request)) == RequestReader::Step::ready) {
            Seen seen{.status = 200, .version = 10u + request.minor_version};
            seen.method = request.method_text;
            seen.target = request.target;
            seen.path = request.path;
            seen.query = request.query;
            seen.host = request.host;
            seen.body = request.body;
            for (const Header& header : request.headers()) {
                seen.headers.emplace_back(header.name, header.value);
            }
            CHECK(seen.path == "*" || seen.path.starts_with('/'));
            CHECK(request.body.size() <= limits.body_bytes_max);
            all.push_back(std::move(seen));
            reader.release();
            if (first_used && *first_used == 0) {
                *first_used = delivered - fresh.size() - reader.kept_bytes();
            }
        }
        CHECK(reader.kept_bytes() <= limits.head_bytes_max + limits.body_bytes_max + bytes.size());
        if (step == RequestReader::Step::refused) {
            all.push_back(Seen{.status = code(reader.refusal().status)});
            break;
        }
    }
    return all;
}

// Beast wants it to be like Connection; here it means nothing.
bool has_proxy_connection(const Seen& ours) {
    return std::ranges::any_of(ours.headers, [](const auto& header) {
        return equals_lower(header.first, "proxy-connection");
    });
}

void compare_with_beast(std::string_view bytes, Seen ours, std::size_t used) {
    if (has_proxy_connection(ours)) return;
    testing::BeastOpinion beast = testing::ask_beast(bytes);
    CHECK(beast.accepted);
    CHECK(beast.method == ours.method);
    CHECK(beast.target == ours.target);
    CHECK(beast.version == ours.version);
    CHECK(beast.body == ours.body);
    CHECK(beast.used_bytes == used);
    // Beast puts equal names together.
    std::sort(beast.headers.begin(), beast.headers.end());
    std::sort(ours.headers.begin(), ours.headers.end());
    CHECK(beast.headers == ours.headers);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const std::uint32_t seed = data[0] | static_cast<std::uint32_t>(data[1]) << 8 |
                               static_cast<std::uint32_t>(data[2]) << 16 |
                               static_cast<std::uint32_t>(data[3]) << 24;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
    std::size_t used = 0;
    const std::vector<Seen> whole = deliver(bytes, 0, &used);
    CHECK(deliver(bytes, seed, nullptr) == whole);
    CHECK(deliver(bytes, ~seed, nullptr) == whole);
    if (!whole.empty() && whole.front().status == 200) {
        compare_with_beast(bytes, whole.front(), used);
    }
    return 0;
}
