// Scratch: room for kernels that keep numbers per document of a query while they walk it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

// Some arrays with room for one number per document of the longest query, and one. They are left
// uninitialized: what is not used takes no memory.
class Scratch {
 public:
  Scratch(std::int64_t longest, int n_arrays)
      : room_(longest + 1),
        values_(new double[static_cast<std::size_t>(room_) * static_cast<std::size_t>(n_arrays)]) {}

  double* array(int i) noexcept { return values_.get() + i * room_; }

 private:
  std::int64_t room_;
  std::unique_ptr<double[]> values_;
};

// Calls body(q, scratch) for every query q. All scratch is allocated before the threads start,
// since they must not throw. Its arrays have room for at least `least` numbers.
template <class Body>
void for_queries_with_scratch(const Queries& queries, std::int64_t n_threads, int n_arrays,
                              const Body& body, std::int64_t least = 0) {
  const std::int64_t longest = std::max(least, queries.longest());
  const int n_slices = slices_for(queries, n_threads);
  std::vector<Scratch> scratch;
  scratch.reserve(static_cast<std::size_t>(n_slices));
  for (int slice = 0; slice < n_slices; ++slice) scratch.emplace_back(longest, n_arrays);
  run_slices(n_slices, [&](int slice) noexcept {
    Scratch& own = scratch[static_cast<std::size_t>(slice)];
    const std::int64_t last = slice_begin(queries, slice + 1, n_slices);
    for (std::int64_t q = slice_begin(queries, slice, n_slices); q < last; ++q) body(q, own);
  });
}

}  // namespace skgraded
