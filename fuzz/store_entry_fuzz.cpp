// Entries, asks and marks of presence as they come from Redis: whatever the bytes are, they are
// refused, or they have one meaning and one text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "engine/room.h"
#include "store/shared/entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace anteroom;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const std::optional<shared::LogEntry> entry = shared::read_entry(bytes)) {
        const std::string text = shared::write_entry(*entry);
        const std::optional<shared::LogEntry> again = shared::read_entry(text);
        CHECK(again && shared::write_entry(*again) == text);
        // A room takes it or leaves it.
        Room room;
        for (const Fact& fact : entry->facts)
            if (!room.replay(fact)) break;
    }
    if (const std::optional<shared::AskMessage> ask = shared::read_ask(bytes)) {
        const std::string text = shared::write_ask(*ask);
        const std::optional<shared::AskMessage> again = shared::read_ask(text);
        CHECK(again && shared::write_ask(*again) == text);
    }
    if (const std::optional<PresenceMarks> marks = shared::read_presence(bytes)) {
        CHECK(shared::read_presence(shared::write_presence(*marks)) == marks);
        if (!marks->empty()) (void)callable_before(*marks, marks->front().line, size);
    }
    return 0;
}
