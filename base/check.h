// CHECK: an assertion that stays on in production.
//
// For bugs and broken durability only: a domain "no" is an outcome, a failing world is a value.
// A failed CHECK prints its condition, file and line, and aborts.
#pragma once

namespace anteroom {

[[noreturn]] void check_failed(const char* claim, const char* file, int line) noexcept;

} // namespace anteroom

#define CHECK(claim)                                              \
    do {                                                          \
        if (!(claim)) [[unlikely]]                                \
            ::anteroom::check_failed(#claim, __FILE__, __LINE__); \
    } while (false)
