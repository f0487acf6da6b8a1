// Discounted gain: the linear part of a measure, sum of discount times gain over the ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"

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

// The gain of every level.
struct Gains {
  const double* values;
  std::int64_t n_levels;

  // Whether `n` of them add up without rounding, so that their order changes no bit of the sum.
  bool add_up_exactly(std::int64_t n) const noexcept {
    constexpr double kLargest = 0x1p53;
    for (std::int64_t level = 0; level < n_levels; ++level) {
      const double gain = std::abs(values[level]);
      if (gain != std::floor(gain) || !(gain * static_cast<double>(n) <= kLargest)) return false;
    }
    return true;
  }
};

// The sum of the block's gains, which does not depend on the order of its documents: sorted where
// sums are rounded, into `sorted`, which is null where they are not.
template <class Level>
double sum_of_block(const RankedList<Level>& list, const double* gain, std::int64_t first,
                    std::int64_t end, double* sorted) noexcept {
  double sum = 0.0;
  if (sorted == nullptr) {
    for (std::int64_t i = first; i < end; ++i) sum += gain[list.level[i]];
    return sum;
  }
  for (std::int64_t i = first; i < end; ++i) sorted[i - first] = gain[list.level[i]];
  std::sort(sorted, sorted + (end - first));
  for (std::int64_t i = 0; i < end - first; ++i) sum += sorted[i];
  return sum;
}

// The block's discounts up to rank `last` times its mean gain over all of its documents.
template <class Level>
double gain_of_block(const RankedList<Level>& list, const double* discount, const double* gain,
                     std::int64_t first, std::int64_t end, std::int64_t last,
                     double* sorted) noexcept {
  const double block_gain = sum_of_block(list, gain, first, end, sorted);
  double block_discount = 0.0;
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
                     std::int64_t cutoff, double* sorted) noexcept {
  double sum = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last; first = end) {
    end = list.block_end(first);
    if (is_of_one_level(list, first, end))
      for (std::int64_t i = first; i < std::min(end, last); ++i)
        sum += discount[i] * gain[list.level[i]];
    else
      sum += gain_of_block(list, discount, gain, first, end, last, sorted);
  }
  return sum;
}

template <class Level>
void discounted_gain(const RankedLists<Level>& lists, RankWeights discount, const Gains& gains,
                     std::int64_t cutoff, bool expected, std::int64_t n_threads, double* value) {
  const Queries queries = lists.queries;
  const bool sorts = expected && !gains.add_up_exactly(queries.longest());
  const double* gain = gains.values;
  for_lists(lists, n_threads, sorts ? 1 : 0,
            [=](std::int64_t q, RankedList<Level> list, Scratch& scratch) noexcept {
              const double* d = discount.of(queries, q);
              double* sorted = sorts ? scratch.array(0) : nullptr;
              value[q] = expected ? gain_expected(list, d, gain, cutoff, sorted)
                                  : gain_in_order(list, d, gain, cutoff);
            });
}

}  // namespace skgraded
