// Scratch: room for kernels that keep one number per document of a query while they walk it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

// Calls body(q, scratch) for every query q; scratch has room for one number per document, and one.
// All of it is allocated before the threads start, since they must not throw.
template <class Body>
void for_queries_with_scratch(const Queries& queries, int n_threads, const Body& body) {
  std::int64_t longest = 0;
  for (std::int64_t q = 0; q < queries.count; ++q) longest = std::max(longest, queries.size(q));
  const int n_slices = slices_for(queries, n_threads);
  const auto room = static_cast<std::size_t>(longest + 1);
  std::vector<double> scratch(static_cast<std::size_t>(n_slices) * room);
  run_slices(n_slices, [&](int slice) noexcept {
    double* own = scratch.data() + static_cast<std::size_t>(slice) * room;
    const std::int64_t last = slice_begin(queries, slice + 1, n_slices);
    for (std::int64_t q = slice_begin(queries, slice, n_slices); q < last; ++q) body(q, own);
  });
}

}  // namespace skgraded
