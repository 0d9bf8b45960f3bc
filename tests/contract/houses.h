// The stores under contract: a house is one kind of store with the processes that use it.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/contract/process.h"

namespace anteroom::contract {

enum class HouseKind : std::uint8_t {
    memory,
    embedded,
    redis,         // One server, three processes.
    redis_replica, // One server with a replica that must confirm, three processes.
    redis_cluster, // Three primaries with a replica each, three processes.
};
const char* name(HouseKind kind);
// For the names of tests.
inline void PrintTo(HouseKind kind, std::ostream* out) { // NOLINT(readability-identifier-naming)
    *out << name(kind);
}
std::vector<HouseKind> house_kinds();

class House {
  public:
    // Opened when it is first asked for, closed after the last test.
    static House& of(HouseKind kind);
    virtual ~House() = default;

    std::size_t processes() const { return processes_.size(); }
    Process& process(std::size_t i) { return *processes_[i]; }
    std::string fresh_room_id() { return "room-" + std::to_string(++rooms_); }
    // How many random sequences it is worth.
    std::uint64_t random_rounds() const { return processes() > 1 ? 8 : 20; }

  protected:
    std::vector<std::unique_ptr<Process>> processes_;

  private:
    std::uint64_t rooms_ = 0;
};

} // namespace anteroom::contract
