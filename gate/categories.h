// Categories: how often a client may call what, as system U counts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace anteroom::gate {

enum class Category : std::uint8_t { auth, queue, booking, general };
inline constexpr std::size_t category_count = 4;
std::string_view name(Category category);

// Calls per minute and client; 0: no limit.
using CallLimits = std::array<std::uint32_t, category_count>;

// Of an API path, with or without /v1. Nothing: it is not counted (pages, health, auth/me).
std::optional<Category> category_of(std::string_view path);

} // namespace anteroom::gate
