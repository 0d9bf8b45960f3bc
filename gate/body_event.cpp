#include "gate/body_event.h"

#include <optional>

#include "base/check.h"
#include "gate/path.h"
#include "net/text.h"
#include "token/json_object.h"

namespace anteroom::gate {
namespace {

// "application/json", alone or with charset=utf-8. In another charset the same bytes can be another
// text: UTF-7 writes quotes in letters.
bool is_json_type(std::string_view value) {
    const std::size_t semicolon = value.find(';');
    if (!net::equals_ignoring_case(net::trim(value.substr(0, semicolon)), "application/json"))
        return false;
    if (semicolon == value.npos) return true;
    const std::string_view parameter = net::trim(value.substr(semicolon + 1));
    return net::equals_ignoring_case(parameter, "charset=utf-8") ||
           net::equals_ignoring_case(parameter, "charset=\"utf-8\"");
}

BodyFault fault_in_headers(const Question& question) {
    std::size_t types = 0;
    for (const net::Header& header : question.headers) {
        if (net::equals_ignoring_case(header.name, "content-encoding")) return BodyFault::encoded;
        if (!net::equals_ignoring_case(header.name, "content-type")) continue;
        if (!is_json_type(header.value) || ++types > 1) return BodyFault::not_json;
    }
    return types == 1 ? BodyFault::none : BodyFault::not_json;
}

} // namespace

std::string_view words(BodyFault fault) {
    switch (fault) {
        case BodyFault::none: return "has no fault";
        case BodyFault::empty: return "is empty";
        case BodyFault::not_json: return "is not said to be application/json in UTF-8";
        case BodyFault::encoded: return "has a Content-Encoding";
        case BodyFault::malformed: return "is no JSON object, or a large or deep one";
        case BodyFault::ambiguous: return "has a member twice";
        case BodyFault::nameless: return "names no event";
    }
    CHECK(false);
}

NamedEvent event_in_body(const Question& question, std::string_view member) {
    if (question.body->empty()) return {.fault = BodyFault::empty};
    if (const BodyFault fault = fault_in_headers(question); fault != BodyFault::none)
        return {.fault = fault};
    std::string text(*question.body); // Read in place; the origin gets what came.
    token::JsonObject object;
    switch (object.parse(text)) {
        case token::JsonFault::none: break;
        case token::JsonFault::duplicate_member: return {.fault = BodyFault::ambiguous};
        case token::JsonFault::malformed:
        case token::JsonFault::too_many_members:
        case token::JsonFault::too_deep: return {.fault = BodyFault::malformed};
    }
    // Some parsers ignore the case of names, and take the last of those that differ in case only.
    for (const token::JsonMember& one : object.members())
        if (one.name != member && same_letters(one.name, member))
            return {.fault = BodyFault::ambiguous};
    const token::JsonValue* value = object.find(member);
    const bool is_name = value && (value->kind == token::JsonKind::string ||
                                   value->kind == token::JsonKind::integer);
    if (!is_name || value->text.empty()) return {.fault = BodyFault::nameless};
    return {.event = std::string(value->text)};
}

} // namespace anteroom::gate
