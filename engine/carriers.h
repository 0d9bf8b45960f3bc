// Carriers: the number in the inner line that carries this outer order. 8 bytes per order in use.
#pragma once

#include <array>
#include <cstdint>

#include "base/check.h"
#include "engine/retired.h"
#include "engine/visitor.h"
#include "engine/window.h"

namespace anteroom {

class Carriers {
  public:
    explicit Carriers(Retired& retired) : chunks_(retired) {}

    Number at(std::uint64_t order) const {
        const Chunk* chunk = chunks_.at(order >> chunk_bits);
        return chunk ? chunk->numbers[order & (chunk_size - 1)] : 0;
    }

    void add(std::uint64_t order, Number number) {
        Chunk& chunk = chunks_.ensure(order >> chunk_bits);
        Number& slot = chunk.numbers[order & (chunk_size - 1)];
        CHECK(slot == 0);
        slot = number;
        ++chunk.used;
    }

    void remove(std::uint64_t order) {
        Chunk* chunk = chunks_.at(order >> chunk_bits);
        CHECK(chunk && chunk->numbers[order & (chunk_size - 1)] != 0);
        chunk->numbers[order & (chunk_size - 1)] = 0;
        if (--chunk->used == 0) chunks_.drop(order >> chunk_bits);
    }

  private:
    static constexpr unsigned chunk_bits = 8;
    static constexpr std::size_t chunk_size = std::size_t{1} << chunk_bits;
    struct Chunk {
        std::array<Number, chunk_size> numbers{};
        std::uint32_t used = 0;
    };
    Window<Chunk> chunks_;
};

} // namespace anteroom
