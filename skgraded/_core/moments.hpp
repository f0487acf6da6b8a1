// Pair moments: M[a, b] = sum over ranks n of level b of p_n times the documents of level a at or
// above n. With a measure's pair matrix K they give its pair part, the sum of K * M.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "block_weights.hpp"
#include "queries.hpp"
#include "simd.hpp"
#include "threads.hpp"
#include "wide_moments.hpp"

namespace skgraded {

// The sums of a query during the walk down its ranks, for a short scale, whose loops unroll.
// Aligned so that the sums of two threads never share a cache line.
template <int kLevels>
struct alignas(128) ShortScaleSums {
  static constexpr bool kIsShort = true;
  static constexpr std::int64_t n_levels = kLevels;
  double by_level[kLevels * kLevels];  // M transposed: the rows are levels of the lower document
  double above[kLevels];               // B_u: documents of level u above
  double block[kLevels];               // t_u: documents of level u in the tied block
  double line[2 * kLevels - 1] = {};   // zeros around a one: every unit vector is a window of it

  explicit ShortScaleSums(std::int64_t) noexcept { line[kLevels - 1] = 1.0; }
};

// The same for a scale of any length.
class LongScaleSums {
  std::vector<double> space_;

 public:
  static constexpr bool kIsShort = false;
  std::int64_t n_levels;
  double* by_level;
  double* above;
  double* block;
  double* line;

  explicit LongScaleSums(std::int64_t n)
      : space_(static_cast<std::size_t>(n * (n + 4))),
        n_levels(n),
        by_level(space_.data()),
        above(by_level + n * n),
        block(above + n),
        line(block + n) {
    line[n - 1] = 1.0;
  }

  // The pointers stay valid in a move, and would not in a copy.
  LongScaleSums(LongScaleSums&&) = default;
};

// Counts a document in `above`, and adds it. Counting with a whole unit vector keeps the counts in
// registers, which above[level] += 1 would not.
template <class Sums>
void add_document(Sums& sums, double* above, std::int64_t level, double p) noexcept {
  const std::int64_t n = sums.n_levels;
  for (std::int64_t u = 0; u < n; ++u) above[u] += sums.line[n - 1 - level + u];
  for (std::int64_t u = 0; u < n; ++u) sums.by_level[level * n + u] += p * above[u];
}

// Ranks first .. end - 1 are tied; those from `last` on have no weight. Documents of level s are a
// share t_s / t of the block. Each has above it all documents above the block, itself, and every
// other document of the block with the probability in p1. Not inlined, so that the walk over ranks
// without ties keeps its counts in registers.
template <class Sums, class Level>
SKGRADED_NEVER_INLINE void add_block(Sums& sums, const Level* level, const double* weight,
                                     std::int64_t first, std::int64_t end,
                                     std::int64_t last) noexcept {
  const std::int64_t n = sums.n_levels;
  const auto n_tied = static_cast<double>(end - first);
  const BlockWeights p = block_weights(weight, first, end, last);
  for (std::int64_t u = 0; u < n; ++u) sums.block[u] = 0.0;
  for (std::int64_t i = first; i < end; ++i) sums.block[level[i]] += 1.0;
  for (std::int64_t s = 0; s < n; ++s) {
    if (sums.block[s] == 0.0) continue;
    const double share = sums.block[s] / n_tied;
    for (std::int64_t u = 0; u < n; ++u) {
      const double self = sums.line[n - 1 - s + u];
      sums.by_level[s * n + u] +=
          share * ((sums.above[u] + self) * p.p0 + (sums.block[u] - self) * p.p1);
    }
  }
  for (std::int64_t u = 0; u < n; ++u) sums.above[u] += sums.block[u];
}

// Adds documents from rank `first` on up to the next one that is tied with its follower; returns
// the rank of that one.
template <class Sums, class Level>
std::int64_t add_untied(Sums& sums, const RankedList<Level>& list, const double* weight,
                        std::int64_t first, std::int64_t last, bool expected) noexcept {
  const auto add_all = [&](double* above) {
    for (; first < last && !(expected && list.is_tied(first + 1)); ++first)
      add_document(sums, above, list.level[first], weight[first]);
  };
  if constexpr (Sums::kIsShort) {
    double above[Sums::n_levels];  // a copy, which the compiler keeps in registers
    std::copy_n(sums.above, Sums::n_levels, above);
    add_all(above);
    std::copy_n(above, Sums::n_levels, sums.above);
  } else {
    add_all(sums.above);
  }
  return first;
}

template <class Sums, class Level>
void walk_ranks(Sums& sums, const RankedList<Level>& list, const double* weight,
                std::int64_t cutoff, bool expected) noexcept {
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0; first < last;) {
    first = add_untied(sums, list, weight, first, last, expected);
    if (first == last) return;
    const std::int64_t end = list.block_end(first);
    add_block(sums, list.level, weight, first, end, last);
    first = end;
  }
}

// The arguments of pair_moments that are the same for every query.
template <class Level>
struct MomentTask {
  RankedLists<Level> lists;
  RankWeights weight;
  std::int64_t n_levels;
  std::int64_t cutoff;
  bool expected;
  Registers registers = widest_registers();
};

template <class Sums, class Level>
void moments_of_query(Sums& sums, const RankedList<Level>& list, const double* weight,
                      const MomentTask<Level>& task, double* moments) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if constexpr (Sums::kIsShort)
    if (task.registers == Registers::kAvx512)
      return wide_moments<Sums::n_levels>(list, weight, task.cutoff, task.expected, moments);
#endif
  const std::int64_t n = sums.n_levels;
  for (std::int64_t i = 0; i < n * n; ++i) sums.by_level[i] = 0.0;
  for (std::int64_t u = 0; u < n; ++u) sums.above[u] = 0.0;
  walk_ranks(sums, list, weight, task.cutoff, task.expected);
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = 0; b < n; ++b) moments[a * n + b] = sums.by_level[b * n + a];
}

template <class Sums, class Level>
void moments_of_all(const MomentTask<Level>& task, std::int64_t n_threads, double* moments) {
  const RankedLists<Level>& lists = task.lists;
  for_queries(
      lists.queries, n_threads, [&] { return Sums(task.n_levels); },
      [&](std::int64_t q, Sums& sums) noexcept {
        moments_of_query(sums, lists.of(q), task.weight.of(lists.queries, q), task,
                         moments + q * task.n_levels * task.n_levels);
      });
}

template <class Level>
void pair_moments(const MomentTask<Level>& task, std::int64_t n_threads, double* moments) {
  switch (task.n_levels) {
    case 1:
      return moments_of_all<ShortScaleSums<1>>(task, n_threads, moments);
    case 2:
      return moments_of_all<ShortScaleSums<2>>(task, n_threads, moments);
    case 3:
      return moments_of_all<ShortScaleSums<3>>(task, n_threads, moments);
    case 4:
      return moments_of_all<ShortScaleSums<4>>(task, n_threads, moments);
    case 5:
      return moments_of_all<ShortScaleSums<5>>(task, n_threads, moments);
    case 6:
      return moments_of_all<ShortScaleSums<6>>(task, n_threads, moments);
    case 7:
      return moments_of_all<ShortScaleSums<7>>(task, n_threads, moments);
    case 8:
      return moments_of_all<ShortScaleSums<8>>(task, n_threads, moments);
    default:
      return moments_of_all<LongScaleSums>(task, n_threads, moments);
  }
}

}  // namespace skgraded
