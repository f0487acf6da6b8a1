// The weights of the ranks of a tied block, as they enter the pair moments.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skgraded {

struct BlockWeights {
  double p0 = 0.0;  // sum of p over the block's ranks
  double p1 = 0.0;  // the same, each p times the share of the block's other documents above it
};

// Ranks first .. end - 1 are tied; those from `last` on have no weight.
inline BlockWeights block_weights(const double* weight, std::int64_t first, std::int64_t end,
                                  std::int64_t last) noexcept {
  BlockWeights sums;
  const auto others = static_cast<double>(end - first - 1);
  for (std::int64_t i = first; i < std::min(end, last); ++i) {
    sums.p0 += weight[i];
    sums.p1 += weight[i] * (static_cast<double>(i - first) / others);
  }
  return sums;
}

}  // namespace skgraded
