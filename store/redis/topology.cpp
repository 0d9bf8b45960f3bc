#include "store/redis/topology.h"

#include "store/redis/slot.h"

namespace anteroom::redis {
namespace {

// [host, port, id, …]
std::optional<Address> parse_node(const Reply& node, const Address& asked) {
    if (!node.is_list() || node.list.size() < 2) return std::nullopt;
    const Reply& host = node.list[0];
    const Reply& port = node.list[1];
    if (!host.is_text() && !host.is_nil()) return std::nullopt;
    if (!port.is_integer() || port.integer < 1 || port.integer > 65'535) return std::nullopt;
    return Address{.host = host.text.empty() ? asked.host : host.text,
                   .port = static_cast<std::uint16_t>(port.integer)};
}

// A node that prefers a host name but has none.
bool is_nameless(const Address& address) {
    return address.host == "?";
}

bool is_slot(const Reply& reply) {
    return reply.is_integer() && reply.integer >= 0 && reply.integer < slots;
}

} // namespace

std::optional<Role> parse_role(const Reply& reply) {
    if (!reply.is_list() || reply.list.empty() || !reply.list[0].is_text()) return std::nullopt;
    const std::string& name = reply.list[0].text;
    if (name == "master") return Role{};
    if (name != "slave" || reply.list.size() < 3) return std::nullopt;
    const Reply& host = reply.list[1];
    const Reply& port = reply.list[2];
    if (!host.is_text() || host.text.empty()) return std::nullopt;
    if (!port.is_integer() || port.integer < 1 || port.integer > 65'535) return std::nullopt;
    return Role{.is_replica = true,
                .primary = {.host = host.text, .port = static_cast<std::uint16_t>(port.integer)}};
}

std::optional<std::vector<SlotRange>> parse_slots(const Reply& reply, const Address& asked) {
    if (!reply.is_list()) return std::nullopt;
    std::vector<SlotRange> ranges;
    for (const Reply& one : reply.list) {
        if (!one.is_list() || one.list.size() < 3) return std::nullopt;
        if (!is_slot(one.list[0]) || !is_slot(one.list[1])) return std::nullopt;
        SlotRange range{.first = static_cast<std::uint16_t>(one.list[0].integer),
                        .last = static_cast<std::uint16_t>(one.list[1].integer)};
        if (range.first > range.last) return std::nullopt;
        const auto primary = parse_node(one.list[2], asked);
        if (!primary) return std::nullopt;
        if (is_nameless(*primary)) continue;
        range.primary = *primary;
        for (std::size_t i = 3; i < one.list.size(); ++i) {
            const auto replica = parse_node(one.list[i], asked);
            if (!replica) return std::nullopt;
            if (!is_nameless(*replica)) range.replicas.push_back(*replica);
        }
        ranges.push_back(std::move(range));
    }
    return ranges;
}

} // namespace anteroom::redis
