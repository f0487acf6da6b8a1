// Sorting network: eight lists side by side, one a lane, through the same exchanges.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd.hpp"

namespace skgraded {

// Both selections are single instructions (minimum and maximum) where the lanes fill registers.
SKGRADED_ALWAYS_INLINE void order_rows(LaneRow& upper, LaneRow& lower) noexcept {
  for (int j = 0; j < kLanes; ++j) {
    const double x = upper.lane[j];
    const double y = lower.lane[j];
    upper.lane[j] = x < y ? x : y;
    lower.lane[j] = y < x ? x : y;
  }
}

// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M).
SKGRADED_ALWAYS_INLINE void merge_exchange(LaneRow* rows, std::int64_t n) noexcept {
  std::int64_t top = 1;
  while (2 * top < n) top *= 2;
  for (std::int64_t p = top; p > 0; p /= 2) {
    std::int64_t distance = p;
    for (std::int64_t q = top, start = 0;; q /= 2, start = p) {
      for (std::int64_t run = start; run < n - distance; run += 2 * p) {
        const std::int64_t end = std::min(run + p, n - distance);
        for (std::int64_t i = run; i < end; ++i) order_rows(rows[i], rows[i + distance]);
      }
      if (q == p) break;
      distance = q - p;
    }
  }
}

// Sorts every lane ascending, for any number of rows. The lanes hold no NaN. The widest registers
// would be slower.
inline void sort_lanes(LaneRow* rows, std::int64_t n,
                       Registers registers = widest_registers()) noexcept {
  run_in(std::min(registers, Registers::kAvx2),
         [rows, n]() SKGRADED_INLINE_BODY { merge_exchange(rows, n); });
}

}  // namespace skgraded
