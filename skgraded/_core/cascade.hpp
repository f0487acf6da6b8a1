// Cascades: a user reads from the top and stops at a document with a probability that depends on
// its grade; the value is the expected weight of the rank where the user stops. Expected reciprocal
// rank is one, and with certain stops so are reciprocal rank and success.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"
#include "stop_counts.hpp"

namespace skgraded {

// Where a user stands who reads from the top. Passed by value, which keeps it in registers.
struct Reader {
  double reading = 1.0;  // probability to come this far
  double sum = 0.0;      // of the weights of the ranks where the user stopped

  void meet(double weight, double stop) noexcept {
    sum += weight * reading * stop;
    reading *= 1.0 - stop;
  }
};

// Ranks first .. last - 1, whose levels stand in the order in which the user reads them.
template <class Level>
Reader read_in_order(Reader reader, const RankedList<Level>& list, const double* weight,
                     const double* stop, std::int64_t first, std::int64_t last) noexcept {
  for (std::int64_t i = first; i < last && reader.reading > 0.0; ++i)
    reader.meet(weight[i], stop[list.level[i]]);
  return reader;
}

// pass[j], j = 0..most: probability to pass j documents drawn at random from a tied block.
//
// Let every document of the block decide in advance whether it stops its reader. If n of them do,
// they stand anywhere in the block, and the next rank is passed with probability 1 - n / left. The
// number n is a sum of binomials, one a grade. So pass[j] is a sum over the likely n of positive
// terms; they fall by a factor of about 1 - n / t a rank and are dropped when nothing can come of
// them, which takes a number of steps that grows with the block's length t alone. Only the number
// of documents of each grade counts, not their order.
inline void pass_probabilities(const StopCounts& counts, std::int64_t n_tied, std::int64_t most,
                               double* pass) noexcept {
  double* share = counts.probability;
  auto active = static_cast<std::int32_t>(counts.size);
  for (std::int64_t j = 0; j <= most; ++j) {
    // The largest numbers fall fastest.
    while (active > 0 && share[active - 1] < StopCounts::kNegligible) --active;
    if (active == 0) return std::fill(pass + j, pass + most + 1, 0.0);
    pass[j] = sum_in_lanes(share, active);
    if (j == most) return;
    const double left = static_cast<double>(n_tied - j), first = static_cast<double>(counts.first);
    for (std::int32_t i = 0; i < active; ++i)  // 32 bits, which vector registers convert
      share[i] *= std::max(0.0, 1.0 - (first + static_cast<double>(i)) / left);
  }
}

// Every order of a tied block is equally likely: who stops at its j-th rank has passed j - 1 of its
// documents, but not j.
template <class Level>
Reader read_block(Reader reader, const RankedList<Level>& list, const double* weight,
                  const double* stop, std::int64_t first, std::int64_t end, std::int64_t last,
                  Scratch& scratch) noexcept {
  const std::int64_t n_tied = end - first, read = last - first;
  double *stops = scratch.array(0), *pass = scratch.array(1);
  for (std::int64_t i = 0; i < n_tied; ++i) stops[i] = stop[list.level[first + i]];
  std::sort(stops, stops + n_tied);
  if (stops[0] == stops[n_tied - 1])  // as if they were not tied
    return read_in_order(reader, list, weight, stop, first, last);
  StopCounts counts(scratch.array(2), scratch.array(3), scratch.array(4));
  counts.add_all(stops, n_tied);
  pass_probabilities(counts, n_tied, read, pass);
  for (std::int64_t j = 0; j < read; ++j)
    reader.sum += weight[first + j] * reader.reading * (pass[j] - pass[j + 1]);
  reader.reading *= pass[read];
  return reader;
}

constexpr int kCascadeArrays = 5;

template <class Level>
double cascade_in_order(const RankedList<Level>& list, const double* weight, const double* stop,
                        std::int64_t cutoff) noexcept {
  return read_in_order({}, list, weight, stop, 0, std::min(cutoff, list.size)).sum;
}

template <class Level>
double cascade_expected(const RankedList<Level>& list, const double* weight, const double* stop,
                        std::int64_t cutoff, Scratch& scratch) noexcept {
  double sum = 0.0, reading = 1.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last && reading > 0.0; first = end) {
    end = list.block_end(first);
    if (end == first + 1) {  // most ranks, in registers
      const double s = stop[list.level[first]];
      sum += weight[first] * reading * s;
      reading *= 1.0 - s;
      continue;
    }
    const Reader reader = read_block(Reader{reading, sum}, list, weight, stop, first, end,
                                     std::min(end, last), scratch);
    sum = reader.sum;
    reading = reader.reading;
  }
  return sum;
}

template <class Level>
void cascade(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
             const double* weight, const double* stop, std::int64_t cutoff, bool expected,
             std::int64_t n_threads, double* value) {
  const int n_arrays = expected ? kCascadeArrays : 0;
  for_queries_with_scratch(
      queries, n_threads, n_arrays, [=](std::int64_t q, Scratch& scratch) noexcept {
        const std::int64_t begin = queries.begin(q);
        const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
        value[q] = expected ? cascade_expected(list, weight, stop, cutoff, scratch)
                            : cascade_in_order(list, weight, stop, cutoff);
      });
}

}  // namespace skgraded
