#include "store/shared/entry.h"

#include <type_traits>

#include "base/byte_stream.h"
#include "base/overload.h"
#include "engine/room.h"
#include "service/profile_text.h"

namespace anteroom::shared {
namespace {

// Version 1 knows nothing of missed calls and of when visitors were told to ask again.
constexpr std::uint8_t entry_version = 2;
constexpr std::uint8_t ask_version = 3; // 3: Seek.

bool is_known(std::uint8_t version, std::uint8_t newest) {
    return version >= 1 && version <= newest;
}

// --- The parts of facts, commands and outcomes, both ways by the same list of members.

class Writer {
  public:
    explicit Writer(std::string& out) : out_(out) {}
    static constexpr bool is_first_version = false;
    void operator()(const VisitorKey& key) {
        out_.word(key.high);
        out_.word(key.low);
    }
    void operator()(Instant at) { out_.word(at.ms); }
    void operator()(bool truth) { out_.byte(truth ? 1 : 0); }
    template <class T>
    void operator()(T value) requires std::is_enum_v<T> || std::is_unsigned_v<T> {
        out_.number(static_cast<std::uint64_t>(value));
    }
    void operator()(std::int64_t value) { out_.word(value); }
    void operator()(const Settings& settings) {
        std::uint64_t count = 0;
        for_each_setting(settings, [&](const char*, const auto&) { ++count; });
        out_.number(count);
        for_each_setting(settings,
                         [&](const char*, const auto& setting) { out_.number(word_of(setting)); });
    }
    void operator()(const std::optional<OuterPlace>& outer) {
        (*this)(outer.has_value());
        if (!outer) return;
        (*this)(outer->generation);
        (*this)(outer->number);
    }

  private:
    ByteWriter out_;
};

class Reader {
  public:
    Reader(ByteReader& in, std::uint8_t version) : is_first_version(version == 1), in_(in) {}
    const bool is_first_version;
    void operator()(VisitorKey& key) {
        key.high = in_.word();
        key.low = in_.word();
    }
    void operator()(Instant& at) { at = Instant{in_.signed_word()}; }
    void operator()(bool& truth) {
        const std::uint8_t byte = in_.byte();
        if (byte > 1) in_.bytes(SIZE_MAX); // Not a truth: nothing after it counts.
        truth = byte == 1;
    }
    template <class T>
    void operator()(T& value) requires std::is_enum_v<T> || std::is_unsigned_v<T> {
        const std::uint64_t number = in_.number();
        value = static_cast<T>(number);
        if (static_cast<std::uint64_t>(value) != number) in_.bytes(SIZE_MAX);
    }
    void operator()(std::int64_t& value) { value = in_.signed_word(); }
    void operator()(Settings& settings) {
        std::uint64_t left = in_.number(); // A later version may know more: these have defaults.
        bool exact = true;
        for_each_setting(settings, [&](const char*, auto& setting) {
            if (left == 0) return;
            --left;
            const std::uint64_t word = in_.number();
            set_from_word(setting, word);
            exact = exact && word_of(setting) == word;
        });
        if (left > 0 || !exact) in_.bytes(SIZE_MAX);
    }
    void operator()(std::optional<OuterPlace>& outer) {
        bool there = false;
        (*this)(there);
        if (!there) return;
        outer.emplace();
        (*this)(outer->generation);
        (*this)(outer->number);
    }

