// Sums of the lower one of two numbers over the documents above each rank, pair by pair. In short
// lists that is less work than a tree over the levels, as every step fills registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd.hpp"

namespace skgraded {

// The size of a list decides, and never the machine, since the two orders of summation differ in
// the last digits.
constexpr std::int64_t kLongestByPairs = 256;

class LowerSums {
  static constexpr std::int64_t kAtATime = 4;  // documents above, for one pass over the ranks below
  std::vector<double> so_far_;

 public:
  static constexpr std::int64_t kOverrun = kLanes;  // lanes of f reach beyond the last rank

  explicit LowerSums(std::int64_t longest)
      : so_far_(static_cast<std::size_t>(std::min(longest, kLongestByPairs) + kOverrun)) {}

  // By rank j < n, sums weight[m] * min(f[m], f[j]) over the ranks m with from[m] <= j, in the
  // order of m. `from` does not fall.
  SKGRADED_ALWAYS_INLINE void add_up(const double* f, const double* weight,
                                     const std::int64_t* from, std::int64_t n,
                                     double* sums) noexcept {
    double* so_far = so_far_.data();
    for (std::int64_t j = 0; j < n + kOverrun; ++j) so_far[j] = 0.0;
    std::int64_t done = 0;
    for (std::int64_t m = 0; m < n; m += kAtATime) {
      double above[kAtATime] = {}, share[kAtATime] = {};
      std::int64_t start[kAtATime];
      for (std::int64_t i = 0; i < kAtATime; ++i) {
        const bool is_there = m + i < n;
        above[i] = is_there ? f[m + i] : 0.0;
        share[i] = is_there ? weight[m + i] : 0.0;
        start[i] = is_there ? from[m + i] : n;
      }
      const std::int64_t below_all = std::min(start[kAtATime - 1], n);
      for (; done < below_all; ++done) {
        double sum = so_far[done];
        for (std::int64_t i = 0; i < kAtATime; ++i)
          sum += (start[i] <= done ? share[i] : 0.0) * lower(above[i], f[done]);
        sums[done] = sum;
      }
      // Those of a row that are done already come to no harm.
      for (std::int64_t j = below_all - below_all % kLanes; j < n; j += kLanes) {
        LaneRow row;
        for (int lane = 0; lane < kLanes; ++lane) {
          const double own = f[j + lane];
          row.lane[lane] = (((so_far[j + lane] + share[0] * lower(above[0], own)) +
                             share[1] * lower(above[1], own)) +
                            share[2] * lower(above[2], own)) +
                           share[3] * lower(above[3], own);
        }
        for (int lane = 0; lane < kLanes; ++lane) so_far[j + lane] = row.lane[lane];
      }
    }
    for (; done < n; ++done) sums[done] = so_far[done];
  }

 private:
  SKGRADED_ALWAYS_INLINE static double lower(double a, double b) noexcept { return a < b ? a : b; }
};

}  // namespace skgraded
