// Shares of the recall base: the value of one document for users who draw a threshold.
#pragma once

#include <cstdint>
#include <vector>

#include "queries.hpp"

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

// The same for queries that have levels of their own, by level: levels borders[q] .. borders[q + 1]
// - 1 are those of query q, and G holds the probability of thresholds up to each. The pools stand
// best level first, and what is at level 0, the grade 0, has no share.
inline void own_expected_shares(const double* G, const std::int32_t* pool, const Queries& pools,
                                const std::int64_t* borders, const double* factor,
                                double* shares) noexcept {
  shares[0] = 0.0 * factor[0];
  for (std::int64_t q = 0; q < pools.count; ++q) {
    std::int64_t i = pools.begin(q);
    for (std::int64_t level = borders[q + 1] - 1; level >= borders[q]; --level) {
      while (i < pools.begin(q + 1) && pool[i] >= level) ++i;
      const std::int64_t recall_base = i - pools.begin(q);
      shares[level] = recall_base > 0 ? 1.0 / static_cast<double>(recall_base) : 0.0;
    }
    double sum = 0.0, before = 0.0;
    for (std::int64_t level = borders[q]; level < borders[q + 1]; ++level) {
      sum += (G[level] - before) * shares[level];
      before = G[level];
      shares[level] = sum * factor[level];
    }
  }
}

}  // namespace skgraded
