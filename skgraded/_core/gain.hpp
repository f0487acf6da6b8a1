// Discounted gain: the linear part of a measure, sum of discount times gain over the ranks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

// The levels stand in the order in which they count.
template <class Level>
double gain_in_order(const RankedList<Level>& list, const double* discount, const double* gain,
                     std::int64_t cutoff) noexcept {
  double sum = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t i = 0; i < last; ++i) sum += discount[i] * gain[list.level[i]];
  return sum;
}

// The block's discounts up to rank `last` times its mean gain over all of its documents.
template <class Level>
double gain_of_block(const RankedList<Level>& list, const double* discount, const double* gain,
                     std::int64_t first, std::int64_t end, std::int64_t last) noexcept {
  double block_gain = 0.0, block_discount = 0.0;
  for (std::int64_t i = first; i < end; ++i) block_gain += gain[list.level[i]];
  for (std::int64_t i = first; i < std::min(end, last); ++i) block_discount += discount[i];
  return block_discount * (block_gain / static_cast<double>(end - first));
}

template <class Level>
bool is_of_one_level(const RankedList<Level>& list, std::int64_t first, std::int64_t end) noexcept {
  for (std::int64_t i = first + 1; i < end; ++i)
    if (list.level[i] != list.level[first]) return false;
  return true;
}

// Every order of a tied block is equally likely: each of its documents has the block's mean gain.
// Documents of one level are added like those that are not tied, so that a perfect ranking has the
// bits of the ideal one.
template <class Level>
double gain_expected(const RankedList<Level>& list, const double* discount, const double* gain,
                     std::int64_t cutoff) noexcept {
  double sum = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last; first = end) {
    end = list.block_end(first);
    if (is_of_one_level(list, first, end))
      for (std::int64_t i = first; i < std::min(end, last); ++i)
        sum += discount[i] * gain[list.level[i]];
    else
      sum += gain_of_block(list, discount, gain, first, end, last);
  }
  return sum;
}

template <class Level>
void discounted_gain(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                     RankWeights discount, const double* gain, std::int64_t cutoff, bool expected,
                     std::int64_t n_threads, double* value) {
  for_query_slices(queries, n_threads, [=](std::int64_t first, std::int64_t last) noexcept {
    for (std::int64_t q = first; q < last; ++q) {
      const std::int64_t begin = queries.begin(q);
      const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
      const double* d = discount.of(queries, q);
      value[q] =
          expected ? gain_expected(list, d, gain, cutoff) : gain_in_order(list, d, gain, cutoff);
    }
  });
}

}  // namespace skgraded
