// Preferences: what a relevant document counts depends on the number of non-relevant documents
// above it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hypergeometric.hpp"
#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// 1 less a penalty for the non-relevant documents, of which no more than `most` count.
struct Penalty {
  double most;
  double divisor;  // 0: there is nothing to be penalised for

  double kept(double above) const noexcept {
    return divisor > 0.0 ? 1.0 - std::min(most, above) / divisor : 1.0;
  }
};

// A worth by the number of non-relevant documents above.
struct Worths {
  const double* values;

  double kept(double above) const noexcept { return values[static_cast<std::int64_t>(above)]; }
};

// The levels stand in the order in which they count.
template <class Level, class Worth>
double preferences_in_order(const RankedList<Level>& list, const std::uint8_t* relevant,
                            const Worth& worth, std::int64_t cutoff) noexcept {
  double sum = 0.0, above = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t i = 0; i < last; ++i) {
    if (relevant[list.level[i]] != 0)
      sum += worth.kept(above);
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
template <class Worth>
double preferences_of_block(const TiedBlock& block, const Worth& worth) noexcept {
  double sum = 0.0;
  for (double i = 0.0; i <= block.nonrelevant; i += 1.0) sum += worth.kept(block.above + i);
  return block.relevant * sum / (block.nonrelevant + 1.0);
}

// The same where only the block's first `ranks` ranks count. If n of their documents are not
// relevant, the others have any number of these above them, from none to n, with the same
// probability.
template <class Worth>
double preferences_of_cut_block(const TiedBlock& block, const Worth& worth, std::int64_t ranks,
                                double* sums) noexcept {
  const Draw draw{block.relevant + block.nonrelevant, block.nonrelevant,
                  static_cast<double>(ranks)};
  double sum = 0.0;
  for (std::int64_t i = 0; static_cast<double>(i) <= draw.most(); ++i)
    sums[i] = sum += worth.kept(block.above + static_cast<double>(i));
  return draw.mean([&](double n) noexcept {
    return (draw.drawn - n) * (sums[static_cast<std::int64_t>(n)] / (n + 1.0));
  });
}

template <class Level, class Worth>
double preferences_expected(const RankedList<Level>& list, const std::uint8_t* relevant,
                            const Worth& worth, std::int64_t cutoff, double* scratch) noexcept {
  double sum = 0.0, above = 0.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last; first = end) {
    end = list.block_end(first);
    TiedBlock block{0.0, 0.0, above};
    for (std::int64_t i = first; i < end; ++i) block.relevant += relevant[list.level[i]];
    block.nonrelevant = static_cast<double>(end - first) - block.relevant;
    if (block.relevant > 0.0)
      sum += end <= last ? preferences_of_block(block, worth)
                         : preferences_of_cut_block(block, worth, last - first, scratch);
    above += block.nonrelevant;
  }
  return sum;
}

// worth_of(q) is what relevant documents of the query q count.
template <class Level, class WorthOf>
void preferences(const RankedLists<Level>& lists, const std::uint8_t* relevant,
                 const WorthOf& worth_of, std::int64_t cutoff, bool expected,
                 std::int64_t n_threads, double* value) {
  for_lists(
      lists, n_threads, 1, [=](std::int64_t q, RankedList<Level> list, Scratch& scratch) noexcept {
        const auto worth = worth_of(q);
        value[q] = expected ? preferences_expected(list, relevant, worth, cutoff, scratch.array(0))
                            : preferences_in_order(list, relevant, worth, cutoff);
      });
}

}  // namespace skgraded
