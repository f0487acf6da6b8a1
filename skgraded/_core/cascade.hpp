// Cascades: a user reads from the top and stops at a document with a probability that depends on
// its grade; the value is the expected weight of the rank where the user stops. Expected reciprocal
// rank is one, and with certain stops so are reciprocal rank and success.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// The levels stand in the order in which the user reads them.
template <class Level>
double cascade_in_order(const RankedList<Level>& list, const double* weight, const double* stop,
                        std::int64_t cutoff) noexcept {
  double sum = 0.0, reading = 1.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t i = 0; i < last && reading > 0.0; ++i) {
    const double s = stop[list.level[i]];
    sum += weight[i] * reading * s;
    reading *= 1.0 - s;
  }
  return sum;
}

// pass[j], j = 0..most: probability to pass j documents drawn at random from a tied block, that is
// the mean over all j-subsets of the product of their 1 - stop. A document joins the block at a
// time.
template <class Level>
void pass_probabilities(const Level* level, std::int64_t n_tied, const double* stop,
                        std::int64_t most, double* pass) noexcept {
  pass[0] = 1.0;
  for (std::int64_t n = 1; n <= n_tied; ++n) {
    const double own = 1.0 - stop[level[n - 1]];
    if (n <= most) pass[n] = 0.0;
    for (std::int64_t j = std::min(n, most); j > 0; --j) {
      const double with_own = static_cast<double>(j) / static_cast<double>(n);
      pass[j] = (1.0 - with_own) * pass[j] + with_own * own * pass[j - 1];
    }
  }
}

// Every order of a tied block is equally likely: who stops at its j-th rank has passed j - 1 of its
// documents, but not j.
template <class Level>
double cascade_expected(const RankedList<Level>& list, const double* weight, const double* stop,
                        std::int64_t cutoff, double* pass) noexcept {
  double sum = 0.0, reading = 1.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last && reading > 0.0; first = end) {
    end = list.block_end(first);
    const std::int64_t read = std::min(end, last) - first;
    pass_probabilities(list.level + first, end - first, stop, read, pass);
    for (std::int64_t j = 0; j < read; ++j)
      sum += weight[first + j] * reading * (pass[j] - pass[j + 1]);
    reading *= pass[read];
  }
  return sum;
}

template <class Level>
void cascade(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
             const double* weight, const double* stop, std::int64_t cutoff, bool expected,
             int n_threads, double* value) {
  for_queries_with_scratch(queries, n_threads, [=](std::int64_t q, double* scratch) noexcept {
    const std::int64_t begin = queries.begin(q);
    const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
    value[q] = expected ? cascade_expected(list, weight, stop, cutoff, scratch)
                        : cascade_in_order(list, weight, stop, cutoff);
  });
}

}  // namespace skgraded
