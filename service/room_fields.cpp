#include "service/room_fields.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/duration.h"
#include "base/overload.h"

namespace anteroom {
namespace {

using S = Settings;

const std::array fields{
    RoomField{"capacity", &S::capacity, "count",
              "How many visitors may be inside at once. 0: nobody is called."},
    RoomField{"admit_batch", &S::admit_batch, "count",
              "At most so many visitors are called in any window of admit_interval."},
    RoomField{"admit_interval", &S::admit_interval, "duration from 1ms to 1h",
              "The window of admit_batch."},
    RoomField{"rate_per_second", RoomField::Rate{}, "per second",
              "At most so many visitors are called per second, in any window. 0: no such limit."},
    RoomField{"admit_on_join", &S::admit_on_join, "switch",
              "A visitor who meets an empty line and a free slot is called at once."},
    RoomField{"wait_min", &S::wait_min, "duration",
              "No visitor is called before having waited so long."},
    RoomField{"called_max", &S::called_max, "count",
              "Only so many visitors may be called and not yet in. 0: no limit."},
    RoomField{"lease", &S::lease, "duration", "A stay ends after so long without a sign of life."},
    RoomField{"lease_max", &S::lease_max, "duration", "No stay lasts longer than this."},
    RoomField{"lease_start", RoomField::LeaseBegin{}, "choice",
              "When a stay begins: with the call or with the claim.", "call claim"},
    RoomField{
        "claim_window", &S::claim_window, "duration",
        "A call that is not claimed for so long goes to the next visitor; whoever missed it "
        "is first again when they are back, but the third missed call ends the visit. 0s: the "
        "lease decides, and ends the visit."},
    RoomField{"claim_by_look", &S::claim_by_look, "switch",
              "The next sign of life of a called visitor is the claim."},
    RoomField{"waiting_max", &S::waiting_max, "count", "How many visitors may wait."},
    RoomField{"idle", &S::idle, "duration",
              "A visitor who is silent for longer is taken out of the line."},
    RoomField{
        "presence", &S::presence, "duration, 0s or at least 10s",
        "A visitor who was not seen for so long is passed over when the turn comes, keeps the "
        "place, and is called as soon as they are back. 0s: three times the interval in which "
        "they were told to ask again, at least 10s. Never longer than idle."},
    RoomField{"sweep_interval", &S::sweep_interval, "duration from 1ms to 1h",
              "How often the room looks for silent visitors."},
    RoomField{"leave_grace", &S::leave_grace, "duration",
              "A visitor who left and returns within this time has the old place again."},
    RoomField{"ended_memory", &S::ended_memory, "duration",
              "How long the room can tell what became of a number."},
    RoomField{"outer_batch", &S::outer_batch, "count",
              "The outer line advances by so many numbers per outer_interval."},
    RoomField{"outer_interval", &S::outer_interval, "duration from 1ms to 1h",
              "The interval of outer_batch."},
    RoomField{"outer_lifetime", &S::outer_lifetime, "duration",
              "A place in the outer line expires after so long."},
    RoomField{"lanes", RoomField::Lanes{}, "at most 8 names",
              "The lanes of the inner line; the first one goes first. Empty: one lane."},
    RoomField{"default_lane", &Profile::default_lane, "name of a lane",
              "The lane of visitors who name none. Empty: the last one."},
    RoomField{"dialect", &Profile::dialect, "name of a dialect",
              "Only clients of this system take places. Empty: everybody's do."},
    RoomField{"message", &Profile::message, "text of at most 2000 bytes",
              "The words that everybody who waits is shown."},
    RoomField{"target", &Profile::target, "URL or path",
              "Where the waiting page goes when its visitor is called. Empty: it stays."},
};

using Complaint = std::optional<std::string>;

template <class T>
Complaint assign(std::string_view name, T& member, const FieldValue& value, const char* wanted) {
    const T* given = std::get_if<T>(&value);
    if (!given) return fmt::format("{} must be {}", name, wanted);
    member = *given;
    return std::nullopt;
}

Complaint assign_span(std::string_view name, Millis& member, const FieldValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    const std::optional<Millis> span = text ? parse_duration(*text) : std::nullopt;
    if (!span) return fmt::format("{} must be a duration such as \"10m\" or \"1s\"", name);
    member = *span;
    return std::nullopt;
}

Complaint assign_rate(std::string_view name, std::int64_t& rate_milli, const FieldValue& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* number = std::get_if<double>(&value);
    const double rate = whole ? static_cast<double>(*whole) : number ? *number : -1;
    if (!(rate >= 0 && rate <= 1e6))
        return fmt::format("{} must be a number from 0 to 1000000", name);
    if (rate > 0 && rate < 0.001) return fmt::format("{} must be 0 or at least 0.001", name);
    rate_milli = std::llround(rate * 1e3);
    return std::nullopt;
}

Complaint assign_start(std::string_view name, LeaseStart& start, const FieldValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text || (*text != "call" && *text != "claim"))
        return fmt::format("{} must be \"call\" or \"claim\"", name);
    start = *text == "call" ? LeaseStart::at_call : LeaseStart::at_claim;
    return std::nullopt;
}

Complaint assign_lanes(RoomSettings& settings, const FieldValue& value) {
    const auto* names = std::get_if<std::vector<std::string>>(&value);
    if (!names || names->size() > limits::lanes_max)
        return fmt::format("lanes must be a list of at most {} names", limits::lanes_max);
    settings.profile.lanes = *names;
    settings.rules.lanes = static_cast<std::uint8_t>(std::max<std::size_t>(1, names->size()));
    return std::nullopt;
}

} // namespace

