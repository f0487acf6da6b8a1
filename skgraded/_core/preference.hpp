// Clipped preferences: each relevant document counts 1 less a penalty for the non-relevant
// documents above it, of which no more than `most` count.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

struct Penalty {
  double most;
  double divisor;  // 0: there is nothing to be penalised for

  double kept(double above) const noexcept {
    return divisor > 0.0 ? 1.0 - std::min(most, above) / divisor : 1.0;
  }
};

// The levels stand in the order in which they count.
template <class Level>
double preferences_in_order(const RankedList<Level>& list, const std::uint8_t* relevant,
                            Penalty penalty, std::int64_t cutoff) noexcept {
  double sum = 0.0, above = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t i = 0; i < last; ++i) {
    if (relevant[list.level[i]] != 0)
      sum += penalty.kept(above);
    else
      above += 1.0;
  }
  return sum;
}

struct TiedBlock {
  double relevant;
  double nonrelevant;
  double above;  // non-relevant documents above the block
};

// A relevant document of the block has any number of the block's non-relevant ones above it, from
// none to all, with the same probability.
inline double preferences_of_block(const TiedBlock& block, Penalty penalty) noexcept {
  double sum = 0.0;
  for (double i = 0.0; i <= block.nonrelevant; i += 1.0) sum += penalty.kept(block.above + i);
  return block.relevant * sum / (block.nonrelevant + 1.0);
}

// The same where only the block's first `ranks` ranks count. A relevant document stands at each
// rank of the block with probability 1 / t; above[i] is the probability that i of the documents
// above it, drawn from the block's others, are non-relevant (hypergeometric, one more document a
// rank).
inline double preferences_of_cut_block(const TiedBlock& block, Penalty penalty, std::int64_t ranks,
                                       double* above) noexcept {
  const double n_tied = block.relevant + block.nonrelevant;
  double sum = 0.0;
  above[0] = 1.0;
  for (std::int64_t drawn = 0; drawn < ranks; ++drawn) {
    for (std::int64_t i = 0; i <= drawn; ++i)
      sum += above[i] * penalty.kept(block.above + static_cast<double>(i));
    const double left = n_tied - 1.0 - static_cast<double>(drawn);
    above[drawn + 1] = 0.0;
    for (std::int64_t i = drawn + 1; i >= 0; --i) {
      const auto n = static_cast<double>(i);
      const double relevant_left = block.relevant - 1.0 - (static_cast<double>(drawn) - n);
      const double next_is_relevant = above[i] * std::max(relevant_left, 0.0);
      const double next_is_not =
          i > 0 ? above[i - 1] * std::max(block.nonrelevant - (n - 1.0), 0.0) : 0.0;
      above[i] = left > 0.0 ? (next_is_relevant + next_is_not) / left : 0.0;
    }
  }
  return block.relevant / n_tied * sum;
}

template <class Level>
double preferences_expected(const RankedList<Level>& list, const std::uint8_t* relevant,
                            Penalty penalty, std::int64_t cutoff, double* scratch) noexcept {
  double sum = 0.0, above = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last; first = end) {
    end = list.block_end(first);
    TiedBlock block{0.0, 0.0, above};
    for (std::int64_t i = first; i < end; ++i) block.relevant += relevant[list.level[i]];
    block.nonrelevant = static_cast<double>(end - first) - block.relevant;
    if (block.relevant > 0.0)
      sum += end <= last ? preferences_of_block(block, penalty)
                         : preferences_of_cut_block(block, penalty, last - first, scratch);
    above += block.nonrelevant;
  }
  return sum;
}

template <class Level>
void preferences(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                 const std::uint8_t* relevant, const double* most, const double* divisor,
                 std::int64_t cutoff, bool expected, std::int64_t n_threads, double* value) {
  for_queries_with_scratch(queries, n_threads, 1, [=](std::int64_t q, Scratch& scratch) noexcept {
    const std::int64_t begin = queries.begin(q);
    const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
    const Penalty penalty{most[q], divisor[q]};
    value[q] = expected ? preferences_expected(list, relevant, penalty, cutoff, scratch.array(0))
                        : preferences_in_order(list, relevant, penalty, cutoff);
  });
}

}  // namespace skgraded
