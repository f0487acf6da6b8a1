// Scores as users pass them: copied, and checked while they are copied.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sort_keys.hpp"

namespace skgraded {

// Whether any is infinite or nan: one more in the exponent would flow over into the sign.
inline bool any_not_finite(const double* values, std::int64_t n) noexcept {
  constexpr std::uint64_t kAllButSign = ~std::uint64_t{0} >> 1, kOneMore = std::uint64_t{1} << 52;
  std::uint64_t any = 0;
  for (std::int64_t i = 0; i < n; ++i) any |= (bits_of(values[i]) & kAllButSign) + kOneMore;
  return (any >> 63) != 0;
}

constexpr std::int64_t kScoresAtATime = 1024;  // which stay in the nearest cache

inline std::int64_t first_not_finite(const double* values) noexcept {
  std::int64_t first = 0;
  while (std::isfinite(values[first])) ++first;
  return first;
}

// Copies the score of row i to places[i], or to i where there are no places. Returns the first row
// whose score is not finite, or -1. The copy is checked, because the caller may rewrite the scores.
inline std::int64_t copy_scores(const double* scores, const std::int64_t* places, std::int64_t n,
                                double* copy) noexcept {
  double part[kScoresAtATime];
  std::int64_t first_bad = -1;
  for (std::int64_t first = 0; first < n; first += kScoresAtATime) {
    const std::int64_t size = std::min(kScoresAtATime, n - first);
    double* own = places == nullptr ? copy + first : part;
    std::copy_n(scores + first, size, own);
    if (first_bad < 0 && any_not_finite(own, size)) first_bad = first + first_not_finite(own);
    for (std::int64_t i = 0; places != nullptr && i < size; ++i) copy[places[first + i]] = own[i];
  }
  return first_bad;
}

}  // namespace skgraded
