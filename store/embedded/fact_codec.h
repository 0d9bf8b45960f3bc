// How a fact stands in a row of the ledger (docs/formats-ledger.md), and its sum.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/fact.h"

namespace anteroom::embedded {

// The columns that depend on the kind of fact. -1 stands for null.
struct FactColumns {
    std::int64_t kind = 0;
    std::int64_t number = -1;
    std::optional<VisitorKey> visitor;
    std::int64_t detail = -1;
    std::string text; // Instead of `detail`: the settings of a `configured`.
    std::int64_t outer = -1;
};

FactColumns columns_of(const Happening& what);
// Nothing when there is no such fact.
std::optional<Happening> happening_of(const FactColumns& columns);

struct FactKind {
    std::int64_t kind;
    const char* name;
};
inline constexpr FactKind fact_kinds[] = {
    {1, "joined"},       {2, "called"},      {3, "claimed"},        {4, "finished"},
    {5, "leaving"},      {6, "returned"},    {7, "left"},           {8, "expired"},
    {9, "number_taken"}, {10, "advanced"},   {11, "outer_expired"}, {12, "activated"},
    {13, "deactivated"}, {14, "configured"}, {15, "state_changed"}, {16, "cleared"},
    {17, "redeemed"},    {18, "lease_set"},
};

// The whole row.
struct FactRow {
    std::uint64_t fact = 0;
    std::uint32_t room = 0;
    std::uint64_t sequence = 0;
    Instant at;
    FactColumns columns;
    std::string_view who;
};

// The sum of a row whose predecessor has the sum `before`.
std::uint32_t sum_of(const FactRow& row, std::uint32_t before);

// The 16 bytes of a visitor's key as they are stored.
std::string bytes_of(const VisitorKey& key);
std::optional<VisitorKey> key_of(std::string_view bytes);

} // namespace anteroom::embedded
