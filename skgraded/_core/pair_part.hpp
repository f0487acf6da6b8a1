// The pair part of a measure: the sum of K * M over the pairs of levels, M being the pair moments.
#pragma once

#include <cstdint>

namespace skgraded {

// One pair after the other: pairs of levels that a query lacks add zeros, so that a query's value
// has the same bits on a scale of any length.
inline void pair_part(const double* pairs, const double* moments, std::int64_t n_queries,
                      std::int64_t n_pairs, double* value) noexcept {
  for (std::int64_t q = 0; q < n_queries; ++q) {
    double sum = 0.0;
    for (std::int64_t i = q * n_pairs; i < (q + 1) * n_pairs; ++i) sum += pairs[i] * moments[i];
    value[q] = sum;
  }
}

}  // namespace skgraded
