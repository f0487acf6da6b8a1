// Overlap of a list with the ideal ranking that keeps the order of the list among equal grades.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hypergeometric.hpp"
#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// How many documents the first x of the list and the first x of the ideal ranking have in common,
// from x = 1 on. The ideal ranking holds every grade above the one at its rank x in full, and some
// documents of this one. It takes the first of the list, and so as many of them as it can.
template <class Level>
class Overlap {
 public:
  // `counts` has room for two numbers of every level, all of which are 0.
  Overlap(const RankedList<Level>& list, const RankedList<Level>& pool, bool expected,
          double* counts) noexcept
      : list_(list), pool_(pool), expected_(expected), counts_(counts) {}

  double at_next_depth() noexcept {
    if (depth_ == end_ && end_ < list_.size) next_block();
    drawn_ = std::min(depth_ + 1, list_.size) - first_;
    const Level level = depth_ < pool_.size ? pool_.level[depth_] : Level{0};
    if (depth_ > 0 && level != level_) fill_level();
    level_ = level;
    ++depth_;
    ++partial_;
    const double share = end_ > first_ ? drawn() / static_cast<double>(end_ - first_) : 0.0;
    const double whole = full_ + share * full_in_block_;
    return level > 0 ? whole + of_level(share) : whole;
  }

 private:
  double& above(Level level) noexcept { return counts_[2 * static_cast<std::int64_t>(level)]; }
  double& in_block(Level level) noexcept {
    return counts_[2 * static_cast<std::int64_t>(level) + 1];
  }
  double drawn() const noexcept { return static_cast<double>(drawn_); }

  void next_block() noexcept {
    for (std::int64_t i = first_; i < end_; ++i) {
      above(list_.level[i]) += 1.0;
      in_block(list_.level[i]) = 0.0;
    }
    full_ += full_in_block_;
    full_in_block_ = 0.0;
    first_ = end_;
    end_ = expected_ ? list_.block_end(first_) : first_ + 1;
    for (std::int64_t i = first_; i < end_; ++i) {
      in_block(list_.level[i]) += 1.0;
      if (list_.level[i] > level_ && depth_ > 0) full_in_block_ += 1.0;
    }
  }

  // The level at the ideal ranking's last rank is full.
  void fill_level() noexcept {
    full_ += above(level_);
    full_in_block_ += in_block(level_);
    partial_ = 0;
  }

  // The list's documents of the level that is not full, at most as many as the ideal ranking has.
  double of_level(double share) noexcept {
    const double found = above(level_), marked = in_block(level_);
    const auto most = static_cast<double>(partial_);
    if (found + std::min(marked, drawn()) <= most) return found + share * marked;
    const Draw draw{static_cast<double>(end_ - first_), marked, drawn()};
    return draw.mean([=](double i) noexcept { return std::min(found + i, most); });
  }

  const RankedList<Level>& list_;
  const RankedList<Level>& pool_;
  bool expected_;
  double* counts_;
  std::int64_t depth_ = 0, first_ = 0, end_ = 0, drawn_ = 0;
  Level level_{0};            // at the ideal ranking's last rank
  std::int64_t partial_ = 0;  // how many documents of it the ideal ranking has so far
  double full_ = 0.0;         // documents of the full levels above the block
  double full_in_block_ = 0.0;
};

// weight[x - 1] is the weight of the depth x, which is at most depth[q].
template <class Level>
void overlaps(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
              const Level* pool_by_rank, const Queries& pools, const double* weight,
              const std::int64_t* depth, std::int64_t n_levels, bool expected,
              std::int64_t n_threads, double* value) {
  for_queries_with_scratch(
      queries, n_threads, 1,
      [=](std::int64_t q, Scratch& scratch) noexcept {
        const std::int64_t begin = queries.begin(q);
        const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
        const RankedList<Level> pool{pool_by_rank + pools.begin(q), nullptr, pools.size(q)};
        double* counts = scratch.array(0);
        std::fill_n(counts, 2 * n_levels, 0.0);
        Overlap<Level> overlap(list, pool, expected, counts);
        double sum = 0.0;
        for (std::int64_t x = 0; x < depth[q] && weight[x] > 0.0; ++x)
          sum += weight[x] * overlap.at_next_depth();
        value[q] = sum;
      },
      2 * n_levels);
}

}  // namespace skgraded