std::span<const RoomField> room_fields() {
    return fields;
}

std::optional<std::string> set_field(RoomSettings& settings, std::string_view name,
                                     const FieldValue& value) {
    for (const RoomField& field : fields) {
        if (field.name != name) continue;
        Settings& rules = settings.rules;
        return std::visit(
            Overload{
                [&](std::int64_t Settings::*m) {
                    return assign(name, rules.*m, value, "a whole number");
                },
                [&](Millis Settings::*m) { return assign_span(name, rules.*m, value); },
                [&](bool Settings::*m) { return assign(name, rules.*m, value, "true or false"); },
                [&](std::string Profile::*m) {
                    return assign(name, settings.profile.*m, value, "a text");
                },
                [&](RoomField::Rate) { return assign_rate(name, rules.rate_milli, value); },
                [&](RoomField::LeaseBegin) { return assign_start(name, rules.lease_start, value); },
                [&](RoomField::Lanes) { return assign_lanes(settings, value); },
            },
            field.member);
    }
    return fmt::format("there is no setting {}", name);
}

FieldValue field_value(const RoomSettings& settings, const RoomField& field) {
    const Settings& rules = settings.rules;
    return std::visit(
        Overload{
            [&](std::int64_t Settings::*m) -> FieldValue { return rules.*m; },
            [&](Millis Settings::*m) -> FieldValue { return to_string(rules.*m); },
            [&](bool Settings::*m) -> FieldValue { return rules.*m; },
            [&](std::string Profile::*m) -> FieldValue { return settings.profile.*m; },
            [&](RoomField::Rate) -> FieldValue {
                return static_cast<double>(rules.rate_milli) / 1e3;
            },
            [&](RoomField::LeaseBegin) -> FieldValue {
                return std::string(rules.lease_start == LeaseStart::at_call ? "call" : "claim");
            },
            [&](RoomField::Lanes) -> FieldValue { return settings.profile.lanes; },
        },
        field.member);
}

std::string fault_in_words(const RoomSettings& settings) {
    if (const Reason reason = fault_of(settings.rules); reason != Reason::none)
        return std::string(in_words(reason));
    return fault_of(settings.profile).value_or("");
}

std::string_view in_words(Reason reason) {
    switch (reason) {
        case Reason::none: return "";
        case Reason::bad_capacity: return "capacity must be from 0 to 4294967295";
        case Reason::bad_batch: return "a batch must be from 1 to 4294967295";
        case Reason::bad_interval: return "an interval must be from 1ms to 1h";
        case Reason::bad_rate: return "rate_per_second must be from 0 to 1000000";
        case Reason::bad_lease:
            return "lease must be at least 1ms, lease_max not below it, and claim_window not 0 when the lease starts at the claim";
        case Reason::bad_wait: return "a time span is out of range";
        case Reason::bad_presence: return "presence must be 0s or at least 10s";
        case Reason::bad_limit: return "a limit must be from 0 to 4294967295";
        case Reason::bad_lanes: return "there must be 1 to 8 lanes";
        case Reason::lane_in_use: return "somebody still stands in a lane that would go away";
        case Reason::unknown_lane: return "there is no such lane";
        case Reason::room_full: return "no more visitors can wait in this room";
        case Reason::room_draining: return "the room takes nobody new";
        case Reason::room_closed: return "the room is closed";
        case Reason::outer_required: return "take a number in the outer line first";
        case Reason::outer_unknown: return "the number in the outer line is unknown or too old";
        case Reason::outer_not_released: return "the turn in the outer line has not come";
        case Reason::outer_taken: return "the number in the outer line was used by another visitor";
        case Reason::outer_inactive: return "the outer line is not active";
        case Reason::unknown_number: return "the ticket is of no place in this room";
        case Reason::not_called: return "the visitor has not been called";
        case Reason::redeemed: return "this pass has been used";
        case Reason::bad_count: return "count must be from 1 to 4294967295";
        case Reason::room_paused: return "the room is paused";
        case Reason::not_paused: return "the room is not paused";
        case Reason::unavailable: return "nothing can be written at the moment";
    }
    return "";
}

} // namespace anteroom