  private:
    ByteReader& in_;
};

// members(x, visit): every member of x. X may be const.
template <class X, class Visit>
void members(X& x, Visit& visit) {
    using T = std::remove_const_t<X>;
    if constexpr (std::is_same_v<T, Joined>) {
        visit(x.number), visit(x.visitor), visit(x.lane), visit(x.outer), visit(x.bound_only);
    } else if constexpr (std::is_same_v<T, Touch>) {
        visit(x.number);
        if (!visit.is_first_version) visit(x.told.count);
    } else if constexpr (std::is_same_v<T, LeaseSet>) {
        visit(x.number), visit(x.until);
    } else if constexpr (std::is_same_v<T, SetLease>) {
        visit(x.number), visit(x.lease.count);
    } else if constexpr (std::is_same_v<T, Expired>) {
        visit(x.number), visit(x.cause);
    } else if constexpr (std::is_same_v<T, NumberTaken>) {
        visit(x.number), visit(x.visitor);
    } else if constexpr (std::is_same_v<T, Advanced>) {
        visit(x.serving);
    } else if constexpr (std::is_same_v<T, OuterExpired>) {
        visit(x.through);
    } else if constexpr (std::is_same_v<T, Activated>) {
        visit(x.generation);
    } else if constexpr (std::is_same_v<T, Configured> || std::is_same_v<T, Configure>) {
        visit(x.settings);
    } else if constexpr (std::is_same_v<T, StateChanged> || std::is_same_v<T, SetState>) {
        visit(x.to);
    } else if constexpr (std::is_same_v<T, Join>) {
        visit(x.visitor), visit(x.lane), visit(x.outer);
    } else if constexpr (std::is_same_v<T, TakeNumber> || std::is_same_v<T, Seek>) {
        visit(x.visitor);
    } else if constexpr (std::is_same_v<T, CallNext> || std::is_same_v<T, Advance>) {
        visit(x.count);
    } else if constexpr (std::is_same_v<T, Done>) {
        visit(x.called), visit(x.expired), visit(x.left), visit(x.advanced);
    } else if constexpr (std::is_same_v<T, Standing>) {
        visit(x.number), visit(x.state), visit(x.lane), visit(x.line), visit(x.order);
        visit(x.ahead), visit(x.behind), visit(x.joined), visit(x.until), visit(x.is_new);
        visit(x.redeemed);
        if (!visit.is_first_version) visit(x.missed);
    } else if constexpr (std::is_same_v<T, OuterStanding>) {
        visit(x.generation), visit(x.number), visit(x.serving), visit(x.issued);
        visit(x.released), visit(x.is_new);
    } else if constexpr (std::is_same_v<T, Refused>) {
        visit(x.reason);
    } else if constexpr (requires { x.number; }) {
        visit(x.number);
    } else {
        static_assert(std::is_empty_v<T>, "its members must be listed here");
    }
}

// A variant is the index of its alternative and that one's members. New alternatives are added at
// the end of the engine's lists, so an index keeps its meaning.
template <class... Ts>
void write_one(ByteWriter& out, std::string& bytes, const std::variant<Ts...>& one) {
    out.byte(static_cast<std::uint8_t>(one.index()));
    Writer write(bytes);
    std::visit([&](const auto& x) { members(x, write); }, one);
}

template <class... Ts>
void read_one(ByteReader& in, std::uint8_t version, std::variant<Ts...>& one) {
    const std::uint8_t index = in.byte();
    std::size_t at = 0;
    Reader read(in, version);
    const auto try_one = [&]<class T>(std::type_identity<T>) {
        if (at++ != index) return;
        T x;
        members(x, read);
        one = x;
    };
    (try_one(std::type_identity<Ts>{}), ...);
    if (index >= sizeof...(Ts)) in.bytes(SIZE_MAX);
}

} // namespace

std::string write_entry(const LogEntry& entry) {
    std::string bytes;
    ByteWriter out(bytes);
    out.byte(entry_version);
    out.word(entry.after);
    out.word(entry.stamp);
    out.number(entry.facts.size());
    if (!entry.facts.empty()) {
        out.number(entry.facts.front().sequence);
        Instant before = entry.facts.front().at;
        out.word(before.ms);
        for (const Fact& fact : entry.facts) { // Time never goes back.
            out.number(static_cast<std::uint64_t>((fact.at - before).count));
            before = fact.at;
            write_one(out, bytes, fact.what);
        }
    }
    out.number(entry.answers.size());
    for (const AskAnswer& answer : entry.answers) {
        out.word(answer.process);
        out.number(answer.ask);
        write_one(out, bytes, answer.outcome);
    }
    out.byte(entry.profile ? 1 : 0);
    if (entry.profile) out.text(profile_text(*entry.profile));
    out.byte(entry.removed ? 1 : 0);
    return bytes;
}

std::optional<LogEntry> read_entry(std::string_view bytes) {
    ByteReader in(bytes);
    const std::uint8_t version = in.byte();
    if (!is_known(version, entry_version)) return std::nullopt;
    LogEntry entry;
    entry.after = in.word();
    entry.stamp = in.word();
    if (const std::uint64_t facts = in.number(); facts > 0) {
        if (facts > in.left()) return std::nullopt;
        entry.facts.resize(facts);
        std::uint64_t sequence = in.number();
        Instant at{in.signed_word()};
        for (Fact& fact : entry.facts) {
            at = at + Millis{static_cast<std::int64_t>(in.number() & INT64_MAX)};
            fact.sequence = sequence++;
            fact.at = at;
            read_one(in, version, fact.what);
        }
    }
    const std::uint64_t answers = in.number();
    if (answers > in.left()) return std::nullopt;
    entry.answers.resize(answers);
    for (AskAnswer& answer : entry.answers) {
        answer.process = in.word();
        answer.ask = in.number();
        read_one(in, version, answer.outcome);
    }
    const std::uint8_t has_profile = in.byte();
    if (has_profile == 1) {
        entry.profile = profile_of(in.text());
        if (!entry.profile) return std::nullopt;
    }
    const std::uint8_t removed = in.byte();
    entry.removed = removed == 1;
    if (has_profile > 1 || removed > 1 || !in.ok() || !in.at_end()) return std::nullopt;
    return entry;
}

std::string write_presence(const PresenceMarks& marks) {
    std::string bytes;
    ByteWriter out(bytes);
    out.number(marks.size());
    PresenceMark before;
    for (const PresenceMark& mark : marks) { // In order, but each line begins anew.
        if (mark.line != before.line) before.order = 0;
        out.byte(mark.line);
        out.number(mark.order - before.order);
        out.number(mark.callable - before.callable);
        before = mark;
    }
    return bytes;
}

std::optional<PresenceMarks> read_presence(std::string_view bytes) {
    ByteReader in(bytes);
    const std::uint64_t count = in.number();
    if (count > limits::presence_marks_max) return std::nullopt;
    PresenceMarks marks;
    PresenceMark mark;
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        const std::uint8_t line = in.byte();
        if (line < mark.line || line >= Room::lines_max) return std::nullopt;
        if (line != mark.line) mark.order = 0;
        mark.line = line;
        mark.order += in.number();
        mark.callable += in.number();
        const bool is_first = marks.empty() || marks.back().line < mark.line;
        const bool is_after = (is_first || marks.back().order < mark.order) &&
                              (marks.empty() || marks.back().callable <= mark.callable);
        if (!is_after) return std::nullopt;
        marks.push_back(mark);
    }
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return marks;
}

