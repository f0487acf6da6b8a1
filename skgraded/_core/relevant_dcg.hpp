// DCG relative to that of the ideal ranking, summed over the relevant documents of the pool.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

// What one query is measured by: the discount by rank, the gain by level, 1 / ideal DCG by rank of
// the list and at the end of the pool, and how many documents of the pool have a gain.
struct IdealDcg {
  const double* discount;
  const double* gain;
  const double* inverse;
  double inverse_at_end;
  double n_relevant;
};

// Documents with a gain count with the relative DCG at their ranks, and those that the list lacks
// with that at its end. In a tied block, the gain at one rank and the relevance at another one are
// those of two of its documents at random.
template <class Level>
double relevant_dcg_of(const RankedList<Level>& list, const IdealDcg& ideal, std::int64_t cutoff,
                       bool expected) noexcept {
  double sum = 0.0, dcg = 0.0, count = 0.0, dcg_times_count = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last; first = end) {
    end = expected ? list.block_end(first) : first + 1;
    const auto all = static_cast<double>(end - first);
    double gain = 0.0, relevant = 0.0, discounts = 0.0;
    for (std::int64_t i = first; i < end; ++i) {
      gain += ideal.gain[list.level[i]];
      relevant += ideal.gain[list.level[i]] > 0.0 ? 1.0 : 0.0;
    }
    const double own = gain / all, share = relevant / all;
    const double of_other = end - first > 1 ? own * ((relevant - 1.0) / (all - 1.0)) : 0.0;
    for (std::int64_t i = first; i < std::min(end, last); ++i) {
      const double d = ideal.discount[i];
      sum += ideal.inverse[i] * (share * dcg + own * d + of_other * discounts);
      discounts += d;
    }
    const auto read = static_cast<double>(std::min(end, last) - first);
    dcg_times_count +=
        count * own * discounts + share * read * dcg + discounts * (own + of_other * (read - 1.0));
    dcg += own * discounts;
    count += share * read;
  }
  return sum + (ideal.n_relevant * dcg - dcg_times_count) * ideal.inverse_at_end;
}

template <class Level>
void relevant_dcg(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                  const double* discount, const double* gain, const double* inverse,
                  const double* inverse_at_end, const std::int64_t* n_relevant, std::int64_t cutoff,
                  bool expected, std::int64_t n_threads, double* value) {
  for_query_slices(queries, n_threads, [=](std::int64_t first, std::int64_t last) noexcept {
    for (std::int64_t q = first; q < last; ++q) {
      const std::int64_t begin = queries.begin(q);
      const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
      const IdealDcg ideal{discount, gain, inverse + begin, inverse_at_end[q],
                           static_cast<double>(n_relevant[q])};
      value[q] = relevant_dcg_of(list, ideal, cutoff, expected);
    }
  });
}

}  // namespace skgraded
