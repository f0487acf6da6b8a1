// Scores as users hand them over: copied, and checked as they are copied.
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

// Returns the place of the first score that is not finite, or -1. What is checked is the copy: the
// caller may rewrite his scores meanwhile.
inline std::int64_t copy_scores(const double* scores, std::int64_t n, double* copy) noexcept {
  constexpr std::int64_t kAtATime = 1024;  // which stay in the nearest cache
  std::int64_t first_bad = -1;
  for (std::int64_t first = 0; first < n; first += kAtATime) {
    const std::int64_t end = std::min(first + kAtATime, n);
    std::copy(scores + first, scores + end, copy + first);
    if (first_bad >= 0 || !any_not_finite(copy + first, end - first)) continue;
    first_bad = first;
    while (std::isfinite(copy[first_bad])) ++first_bad;
  }
  return first_bad;
}

}  // namespace skgraded
