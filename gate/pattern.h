// Pattern: which paths a rule is about. "/api/seats/events/{event:uuid}/**".
//
// A segment is a text, `*` (any one), `{event}` (any one, captured), `{event:uuid}` (a UUID,
// captured in small letters) or, as the last one, `**` (the rest, also nothing).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gate/path.h"

namespace anteroom::gate {

enum class PieceKind : std::uint8_t { text, any, event, event_uuid, rest };

struct Piece {
    PieceKind kind;
    std::string text; // Of a text.
};

enum class LetterCase : std::uint8_t { counts, ignored };

class Pattern {
  public:
    static Result<Pattern> parse(std::string_view text);

    // Whether the path fits. `event` is set to the captured segment, as it stands in the path, or
    // to nothing.
    bool matches(const CleanPath& path, LetterCase letters,
                 std::optional<std::string_view>& event) const;

    // Every path of the other one is also ours.
    bool covers(const Pattern& other) const;

    bool captures() const;
    bool is_everything() const;
    std::span<const Piece> pieces() const { return pieces_; }

  private:
    std::vector<Piece> pieces_;
};

} // namespace anteroom::gate
