// Retired: memory that the writer has unlinked while readers may still look at it.
//
// The engine knows no threads. It only promises: what a reader could have found stays readable
// until the owner has taken the retired objects out of the room and destroyed them. The owner does
// that once every reader that was inside at the time has left (base/epochs.h).
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace anteroom {

class Retired {
  public:
    template <class T>
    void add(std::unique_ptr<T> object) {
        objects_.emplace_back(object.release(), [](void* p) { delete static_cast<T*>(p); });
    }

    // Moves everything out; the caller decides when it is destroyed.
    [[nodiscard]] Retired take() { return std::exchange(*this, Retired{}); }

    bool empty() const { return objects_.empty(); }
    std::size_t size() const { return objects_.size(); }

  private:
    std::vector<std::unique_ptr<void, void (*)(void*)>> objects_;
};

} // namespace anteroom
