// The pair matrices K of all queries in compact form.
#pragma once

#include <cstdint>

namespace skgraded {

// The matrix K of every query: K[q, a, b] = base[a, b] * factor[q, column[a, b]].
struct PairMatrix {
  const double* base = nullptr;  // null where a measure has no pairs
  const double* factor = nullptr;
  const std::int32_t* column = nullptr;
  std::int64_t n_columns = 0;  // of factor

  double at(std::int64_t q, std::int64_t cell) const noexcept {
    return base[cell] * factor[q * n_columns + column[cell]];
  }
};

// K[a, b] = f(min(a, b)) h(b) + u(a) w(b), by levels that each query has of its own. f does not
// fall from level to level, and is 0 at level 0; f and h, or u and w, are null where a measure
// lacks their product.
struct PairFactors {
  const double *f = nullptr, *h = nullptr, *u = nullptr, *w = nullptr;
};

}  // namespace skgraded
