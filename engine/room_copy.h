// RoomCopy: a snapshot being taken while the room goes on.
//
// The room as it was at one moment is copied in pieces, a few at a time, by its writer between
// commands. What a command is about to change and has not been copied yet is copied first; nobody
// waits for more than one chunk. Signs of life are not copied: after a restart everybody's silence
// begins anew.
//
// A piece is one byte that says what it is, and its content (engine/snapshot.cpp writes and reads
// them; docs/formats-ledger.md describes them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/outer_line.h"
#include "engine/roll.h"

namespace anteroom {

enum class Piece : std::uint8_t { head = 'H', tomb = 'T', records = 'R', outer = 'O', end = 'E' };

class RoomCopy {
  public:
    // `head` holds everything that is small, already written.
    RoomCopy(const Roll& roll, const OuterLine& outer, std::vector<std::string> head);

    // About to change.
    void keep_record(Number number) { keep(records_, Roll::chunk_of(number)); }
    void keep_outer(Number number) { keep(outer_, OuterLine::chunk_of(number)); }
    void keep_outer_through(Number number);

    // Appends pieces, at least one and until they have `bytes`; false when none is left.
    bool take(std::vector<std::string>& pieces, std::size_t bytes);

  private:
    // The chunks of one kind that existed at the beginning.
    struct Part {
        std::uint64_t first = 0;
        std::uint64_t next = 0; // Chunks below are copied.
        std::uint64_t last = 0;
        std::vector<bool> kept; // From first: copied before their turn.
        bool has_copied(std::uint64_t chunk) const {
            return chunk < next || chunk >= last || kept[chunk - first];
        }
    };
    void keep(Part& part, std::uint64_t chunk);
    void copy(const Part& part, std::uint64_t chunk, std::vector<std::string>& pieces) const;

    const Roll& roll_;
    const OuterLine& outer_line_;
    std::vector<std::string> early_;
    Part records_;
    Part outer_;
    bool ended_ = false;
};

} // namespace anteroom
