// Sums of the lower one of two numbers over the documents above each rank, pair by pair. In short
// lists that is less work than a tree over the levels, as every step fills registers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd.hpp"

namespace skgraded {

// The size of a list decides, and never the machine, since the two orders of summation differ in
// the last digits.
constexpr std::int64_t kLongestByPairs = 256;

class LowerSums {
  static constexpr std::int64_t kAtATime = 4;  // documents above, for one pass over the ranks below

  // Four documents above, and the first rank below each; behind the last document, of no weight.
  struct Above {
    double f[kAtATime], weight[kAtATime];
    std::int64_t from[kAtATime];
  };

 public:
  static constexpr std::int64_t kOverrun = kLanes;  // lanes reach beyond the last rank

  // By rank j < n, sums min(f[m], f[j]) over the ranks m with from[m] <= j, in the order of m, and
  // where they have weights also weight[m] * min(f[m], f[j]). `from` does not fall.
  template <bool kWeighed>
  SKGRADED_ALWAYS_INLINE static void add_up(const double* f, const double* weight,
                                            const std::int64_t* from, std::int64_t n, double* sums,
                                            double* weighed) noexcept {
    for (std::int64_t j = 0; j < n + kOverrun; ++j) sums[j] = 0.0;
    for (std::int64_t j = 0; kWeighed && j < n + kOverrun; ++j) weighed[j] = 0.0;
    for (std::int64_t m = 0; m < n; m += kAtATime) {
      Above above;
      for (std::int64_t i = 0; i < kAtATime; ++i) {
        const bool is_there = m + i < n;
        above.f[i] = is_there ? f[m + i] : 0.0;
        above.weight[i] = kWeighed && is_there ? weight[m + i] : 0.0;
        above.from[i] = is_there ? from[m + i] : n;
      }
      const std::int64_t below_all = std::min(above.from[kAtATime - 1], n);
      std::int64_t j = above.from[0] - above.from[0] % kLanes;
      for (; j < below_all; j += kLanes) add_row<kWeighed, true>(above, j, f, sums, weighed);
      for (; j < n; j += kLanes) add_row<kWeighed, false>(above, j, f, sums, weighed);
    }
  }

 private:
  // Adds the four documents to the sums of eight ranks, of which only some may be below them. A sum
  // that takes nothing takes 0, which leaves its bits.
  template <bool kWeighed, bool kOnlySome>
  SKGRADED_ALWAYS_INLINE static void add_row(const Above& above, std::int64_t j, const double* f,
                                             double* sums, double* weighed) noexcept {
    const double f0 = above.f[0], f1 = above.f[1], f2 = above.f[2], f3 = above.f[3];
    const double w0 = above.weight[0], w1 = above.weight[1];
    const double w2 = above.weight[2], w3 = above.weight[3];
    LaneRow row, with_weight;
    for (int lane = 0; lane < kLanes; ++lane) {
      const double own = f[j + lane];
      double low0 = f0 < own ? f0 : own, low1 = f1 < own ? f1 : own;
      double low2 = f2 < own ? f2 : own, low3 = f3 < own ? f3 : own;
      if (kOnlySome) {
        low0 = above.from[0] <= j + lane ? low0 : 0.0;
        low1 = above.from[1] <= j + lane ? low1 : 0.0;
        low2 = above.from[2] <= j + lane ? low2 : 0.0;
        low3 = above.from[3] <= j + lane ? low3 : 0.0;
      }
      row.lane[lane] = (((sums[j + lane] + low0) + low1) + low2) + low3;
      if (kWeighed)
        with_weight.lane[lane] =
            (((weighed[j + lane] + w0 * low0) + w1 * low1) + w2 * low2) + w3 * low3;
    }
    for (int lane = 0; lane < kLanes; ++lane) sums[j + lane] = row.lane[lane];
    for (int lane = 0; kWeighed && lane < kLanes; ++lane)
      weighed[j + lane] = with_weight.lane[lane];
  }
};

}  // namespace skgraded
