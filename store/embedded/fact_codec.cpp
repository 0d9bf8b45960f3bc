#include "store/embedded/fact_codec.h"

#include <zlib.h>

#include <boost/json.hpp>

#include "base/byte_stream.h"
#include "base/overload.h"

namespace anteroom::embedded {
namespace {

namespace json = boost::json;

enum Kind : std::int64_t {
    joined = 1,
    called,
    claimed,
    finished,
    leaving,
    returned,
    left,
    expired,
    number_taken,
    advanced,
    outer_expired,
    activated,
    deactivated,
    configured,
    state_changed,
    cleared,
    redeemed,
    lease_set,
    missed,
};

constexpr std::int64_t bound_only_flag = 256;

std::int64_t as_signed(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

std::string settings_text(const Settings& settings) {
    json::object object;
    for_each_setting(settings, [&](const char* name, const auto& setting) {
        object.emplace(name, as_signed(word_of(setting)));
    });
    return json::serialize(object);
}

// Settings that are not named have their defaults; names that are not known are not ours.
std::optional<Settings> settings_of(const std::string& text) {
    json::error_code error;
    const json::value value = json::parse(text, error);
    if (error || !value.is_object()) return std::nullopt;
    Settings settings;
    std::size_t known = 0;
    bool fits = true;
    for_each_setting(settings, [&](const char* name, auto& setting) {
        const json::value* given = value.as_object().if_contains(name);
        if (!given) return;
        ++known;
        fits = fits && given->is_int64();
        if (!fits) return;
        const auto word = static_cast<std::uint64_t>(given->as_int64());
        set_from_word(setting, word);
        fits = word_of(setting) == word;
    });
    fits =
        fits && known == value.as_object().size() && settings.lease_start <= LeaseStart::at_claim;
    return fits ? std::optional(settings) : std::nullopt;
}

} // namespace

FactColumns columns_of(const Happening& what) {
    const auto about = [](Kind kind, Number number) {
        return FactColumns{.kind = kind, .number = as_signed(number)};
    };
    return std::visit(Overload{
                          [&](const Joined& f) {
                              FactColumns columns = about(joined, f.number);
                              columns.visitor = f.visitor;
                              columns.detail = f.lane + (f.bound_only ? bound_only_flag : 0);
                              if (f.outer != 0) columns.outer = as_signed(f.outer);
                              return columns;
                          },
                          [&](const Called& f) { return about(called, f.number); },
                          [&](const Claimed& f) { return about(claimed, f.number); },
                          [&](const Redeemed& f) { return about(redeemed, f.number); },
                          [&](const Missed& f) { return about(missed, f.number); },
                          [&](const LeaseSet& f) {
                              FactColumns columns = about(lease_set, f.number);
                              columns.detail = f.until.ms;
                              return columns;
                          },
                          [&](const Finished& f) { return about(finished, f.number); },
                          [&](const Leaving& f) { return about(leaving, f.number); },
                          [&](const Returned& f) { return about(returned, f.number); },
                          [&](const Left& f) { return about(left, f.number); },
                          [&](const Expired& f) {
                              FactColumns columns = about(expired, f.number);
                              columns.detail = static_cast<std::int64_t>(f.cause);
                              return columns;
                          },
                          [&](const NumberTaken& f) {
                              FactColumns columns = about(number_taken, f.number);
                              columns.visitor = f.visitor;
                              return columns;
                          },
                          [&](const Advanced& f) { return about(advanced, f.serving); },
                          [&](const OuterExpired& f) { return about(outer_expired, f.through); },
                          [&](const Activated& f) { return about(activated, f.generation); },
                          [&](const Deactivated&) { return FactColumns{.kind = deactivated}; },
                          [&](const Configured& f) {
                              return FactColumns{.kind = configured,
                                                 .text = settings_text(f.settings)};
                          },
                          [&](const StateChanged& f) {
                              return FactColumns{.kind = state_changed,
                                                 .detail = static_cast<std::int64_t>(f.to)};
                          },
                          [&](const Cleared&) { return FactColumns{.kind = cleared}; },
                      },
                      what);
}

std::optional<Happening> happening_of(const FactColumns& columns) {
    const auto number = static_cast<Number>(columns.number);
    const bool has_number = columns.number >= 0;
    const auto one = [&](auto fact) -> std::optional<Happening> {
        fact.number = number;
        return has_number ? std::optional<Happening>(fact) : std::nullopt;
    };
    switch (columns.kind) {
        case joined: {
            const std::int64_t lane = columns.detail % bound_only_flag;
            const bool fits = has_number && columns.visitor && columns.detail >= 0 &&
                              columns.detail < 2 * bound_only_flag;
            if (!fits) return std::nullopt;
            return Joined{.number = number,
                          .visitor = *columns.visitor,
                          .lane = static_cast<std::uint8_t>(lane),
                          .outer = columns.outer < 0 ? 0 : static_cast<Number>(columns.outer),
                          .bound_only = columns.detail >= bound_only_flag};
        }
        case called: return one(Called{});
        case claimed: return one(Claimed{});
        case redeemed: return one(Redeemed{});
        case missed: return one(Missed{});
        case lease_set:
            if (!has_number || columns.detail < 0) return std::nullopt;
            return LeaseSet{number, Instant{columns.detail}};
        case finished: return one(Finished{});
        case leaving: return one(Leaving{});
        case returned: return one(Returned{});
        case left: return one(Left{});
        case expired:
            if (!has_number || columns.detail < 0 ||
                columns.detail > static_cast<std::int64_t>(Expiry::lease))
                return std::nullopt;
            return Expired{number, static_cast<Expiry>(columns.detail)};
        case number_taken:
            if (!has_number || !columns.visitor) return std::nullopt;
            return NumberTaken{number, *columns.visitor};
        case advanced:
            return has_number ? std::optional<Happening>(Advanced{number}) : std::nullopt;
        case outer_expired:
            return has_number ? std::optional<Happening>(OuterExpired{number}) : std::nullopt;
        case activated:
            if (!has_number || columns.number > UINT32_MAX) return std::nullopt;
            return Activated{static_cast<std::uint32_t>(number)};
        case deactivated: return Deactivated{};
        case configured:
            if (const std::optional<Settings> settings = settings_of(columns.text))
                return Configured{*settings};
            return std::nullopt;
        case state_changed:
            if (columns.detail < 0 ||
                columns.detail > static_cast<std::int64_t>(RoomState::passthrough))
                return std::nullopt;
            return StateChanged{static_cast<RoomState>(columns.detail)};
        case cleared: return Cleared{};
        default: return std::nullopt;
    }
}

std::uint32_t sum_of(const FactRow& row, std::uint32_t before) {
    thread_local std::string bytes; // Kept for its capacity.
    bytes.clear();
    ByteWriter out(bytes);
    const FactColumns& columns = row.columns;
    out.word(row.fact);
    out.word(std::uint64_t{row.room});
    out.word(row.sequence);
    out.word(row.at.ms);
    out.word(columns.kind);
    out.word(columns.number);
    out.word(columns.detail);
    out.word(columns.outer);
    if (columns.visitor) {
        out.word(columns.visitor->high);
        out.word(columns.visitor->low);
    }
    out.word(std::uint64_t{columns.text.size()});
    out.bytes(columns.text);
    out.bytes(row.who);
    return static_cast<std::uint32_t>(crc32(before, reinterpret_cast<const Bytef*>(bytes.data()),
                                            static_cast<uInt>(bytes.size())));
}

std::string bytes_of(const VisitorKey& key) {
    std::string bytes;
    for (const std::uint64_t word : {key.high, key.low})
        for (int shift = 56; shift >= 0; shift -= 8)
            bytes.push_back(static_cast<char>(word >> shift));
    return bytes;
}

std::optional<VisitorKey> key_of(std::string_view bytes) {
    if (bytes.size() != 16) return std::nullopt;
    const auto word = [&](std::size_t from) {
        std::uint64_t value = 0;
        for (std::size_t i = from; i < from + 8; ++i)
            value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
        return value;
    };
    return VisitorKey{.high = word(0), .low = word(8)};
}

} // namespace anteroom::embedded
