// Replies as a hostile Redis might send them: however the bytes are split, the same replies come,
// within the limits, and what is made of them holds.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "store/redis/command.h"
#include "store/redis/reply_reader.h"
#include "store/redis/server_error.h"
#include "store/redis/slot.h"
#include "store/redis/topology.h"

namespace anteroom::redis {
namespace {

constexpr ReplyLimits limits{.bytes_max = 2'048, .values_max = 100};

struct Read {
    std::vector<Reply> replies;
    bool is_broken = false;
};

Read read(std::string_view input, std::size_t piece) {
    Read result;
    ReplyReader reader(limits);
    while (!input.empty()) {
        std::string_view bytes = input.substr(0, piece);
        input.remove_prefix(bytes.size());
        while (auto reply = reader.read(bytes)) result.replies.push_back(std::move(*reply));
        CHECK(bytes.empty());
    }
    result.is_broken = reader.is_broken();
    return result;
}

std::size_t values_of(const Reply& reply) {
    std::size_t count = 1;
    for (const Reply& one : reply.list) count += values_of(one);
    return count;
}

void use(const Reply& reply) {
    CHECK(values_of(reply) <= limits.values_max);
    const Address asked{.host = "asked"};
    if (const auto ranges = parse_slots(reply, asked)) {
        for (const SlotRange& range : *ranges) {
            CHECK(range.first <= range.last && range.last < slots);
            CHECK(!range.primary.host.empty() && range.primary.port != 0);
        }
    }
    if (const auto role = parse_role(reply)) CHECK(!role->is_replica || role->primary.port != 0);
    if (!reply.is_error()) return;
    const auto redirection = parse_redirection(reply.text, asked);
    if (redirection) CHECK(redirection->slot < slots && !redirection->to.host.empty());
    meaning_of(reply);
}

// A command is a list of texts to whoever reads it.
void send(const Reply& reply) {
    Words words;
    for (const Reply& one : reply.list) words.push_back(one.text);
    if (words.empty()) return;
    std::string wire;
    append_command(wire, words);
    ReplyReader reader;
    std::string_view bytes = wire;
    const auto command = reader.read(bytes);
    CHECK(command && command->list.size() == words.size());
    for (std::size_t i = 0; i < words.size(); ++i) CHECK(command->list[i].text == words[i]);
}

void run(std::string_view input) {
    if (input.empty()) return;
    const auto piece = static_cast<std::size_t>(static_cast<unsigned char>(input.front())) + 1;
    input.remove_prefix(1);
    const Read whole = read(input, input.size());
    const Read in_pieces = read(input, piece);
    CHECK(whole.replies == in_pieces.replies);
    CHECK(whole.is_broken == in_pieces.is_broken);
    for (const Reply& reply : whole.replies) {
        use(reply);
        send(reply);
    }
}

} // namespace
} // namespace anteroom::redis

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    anteroom::redis::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
