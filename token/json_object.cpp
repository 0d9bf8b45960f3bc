#include "token/json_object.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace anteroom::token {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

char* write_utf8(char* to, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
    const auto tail = [&](unsigned shift) { put(0x80 | (point >> shift & 0x3f)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xc0 | point >> 6);
        tail(0);
    } else if (point < 0x10000) {
        put(0xe0 | point >> 12);
        tail(6);
        tail(0);
    } else {
        put(0xf0 | point >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
    return to;
}

class Scanner {
  public:
    explicit Scanner(std::span<char> text) : at_(text.data()), end_(text.data() + text.size()) {}

    JsonFault fault() const { return fault_; }
    bool at_end() const { return at_ == end_; }

    void skip_space() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
    }

    bool take(char expected) {
        if (at_ == end_ || *at_ != expected) return false;
        ++at_;
        return true;
    }

    // Everything between the braces: each member is handed over, and may be refused.
    template <class OnMember>
    bool object(std::size_t depth, OnMember on_member) {
        if (!take('{')) return fail(JsonFault::malformed);
        skip_space();
        if (take('}')) return true;
        for (;;) {
            skip_space();
            JsonMember member;
            const std::optional<std::string_view> name = string();
            if (!name) return fail(JsonFault::malformed);
            member.name = *name;
            skip_space();
            if (!take(':')) return fail(JsonFault::malformed);
            if (!value(depth, member.value)) return false;
            if (const JsonFault refused = on_member(member); refused != JsonFault::none)
                return fail(refused);
            skip_space();
            if (take('}')) return true;
            if (!take(',')) return fail(JsonFault::malformed);
        }
    }

    // Everything between the brackets, likewise.
    template <class OnElement>
    bool array(std::size_t depth, OnElement on_element) {
        if (!take('[')) return fail(JsonFault::malformed);
        skip_space();
        if (take(']')) return true;
        for (;;) {
            JsonValue element;
            if (!value(depth, element)) return false;
            if (const JsonFault refused = on_element(element); refused != JsonFault::none)
                return fail(refused);
            skip_space();
            if (take(']')) return true;
            if (!take(',')) return fail(JsonFault::malformed);
        }
    }

  private:
    bool fail(JsonFault fault) {
        if (fault_ == JsonFault::none) fault_ = fault;
        return false;
    }

    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

    bool value(std::size_t depth, JsonValue& out) {
        skip_space();
        if (at_ == end_) return fail(JsonFault::malformed);
        switch (*at_) {
            case '"': return string_value(out);
            case '{': return nested(JsonKind::object, depth, out);
            case '[': return nested(JsonKind::array, depth, out);
            case 't': return word("true", out, JsonKind::boolean, 1);
            case 'f': return word("false", out, JsonKind::boolean, 0);
            case 'n': return word("null", out, JsonKind::null, 0);
            default: return number(out);
        }
    }

    bool nested(JsonKind kind, std::size_t depth, JsonValue& out) {
        if (depth == json_depth_max) return fail(JsonFault::too_deep);
        const char* const begin = at_;
        const auto ignore = [](const auto&) { return JsonFault::none; };
        ++nesting_;
        const bool read =
            kind == JsonKind::object ? object(depth + 1, ignore) : array(depth + 1, ignore);
        --nesting_;
        out.kind = kind;
        out.text = {begin, static_cast<std::size_t>(at_ - begin)};
        return read;
    }

    bool word(std::string_view expected, JsonValue& out, JsonKind kind, std::int64_t truth) {
        if (!rest().starts_with(expected)) return fail(JsonFault::malformed);
        at_ += expected.size();
        out.kind = kind;
        out.integer = truth;
        return true;
    }

    bool digits() {
        const char* begin = at_;
        while (at_ != end_ && is_digit(*at_)) ++at_;
        return at_ != begin;
    }

    bool number(JsonValue& out) {
        const char* begin = at_;
        take('-');
        if (!take('0') && !digits()) return fail(JsonFault::malformed);
        bool whole = true;
        if (take('.')) {
            whole = false;
            if (!digits()) return fail(JsonFault::malformed);
        }
        if (take('e') || take('E')) {
            whole = false;
            if (!take('+')) take('-');
            if (!digits()) return fail(JsonFault::malformed);
        }
        out.kind = JsonKind::number;
        const std::string_view text{begin, static_cast<std::size_t>(at_ - begin)};
        if (!whole || text == "-0") return true;
        if (const auto integer = parse_whole_number<std::int64_t>(text))
            out = {.kind = JsonKind::integer, .text = text, .integer = *integer};
        return true;
    }

    bool string_value(JsonValue& out) {
        const std::optional<std::string_view> text = string();
        if (!text) return fail(JsonFault::malformed);
        out.kind = JsonKind::string;
        out.text = *text;
        return true;
    }

    // Decoded in place: an escape is never shorter than what it stands for. Within a nested value
    // nothing moves.
    std::optional<std::string_view> string() {
        if (!take('"')) return std::nullopt;
        char* const begin = at_;
        char* to = at_;
        while (at_ != end_) {
            const char c = *at_;
            if (c == '"') {
                ++at_;
                return std::string_view(begin, static_cast<std::size_t>(to - begin));
            }
            if (c == '\\') {
                ++at_;
                std::array<char, 4> unused;
                char* nowhere = unused.data();
                if (!escape(nesting_ > 0 ? nowhere : to)) return std::nullopt;
                if (nesting_ > 0) to = at_;
                continue;
            }
            if (c >= 0x20) { // ASCII, which is nearly everything.
                *to++ = c;
                ++at_;
                continue;
            }
            const std::size_t length = utf8_length(rest());
            if (length < 2) return std::nullopt; // Not UTF-8, or a control character.
            to = std::copy_n(at_, length, to);
            at_ += length;
        }
        return std::nullopt;
    }

    bool escape(char*& to) {
        if (at_ == end_) return false;
        const char c = *at_++;
        switch (c) {
            case '"':
            case '\\':
            case '/': *to++ = c; return true;
            case 'b': *to++ = '\b'; return true;
            case 'f': *to++ = '\f'; return true;
            case 'n': *to++ = '\n'; return true;
            case 'r': *to++ = '\r'; return true;
            case 't': *to++ = '\t'; return true;
            case 'u': return unicode_escape(to);
            default: return false;
        }
    }

    bool unicode_escape(char*& to) {
        std::optional<std::uint32_t> point = four_hex_digits();
        if (!point) return false;
        if (*point >= 0xdc00 && *point <= 0xdfff) return false;
        if (*point >= 0xd800 && *point <= 0xdbff) {
            if (!take('\\') || !take('u')) return false;
            const std::optional<std::uint32_t> low = four_hex_digits();
            if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
            point = 0x10000 + ((*point - 0xd800) << 10) + (*low - 0xdc00);
        }
        to = write_utf8(to, *point);
        return true;
    }

    std::optional<std::uint32_t> four_hex_digits() {
        if (end_ - at_ < 4) return std::nullopt;
        const auto value = parse_whole_number<std::uint32_t>({at_, 4}, 16);
        if (value) at_ += 4;
        return value;
    }

    char* at_;
    char* end_;
    std::size_t nesting_ = 0; // How many values deep, so that inner ones stay as they stand.
    JsonFault fault_ = JsonFault::none;
};

} // namespace

