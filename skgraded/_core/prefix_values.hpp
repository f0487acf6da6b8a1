// Values of a measure of the prefix form, from the sums that its ranking enters through.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pair_matrix.hpp"

namespace skgraded {

// Sums of K * M of several queries side by side, as one sum waits for each of its additions. Cell
// after cell: levels that a query lacks add zeros, so that a query's value has the same bits on a
// scale of any length.
template <int kQueries>
void sum_pairs(const PairMatrix& K, const double* moments, std::int64_t n_cells, std::int64_t q,
               double* value) noexcept {
  double sum[kQueries] = {};
  for (std::int64_t cell = 0; cell < n_cells; ++cell)
    for (int j = 0; j < kQueries; ++j)
      sum[j] += K.at(q + j, cell) * moments[(q + j) * n_cells + cell];
  std::copy_n(sum, kQueries, value + q);
}

// The sum of K * M over the pairs of levels, M being the pair moments.
inline void pair_part(const PairMatrix& K, const double* moments, std::int64_t n_queries,
                      std::int64_t n_cells, double* value) noexcept {
  constexpr int kTogether = 4;
  std::int64_t q = 0;
  for (; q + kTogether <= n_queries; q += kTogether)
    sum_pairs<kTogether>(K, moments, n_cells, q, value);
  for (; q < n_queries; ++q) sum_pairs<1>(K, moments, n_cells, q, value);
}

// A number of every query, or one for all of them.
struct ByQuery {
  const double* values;
  bool shared;

  double of(std::int64_t q) const noexcept { return values[shared ? 0 : q]; }
};

// value = constant + scale * gain + pairs; a part that the measure lacks is null. `value` holds the
// pair part on entry, where there is one.
struct PrefixSums {
  ByQuery constant;
  ByQuery scale;
  const double* gain;
  bool has_pairs;

  void add_up(std::int64_t n_queries, double* value) const noexcept {
    for (std::int64_t q = 0; q < n_queries; ++q) {
      double sum = 0.0 + constant.of(q);
      if (gain != nullptr) sum += scale.of(q) * gain[q];
      if (has_pairs) sum += value[q];
      value[q] = sum;
    }
  }
};

// The value divided by that of the ideal ranking; 0 where that is not above 0. Values that rounding
// alone puts above the ideal one are the ideal one.
inline double relative_value(double value, double best) noexcept {
  constexpr double kRounding = 1e-9;
  if (!(best > 0.0)) return 0.0;
  const double ratio = value / best;
  return ratio > 1.0 && ratio <= 1.0 + kRounding ? 1.0 : ratio;
}

// Divides by the ideal value where one is given (not null), and puts `empty` where nothing is
// relevant.
inline void normalize(const double* best, const std::uint8_t* relevant, double empty,
                      std::int64_t n_queries, double* value) noexcept {
  for (std::int64_t q = 0; q < n_queries; ++q) {
    if (best != nullptr) value[q] = relative_value(value[q], best[q]);
    if (relevant[q] == 0) value[q] = empty;
  }
}

}  // namespace skgraded
