#include "store/redis/reply.h"

namespace anteroom::redis {

std::string_view Reply::error_code() const {
    if (!is_error()) return {};
    return std::string_view(text).substr(0, text.find(' '));
}

std::string to_string(const Reply& reply) {
    switch (reply.kind) {
        case Reply::Kind::nil: return "(nil)";
        case Reply::Kind::integer: return std::to_string(reply.integer);
        case Reply::Kind::text: return "\"" + reply.text + "\"";
        case Reply::Kind::error: return "!" + reply.text;
        case Reply::Kind::list: break;
    }
    std::string text = "[";
    for (const Reply& one : reply.list) {
        if (text.size() > 1) text += ", ";
        text += to_string(one);
    }
    return text + "]";
}

} // namespace anteroom::redis
