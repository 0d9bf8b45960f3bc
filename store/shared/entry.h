// LogEntry: what one writing of a room's log says; AskMessage: what one process asks of the one
// that writes. Both as bytes: docs/formats-redis.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/command.h"
#include "engine/fact.h"
#include "engine/outcome.h"
#include "engine/presence_marks.h"
#include "service/profile.h"

namespace anteroom::shared {

// An answer to an ask of another process.
struct AskAnswer {
    std::uint64_t process = 0;
    std::uint64_t ask = 0;
    Outcome outcome;
};

// Entries form a chain: each names the stamp of the one before. A stamp is drawn at random, so an
// entry that was lost in a failover and replaced by another does not go unnoticed.
struct LogEntry {
    std::uint64_t after = 0;
    std::uint64_t stamp = 0;
    Facts facts; // With sequences that follow each other.
    std::vector<AskAnswer> answers;
    std::optional<Profile> profile; // The room has this profile from now on.
    bool removed = false;           // This was the last entry.
};

std::string write_entry(const LogEntry& entry);
std::optional<LogEntry> read_entry(std::string_view bytes);

struct AskCommand {
    Command command;
    std::string who; // The visitor's own name; empty: there is none.
};
struct AskSeen {
    std::vector<Number> numbers; // In order.
    Millis told{0};              // How soon all of them were told to ask again; 0: not known.
};
struct AskProfile {
    Profile profile;
};
struct AskRemove {};

struct AskMessage {
    std::uint64_t process = 0;
    std::uint64_t id = 0; // 0: the asking process wants no answer.
    Instant at;           // The writer refuses an ask that is older than `patience`.
    std::variant<AskCommand, AskSeen, AskProfile, AskRemove> what;
};

// The writer's summary of the absent visitors for the other processes; published, not logged.
std::string write_presence(const PresenceMarks& marks);
std::optional<PresenceMarks> read_presence(std::string_view bytes);

std::string write_ask(const AskMessage& ask);
std::optional<AskMessage> read_ask(std::string_view bytes);

} // namespace anteroom::shared
