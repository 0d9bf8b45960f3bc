// The waiting page for browsers without scripts: web/wait/plain.html, filled in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/flow.h"
#include "engine/outcome.h"

namespace anteroom::api {

struct PlainPage {
    std::string room;
    std::string state; // A visitor's state, or the code of a refusal.
    RoomState room_state = RoomState::open;
    std::string message;
    std::string target;
    Standing standing;
    std::optional<Wait> wait;
    Millis idle{}; // A silent place is kept for so long.
};

// The language of texts.json that Accept-Language wants most.
std::string_view plain_language(std::string_view accept_language);
std::string render_plain_page(const PlainPage& page, std::string_view language);

// Fills in a template: {{name}} is replaced by the escaped value, {{#name}}…{{/name}} stays only
// when there is a value. `value_of` gives the value of a name, or an empty text.
template <class ValueOf>
std::string fill_in(std::string_view text, ValueOf value_of);

std::string escape_html(std::string_view text);

template <class ValueOf>
std::string fill_in(std::string_view text, ValueOf value_of) {
    std::string out;
    while (!text.empty()) {
        const std::size_t open = text.find("{{");
        const std::size_t close = open == text.npos ? text.npos : text.find("}}", open);
        out += text.substr(0, close == text.npos ? text.npos : open);
        if (close == text.npos) break;
        const std::string_view name = text.substr(open + 2, close - open - 2);
        text.remove_prefix(close + 2);
        if (name.starts_with('#')) {
            const std::string end = "{{/" + std::string(name.substr(1)) + "}}";
            const std::size_t end_at = text.find(end);
            if (value_of(name.substr(1)).empty() && end_at != text.npos)
                text.remove_prefix(end_at + end.size());
        } else if (!name.starts_with('/')) {
            out += escape_html(value_of(name));
        }
    }
    return out;
}

} // namespace anteroom::api