JsonFault JsonObject::parse(std::span<char> text) {
    count_ = 0;
    std::size_t count = 0;
    Scanner scanner(text);
    scanner.skip_space();
    const bool read = scanner.object(1, [&](const JsonMember& member) {
        const auto so_far = std::span(members_).first(count);
        if (std::ranges::find(so_far, member.name, &JsonMember::name) != so_far.end())
            return JsonFault::duplicate_member;
        if (count == json_members_max) return JsonFault::too_many_members;
        members_[count++] = member;
        return JsonFault::none;
    });
    if (!read) return scanner.fault();
    scanner.skip_space();
    if (!scanner.at_end()) return JsonFault::malformed;
    count_ = count;
    return JsonFault::none;
}

JsonFault parse_json_array(std::span<char> text, std::size_t elements_max,
                           std::vector<JsonValue>& out) {
    out.clear();
    Scanner scanner(text);
    scanner.skip_space();
    const bool read = scanner.array(1, [&](const JsonValue& element) {
        if (out.size() == elements_max) return JsonFault::too_many_members;
        out.push_back(element);
        return JsonFault::none;
    });
    scanner.skip_space();
    if (read && scanner.at_end()) return JsonFault::none;
    out.clear();
    return read ? JsonFault::malformed : scanner.fault();
}

const JsonValue* JsonObject::find(std::string_view name) const {
    for (const JsonMember& member : members())
        if (member.name == name) return &member.value;
    return nullptr;
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                if (byte < 0x20)
                    out += {'\\', 'u', '0', '0', hex_digits[byte >> 4], hex_digits[byte & 0x0f]};
                else
                    out += c;
        }
    }
    out += '"';
}

} // namespace anteroom::token
