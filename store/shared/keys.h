// The names of a room's keys in Redis. All of one room share a hash tag, so they live in one slot
// (docs/formats-redis.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anteroom::shared {

inline constexpr int format_version = 1;

class RoomKeys {
  public:
    explicit RoomKeys(std::string_view room) : tag_("{" + std::string(room) + "}:") {}

    std::string head() const { return tag_ + "head"; } // HASH: where the log ends.
    std::string log() const { return tag_ + "log"; }   // STREAM: the entries.
    std::string writer() const {
        return tag_ + "writer";
    } // STRING: the writing process, with an expiry.
    std::string asks() const { return tag_ + "asks"; }   // STREAM: asks for the writer.
    std::string queue() const { return tag_ + "queue"; } // ZSET: waiting visitors, in order.
    std::string active() const {
        return tag_ + "active";
    } // ZSET: visitors inside, by end of lease.
    std::string members() const { return tag_ + "members"; }     // HASH: number to visitor.
    std::string threshold() const { return tag_ + "threshold"; } // STRING: the capacity.
    std::string snapshot() const {
        return tag_ + "snapshot";
    } // HASH: position, stamp and pieces of it.
    std::string snapshot_pieces(std::uint64_t position) const { // LIST: its bytes.
        return tag_ + "snapshot:" + std::to_string(position);
    }
    std::string news() const { return tag_ + "news"; } // Channel.

  private:
    std::string tag_;
};

// What all rooms share, in one slot of its own. No room can have this tag: it has a space.
inline const std::string registry_rooms = "{anteroom rooms}:index";     // HASH: id to index.
inline const std::string registry_version = "{anteroom rooms}:version"; // Counts changes.
inline const std::string registry_next = "{anteroom rooms}:next";       // Indexes given out.
inline const std::string registry_free = "{anteroom rooms}:free";       // LIST: given back.
inline const std::string registry_keys = "{anteroom rooms}:keys";       // Whose signatures count.
inline const std::string registry_audit = "{anteroom rooms}:audit"; // STREAM: acts of operators.
inline const std::string registry_news = "{anteroom rooms}:news";   // Channel.

} // namespace anteroom::shared
