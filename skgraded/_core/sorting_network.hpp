// Sorting network: eight lists side by side, one a lane, through the same exchanges.
#pragma once

#include <algorithm>
#include <cstdint>

// Wider registers are chosen when the program runs, so one build serves every x86-64 machine.
#if defined(__x86_64__) && defined(__GNUC__)
#define SKGRADED_HAS_AVX_VARIANT 1
#define SKGRADED_ALWAYS_INLINE [[gnu::always_inline]] inline
#else
#define SKGRADED_HAS_AVX_VARIANT 0
#define SKGRADED_ALWAYS_INLINE inline
#endif

namespace skgraded {

constexpr int kLanes = 8;

// One document of each list: a cache line.
struct alignas(64) LaneRow {
  double lane[kLanes];
};

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

inline void sort_lanes_plain(LaneRow* rows, std::int64_t n) noexcept { merge_exchange(rows, n); }

#if SKGRADED_HAS_AVX_VARIANT

[[gnu::target("avx")]] inline void sort_lanes_avx(LaneRow* rows, std::int64_t n) noexcept {
  merge_exchange(rows, n);
}

inline bool has_avx() noexcept { return __builtin_cpu_supports("avx") != 0; }

#endif

// Sorts every lane ascending, for any number of rows. The lanes hold no NaN.
inline void sort_lanes(LaneRow* rows, std::int64_t n) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (has_avx()) return sort_lanes_avx(rows, n);
#endif
  sort_lanes_plain(rows, n);
}

}  // namespace skgraded
