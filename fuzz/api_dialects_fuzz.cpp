// What the clients and operators of other systems send: whatever the bytes are, reading them ends
// in something within the limits or in nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "dialects/hhplus/batch_body.h"
#include "dialects/portal/activation.h"
#include "dialects/portal/queue_id.h"
#include "dialects/tacos/body.h"
#include "engine/settings.h"
#include "service/profile.h"

namespace {

using namespace anteroom;

void read_tacos(std::string_view text) {
    if (const auto body = tacos::read_body(text))
        CHECK(body->event_id.size() <= text.size() && body->user_id.size() <= text.size());
    // Spelled out, a key is the same key.
    const auto key = tacos::parse_uuid(text);
    if (!key) return;
    std::string spelled;
    for (std::size_t i = 0; i < key->size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) spelled += '-';
        for (const int digit : {(*key)[i] >> 4, (*key)[i] & 15})
            spelled += hex_digits[static_cast<std::size_t>(digit)];
    }
    CHECK(tacos::parse_uuid(spelled) == key);
}

void read_portal(std::string_view text) {
    // "TYPE/ID", as two segments of a path.
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view after = text.substr(std::min(slash + 1, text.size()));
    const auto id = portal::read_event_id(after);
    const auto room = id ? portal::room_id_of(text.substr(0, slash), *id) : std::nullopt;
    CHECK(!room || (is_room_id(*room) && portal::is_queue_id(*room)));
    const std::size_t line = std::min(text.find('\n'), text.size());
    portal::Order order = portal::read_order(text.substr(line), text.substr(0, line));
    if (!order.is_readable) return;
    const auto pace = portal::pace_of(order, std::nullopt);
    CHECK(pace.has_value() == order.faults.empty());
    if (pace) CHECK(fault_of(room_rules({}, *pace)) == Reason::none);
    (void)portal::details_json(order.faults);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    read_tacos(text);
    read_portal(text);
    if (const auto qps = hhplus::read_qps(text)) CHECK(*qps > 0 && *qps <= 1e9);
    return 0;
}
