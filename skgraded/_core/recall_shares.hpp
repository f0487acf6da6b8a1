// Shares of the recall base: the value of one document for users who draw a threshold.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "own_levels.hpp"
#include "queries.hpp"
#include "simd.hpp"

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

// Multiplies numbers by 1 / divisor, or by 0 where that is 0.
inline void divide(double* numbers, const double* divisors, std::int64_t n,
                   Registers registers) noexcept {
  run_in(registers, [=]() SKGRADED_INLINE_BODY {
    for (std::int64_t i = 0; i < n; ++i) {
      const double divisor = divisors[i];
      const double inverse = 1.0 / (divisor > 0.0 ? divisor : 1.0);  // without a branch
      numbers[i] *= divisor > 0.0 ? inverse : 0.0;
    }
    return 0;
  });
}

// The same for queries that have levels of their own, by level: G is the probability of thresholds
// up to their grades. What is at level 0, the grade 0, has no share. Shares are divided by G where
// `divided` says so.
inline void own_expected_shares(const double* G, const std::int32_t* level, const Queries& queries,
                                const std::int64_t* borders, bool divided, double* shares,
                                Registers registers = widest_registers()) {
  std::vector<double> reciprocals = {0.0};  // by recall base
  for (std::int64_t n = 1; n <= queries.longest(); ++n)
    reciprocals.push_back(1.0 / static_cast<double>(n));
  OwnCounts counts(level, queries, borders);
  shares[0] = 0.0;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::int32_t* count = counts.of(q) + 1;
    const std::int64_t n_levels = borders[q + 1] - borders[q];
    std::int64_t recall_base = std::accumulate(count, count + n_levels, std::int64_t{0});
    double sum = 0.0, before = 0.0;
    for (std::int64_t i = 0; i < n_levels; ++i) {
      const std::int64_t own = borders[q] + i;
      sum += (G[own] - before) * reciprocals[static_cast<std::size_t>(recall_base)];
      before = G[own];
      shares[own] = sum;
      recall_base -= count[i];
    }
  }
  if (divided) divide(shares, G, borders[queries.count], registers);
}

}  // namespace skgraded
