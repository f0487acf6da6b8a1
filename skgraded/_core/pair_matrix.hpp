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

  // The matrices of the queries from `first` on.
  PairMatrix from(std::int64_t first) const noexcept {
    return {base, factor + first * n_columns, column, n_columns};
  }
};

// K[a, b] = f(min(a, b)) h(b) + u(a) w(b), by level. f does not fall from level to level, and is 0
// at level 0; f, or u and w, are null where a measure lacks their product, and h where it is 1.
struct PairFactors {
  const double *f = nullptr, *h = nullptr, *u = nullptr, *w = nullptr;
  // From query to query; 0 where all share the numbers, or each has levels of its own.
  std::int64_t f_stride = 0, h_stride = 0;

  const double* f_of(std::int64_t q) const noexcept { return f + q * f_stride; }

  double h_at(std::int64_t level, std::int64_t q = 0) const noexcept {
    return h != nullptr ? h[q * h_stride + level] : 1.0;
  }

  double at(std::int64_t q, std::int32_t a, std::int32_t b) const noexcept {
    const double lower = f == nullptr ? 0.0 : f_of(q)[a < b ? a : b] * h_at(b, q);
    return u == nullptr ? lower : lower + u[a] * w[b];
  }
};

}  // namespace skgraded
