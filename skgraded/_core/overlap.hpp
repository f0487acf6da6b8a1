// Overlap of a list with the ideal ranking that keeps the order of the list among equal grades.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// Adds up weight[x - 1] times how many documents the first x of the list and the first x of the
// ideal ranking have in common, over x = 1..depth. The ideal ranking holds every level above the
// one at its rank x in full, and of this one as many documents as it can take from the list.
//
// `found` has room for a number by level, all of which are 0.
template <class Level>
double overlap_of(const RankedList<Level>& list, const RankedList<Level>& pool,
                  const double* weight, std::int64_t depth, double* found) noexcept {
  double sum = 0.0, full = 0.0, partial = 0.0;
  Level level{0};
  for (std::int64_t x = 0; x < depth && weight[x] > 0.0; ++x) {
    const Level next = x < pool.size ? pool.level[x] : Level{0};
    if (x > 0 && next != level) {
      full += found[level];
      partial = 0.0;
    }
    level = next;
    partial += 1.0;
    if (x < list.size) {
      found[list.level[x]] += 1.0;
      if (list.level[x] > level) full += 1.0;
    }
    sum += weight[x] * (level > 0 ? full + std::min(found[level], partial) : full);
  }
  return sum;
}

// The depth of query q is depth[q].
template <class Level>
void overlaps(const Level* level_by_rank, const Queries& queries, const Level* pool_by_rank,
              const Queries& pools, const double* weight, const std::int64_t* depth,
              std::int64_t n_levels, std::int64_t n_threads, double* value) {
  const std::int64_t room = std::max(n_levels, queries.longest());
  for_queries(
      queries, n_threads, [=] { return Scratch(room, 1); },
      [=](std::int64_t q, Scratch& scratch) noexcept {
        const RankedList<Level> list{level_by_rank + queries.begin(q), nullptr, queries.size(q)};
        const RankedList<Level> pool{pool_by_rank + pools.begin(q), nullptr, pools.size(q)};
        double* found = scratch.array(0);
        std::fill_n(found, n_levels, 0.0);
        value[q] = overlap_of(list, pool, weight, depth[q], found);
      });
}

}  // namespace skgraded
