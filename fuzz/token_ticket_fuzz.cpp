// Tickets and visitor ids of any bytes: what is accepted must be exactly what we would write for
// its content. And contents of any bytes: what we write must be read back, and nothing near it.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "token/test_keys.h"
#include "token/ticket.h"
#include "token/visitor_id.h"

namespace anteroom::token {
namespace {

struct Books {
    KeyRing ring = test_ring();
    TicketBook tickets{ring};
    VisitorBook visitors{ring};
};

Books& books() {
    static Books books;
    return books;
}

void read_text(std::string_view text) {
    TicketBook& tickets = books().tickets;
    const TicketVerdict ticket = tickets.read(text, test_now);
    if (const TicketContent* content = std::get_if<TicketContent>(&ticket)) {
        const std::optional<UuidTicket> uuid = tickets.mint_uuid(*content);
        CHECK(tickets.mint_native(*content).view() == text || (uuid && uuid->view() == text));
    }
    const VisitorVerdict visitor = books().visitors.read(text, test_now);
    if (const VisitorId* id = std::get_if<VisitorId>(&visitor)) {
        CHECK(books().visitors.sign(*id).view() == text);
        CHECK(std::holds_alternative<Refusal>(ticket));
    }
}

void check_text(const TicketContent& content, std::string_view text, unsigned damage) {
    TicketBook& tickets = books().tickets;
    CHECK(tickets.read(text, test_now) == TicketVerdict(content));
    CHECK(std::holds_alternative<Refusal>(books().visitors.read(text, test_now)));
    std::string damaged(text);
    const unsigned bit = damage % static_cast<unsigned>(damaged.size() * 8);
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    CHECK(std::holds_alternative<Refusal>(tickets.read(damaged, test_now)));
}

void write_content(const std::uint8_t* data) {
    const TicketContent content{.kind = data[0] % 2 == 0 ? TicketKind::outer : TicketKind::inner,
                                .room = static_cast<std::uint32_t>(load_number<4>(data + 1)),
                                .generation = static_cast<std::uint32_t>(load_number<4>(data + 5)),
                                .number = load_number<6>(data + 9)};
    const auto damage = static_cast<unsigned>(load_number<2>(data + 15));
    check_text(content, books().tickets.mint_native(content).view(), damage);
    const std::optional<UuidTicket> uuid = books().tickets.mint_uuid(content);
    CHECK(uuid.has_value() ==
          (content.room <= uuid_room_max && content.generation <= uuid_generation_max &&
           content.number <= uuid_number_max));
    if (uuid) check_text(content, uuid->view(), damage);
}

} // namespace
} // namespace anteroom::token

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom::token;
    read_text({reinterpret_cast<const char*>(data), size});
    if (size == 17) write_content(data);
    return 0;
}
