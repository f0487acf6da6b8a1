// The order of tied documents in training, where at first all documents tie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "queries.hpp"
#include "splitmix.hpp"

namespace skgraded {

// All but kRows arrange the grades of a block and so do not depend on the order of the rows.
enum class TieOrder : int { kRows, kMixed, kWorstFirst, kBestFirst };

// Shuffles the slots of a block; they themselves are the seed.
inline void shuffle(std::int32_t* sorted, std::int64_t n) noexcept {
  std::uint64_t state = static_cast<std::uint64_t>(n);
  for (std::int64_t i = 0; i < n; ++i) state = mix(state ^ static_cast<std::uint64_t>(sorted[i]));
  for (std::int64_t i = n - 1; i > 0; --i) {
    state = mix(state);
    std::swap(sorted[i], sorted[state % static_cast<std::uint64_t>(i + 1)]);
  }
}

inline void order_block(TieOrder ties, std::int32_t* slot, std::int64_t n) noexcept {
  std::sort(slot, slot + n);
  if (ties == TieOrder::kMixed) shuffle(slot, n);
  if (ties == TieOrder::kBestFirst) std::reverse(slot, slot + n);
}

// slot[i] = the level that counts at rank i, where a document of level own_slot[i] stands.
inline void order_ties(TieOrder ties, const std::uint8_t* tied, std::int64_t n,
                       const std::int32_t* own_slot, std::int32_t* slot) noexcept {
  std::copy_n(own_slot, n, slot);
  if (ties == TieOrder::kRows) return;
  const RankedList<std::int32_t> list{own_slot, tied, n};
  for (std::int64_t first = 0, end; first < n; first = end) {
    end = list.block_end(first);
    if (end - first > 1) order_block(ties, slot + first, end - first);
  }
}

}  // namespace skgraded
