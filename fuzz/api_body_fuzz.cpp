// Bodies of requests: whatever the bytes are, reading them ends in settings that can work or in a
// reason.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/body.h"
#include "base/check.h"
#include "service/room_fields.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    api::JoinBody join;
    const std::string fault = api::read_join_body(text, join);
    CHECK(!fault.empty() || !join.visitor || !join.visitor->empty());

    RoomSettings settings;
    if (api::read_room_body(text, settings).empty()) {
        CHECK(fault_in_words(settings).empty());
        // What is written can be read again, and means the same.
        RoomSettings again;
        CHECK(api::read_room_body("{" + api::settings_json(settings) + "}", again).empty());
        CHECK(again.rules == settings.rules);
    }
    std::int64_t count = 0;
    (void)api::read_count_body(text, count);
    return 0;
}
