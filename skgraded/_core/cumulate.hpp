// Prefix sums that start anew with every query, so that they do not depend on other queries.
#pragma once

#include <cstdint>

#include "queries.hpp"

namespace skgraded {

inline void cumulate(const double* values, const Queries& queries, double* sums) noexcept {
  for (std::int64_t q = 0; q < queries.count; ++q) {
    double sum = 0.0;
    for (std::int64_t i = queries.begin(q); i < queries.begin(q) + queries.size(q); ++i)
      sums[i] = sum += values[i];
  }
}

}  // namespace skgraded
