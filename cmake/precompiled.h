// What nearly every file includes, parsed once per build instead of once per file. A speed-up only:
// every file still includes what it uses, and the preset `clang` compiles without this header to
// prove it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// libfmt has this function compiled. Without the declaration every file that calls fmt::format_to
// compiles the whole of fmt's formatting again: 100 kB of code and seconds each. clang gives the
// function another symbol than Debian's g++ did, and has to compile it.
#ifndef __clang__
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                                   fmt::format_args, fmt::detail::locale_ref);
#endif