std::string write_ask(const AskMessage& ask) {
    std::string bytes;
    ByteWriter out(bytes);
    out.byte(ask_version);
    out.word(ask.process);
    out.number(ask.id);
    out.word(ask.at.ms);
    out.byte(static_cast<std::uint8_t>(ask.what.index()));
    std::visit(Overload{
                   [&](const AskCommand& asked) {
                       write_one(out, bytes, asked.command);
                       out.text(asked.who);
                   },
                   [&](const AskSeen& seen) {
                       out.number(static_cast<std::uint64_t>(seen.told.count));
                       out.number(seen.numbers.size());
                       Number before = 0;
                       for (const Number number : seen.numbers) {
                           out.number(number - before);
                           before = number;
                       }
                   },
                   [&](const AskProfile& asked) { out.text(profile_text(asked.profile)); },
                   [](const AskRemove&) {},
               },
               ask.what);
    return bytes;
}

std::optional<AskMessage> read_ask(std::string_view bytes) {
    ByteReader in(bytes);
    const std::uint8_t version = in.byte();
    if (!is_known(version, ask_version)) return std::nullopt;
    AskMessage ask;
    ask.process = in.word();
    ask.id = in.number();
    ask.at = Instant{in.signed_word()};
    switch (in.byte()) {
        case 0: {
            AskCommand asked;
            read_one(in, version, asked.command);
            asked.who = in.text();
            ask.what = std::move(asked);
            break;
        }
        case 1: {
            AskSeen seen;
            if (version > 1) seen.told = Millis{static_cast<std::int64_t>(in.number() & INT64_MAX)};
            const std::uint64_t count = in.number();
            if (count > in.left()) return std::nullopt;
            Number number = 0;
            for (std::uint64_t i = 0; i < count; ++i) seen.numbers.push_back(number += in.number());
            ask.what = std::move(seen);
            break;
        }
        case 2: {
            std::optional<Profile> profile = profile_of(in.text());
            if (!profile) return std::nullopt;
            ask.what = AskProfile{*std::move(profile)};
            break;
        }
        case 3: ask.what = AskRemove{}; break;
        default: return std::nullopt;
    }
    if (!in.ok() || !in.at_end()) return std::nullopt;
    return ask;
}

} // namespace anteroom::shared
