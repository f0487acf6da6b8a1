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

}  // namespace skgraded
