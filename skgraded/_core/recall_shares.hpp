// Shares of the recall base: the value of one document for users who draw a threshold.
#pragma once

#include <cstdint>
#include <vector>

namespace skgraded {

// The probabilities g of the thresholds 1, 2, ..., n, and for each the lowest level whose grade
// reaches it.
struct Thresholds {
  const double* g;
  const std::int32_t* level;
  std::int64_t n;
};

// By query and level i: factor[i] times the sum of g_k / RB(k) over the thresholds k up to the
// grade, where RB(k) > 0 counts the judged documents that reach k. The sum runs over thresholds and
// not over levels, so that its bits do not depend on which grades occur.
inline void expected_shares(const std::int64_t* counts, std::int64_t n_queries,
                            std::int64_t n_levels, const Thresholds& thresholds,
                            const double* factor, double* shares) {
  std::vector<double> space(static_cast<std::size_t>(n_levels));
  double* inverse = space.data();  // 1 / RB by level
  for (std::int64_t q = 0; q < n_queries; ++q, counts += n_levels, shares += n_levels) {
    std::int64_t recall_base = 0;
    for (std::int64_t level = n_levels - 1; level >= 0; --level) {
      recall_base += counts[level];
      inverse[level] = recall_base > 0 ? 1.0 / static_cast<double>(recall_base) : 0.0;
    }
    double sum = 0.0;
    shares[0] = 0.0;
    for (std::int64_t k = 0; k < thresholds.n; ++k) {
      const std::int32_t level = thresholds.level[k];
      sum += thresholds.g[k] * inverse[level];
      shares[level] = sum;  // the last threshold that a level reaches is its grade
    }
    for (std::int64_t level = 0; level < n_levels; ++level) shares[level] *= factor[level];
  }
}

}  // namespace skgraded
