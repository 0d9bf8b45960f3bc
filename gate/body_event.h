// Which event a request's body names, for rules that bind it to the entry pass (body_event).
//
// One reading or none: whatever two JSON parsers could read in two ways is refused, so that the
// origin cannot find another event in the body than we did. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gate/question.h"

namespace anteroom::gate {

enum class BodyFault : std::uint8_t {
    none,
    empty,
    not_json,  // By its Content-Type.
    encoded,   // It has a Content-Encoding.
    malformed, // By its bytes.
    ambiguous, // A member is there twice, or the event's also in other letters.
    nameless,  // No such member, or it holds neither a text nor a whole number.
};
// A clause for people: "the body …".
std::string_view words(BodyFault fault);

struct NamedEvent {
    BodyFault fault = BodyFault::none;
    std::string event = {};
};

// REQUIRES: question.body.
NamedEvent event_in_body(const Question& question, std::string_view member);

} // namespace anteroom::gate
