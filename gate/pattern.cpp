#include "gate/pattern.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "net/text.h"

namespace anteroom::gate {
namespace {

// What CleanPath lets through and needs no encoding, so that a rule reads like the path it means.
bool is_literal(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return c > 0x20 && c < 0x7f &&
               std::string_view("\"<>#\\;%?*{}").find(c) == std::string_view::npos;
    });
}

Result<Piece> piece_of(std::string_view text) {
    if (text == "*") return Piece{PieceKind::any, {}};
    if (text == "**") return Piece{PieceKind::rest, {}};
    if (text == "{event}") return Piece{PieceKind::event, {}};
    if (text == "{event:uuid}") return Piece{PieceKind::event_uuid, {}};
    const std::string quoted = '"' + std::string(text) + '"';
    if (text.empty()) return Fault{"has an empty segment"};
    if (text == "." || text == "..") return Fault{"has the segment " + quoted};
    if (text.size() > segment_bytes_max) return Fault{"has an overlong segment"};
    if (!is_literal(text))
        return Fault{"has the segment " + quoted +
                     "; there are plain texts, *, **, {event} and {event:uuid}"};
    return Piece{PieceKind::text, std::string(text)};
}

bool captures_event(const Piece& piece) {
    return piece.kind == PieceKind::event || piece.kind == PieceKind::event_uuid;
}

bool fits(const Piece& piece, std::string_view segment, LetterCase letters) {
    switch (piece.kind) {
        case PieceKind::text:
            return letters == LetterCase::counts ? piece.text == segment
                                                 : same_letters(segment, piece.text);
        case PieceKind::event_uuid: return is_uuid(segment);
        case PieceKind::any:
        case PieceKind::event:
        case PieceKind::rest: return true;
    }
    return false;
}

// Every segment that fits the narrow one fits the wide one.
bool covers_piece(const Piece& wide, const Piece& narrow) {
    if (wide.kind == PieceKind::any || wide.kind == PieceKind::event) return true;
    if (narrow.kind == PieceKind::text) return fits(wide, narrow.text, LetterCase::counts);
    return wide.kind == narrow.kind;
}

} // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
    if (!text.starts_with('/')) return Fault{"must begin with a slash"};
    if (text.size() > path_bytes_max) return Fault{"is overlong"};
    Pattern pattern;
    text.remove_prefix(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('/'), text.size());
        Result<Piece> piece = piece_of(text.substr(0, end));
        if (!piece) return piece.fault();
        if (!pattern.pieces_.empty() && pattern.pieces_.back().kind == PieceKind::rest)
            return Fault{"has something behind **"};
        if (captures_event(*piece) && pattern.captures()) return Fault{"captures {event} twice"};
        pattern.pieces_.push_back(*std::move(piece));
        if (end + 1 == text.size()) return Fault{"ends with a slash; it fits with and without"};
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (pattern.pieces_.size() > segments_max) return Fault{"has too many segments"};
    const auto is = [&](std::size_t at, std::string_view literal) {
        return at < pattern.pieces_.size() && pattern.pieces_[at].kind == PieceKind::text &&
               net::equals_ignoring_case(pattern.pieces_[at].text, literal);
    };
    if (is(0, "api") && is(1, "v1"))
        return Fault{"names the version; write /api/… for /api/v1/…, too"};
    return pattern;
}

bool Pattern::matches(const CleanPath& path, LetterCase letters,
                      std::optional<std::string_view>& event) const {
    event.reset();
    const bool open = !pieces_.empty() && pieces_.back().kind == PieceKind::rest;
    const std::size_t fixed = pieces_.size() - (open ? 1 : 0);
    if (open ? path.size() < fixed : path.size() != fixed) return false;
    for (std::size_t at = 0; at < fixed; ++at) {
        if (!fits(pieces_[at], path[at], letters)) return false;
        if (captures_event(pieces_[at])) event = path[at];
    }
    return true;
}

bool Pattern::covers(const Pattern& other) const {
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
        if (pieces_[at].kind == PieceKind::rest) return true;
        if (at == other.pieces_.size() || other.pieces_[at].kind == PieceKind::rest) return false;
        if (!covers_piece(pieces_[at], other.pieces_[at])) return false;
    }
    return pieces_.size() == other.pieces_.size();
}

bool Pattern::captures() const {
    return std::ranges::any_of(pieces_, captures_event);
}

bool Pattern::is_everything() const {
    return pieces_.size() == 1 && pieces_.front().kind == PieceKind::rest;
}

} // namespace anteroom::gate
