// Scratch: room for kernels that keep numbers per document of a query while they walk it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

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

// Calls body(q, list, scratch) for every query q.
template <class Level, class Body>
void for_lists(const RankedLists<Level>& lists, std::int64_t n_threads, int n_arrays,
               const Body& body) {
  const std::int64_t longest = lists.queries.longest();
  for_queries(
      lists.queries, n_threads, [=] { return Scratch(longest, n_arrays); },
      [&](std::int64_t q, Scratch& scratch) noexcept { body(q, lists.of(q), scratch); });
}

}  // namespace skgraded
