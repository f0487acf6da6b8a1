// Reading of one query: the slot of each rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lambda_task.hpp"
#include "tie_orders.hpp"
#include "tie_shares.hpp"

namespace skgraded {

template <class Level>
bool has_ties(const LambdaTask<Level>& task, std::int64_t q) noexcept {
  const std::uint8_t* tied = task.tied + task.queries.begin(q);
  std::uint8_t any = 0;
  for (std::int64_t i = 0; i < task.queries.size(q); ++i) any |= tied[i];
  return any != 0;
}

constexpr std::int64_t kFewSlots = 16;

// Collects the levels of a query in ascending order, and tabulates their slots.
template <class Level>
std::int64_t collect_levels(const Level* level, std::int64_t n, LambdaSpace& space) noexcept {
  std::int32_t *slot_of = space.slot_of_level.data(), *levels = space.levels.data();
  std::int64_t n_slots = 0;
  std::int32_t lowest = INT32_MAX, highest = 0;  // above level 0
  for (std::int64_t i = 0; i < n; ++i) {
    const auto found = static_cast<std::int32_t>(level[i]);
    if (slot_of[found] >= 0) continue;
    slot_of[found] = 0;
    levels[n_slots++] = found;
    if (found > 0) lowest = std::min(lowest, found);
    highest = std::max(highest, found);
  }
  // Levels that a query has of its own follow one another, and need no sorting.
  if (n_slots > kFewSlots && highest - lowest < 2 * n_slots) {
    n_slots = 0;
    if (slot_of[0] >= 0) levels[n_slots++] = 0;
    for (std::int32_t found = lowest; found <= highest; ++found)
      if (slot_of[found] >= 0) levels[n_slots++] = found;
  } else {
    std::sort(levels, levels + n_slots);
  }
  for (std::int64_t s = 0; s < n_slots; ++s) slot_of[levels[s]] = static_cast<std::int32_t>(s);
  return n_slots;
}

template <class Level>
RankedSlots read_slots(const LambdaTask<Level>& task, std::int64_t q, TieOrder ties,
                       LambdaSpace& space) noexcept {
  const std::int64_t begin = task.queries.begin(q), n = task.queries.size(q);
  std::int32_t *slot_of = space.slot_of_level.data(), *own = space.own_slot.data();
  const Level* level = task.level + begin;
  const std::int64_t n_slots = collect_levels(level, n, space);
  for (std::int64_t i = 0; i < n; ++i) own[i] = slot_of[level[task.order[begin + i]]];
  for (std::int64_t s = 0; s < n_slots; ++s)
    slot_of[space.levels[static_cast<std::size_t>(s)]] = -1;
  order_ties(ties, task.tied + begin, n, own, space.slot.data());
  return {{own, task.tied + begin, n}, space.slot.data(), n_slots};
}

}  // namespace skgraded
