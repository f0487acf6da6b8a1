// Pair parts of scales of any length: sums over the ranks n of p_n times K[r_m, r_n] over the ranks
// m <= n, for matrices K[a, b] = f(min(a, b)) h(b) + u(a) w(b). A tree over the levels sums f in
// O(log n); u needs one sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "block_weights.hpp"
#include "pair_matrix.hpp"
#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

// Sums of f(min(a, b)) over documents of levels a, for any b: a Fenwick tree of the documents at
// the levels 1, 2, ... of a query, counted from the one before its first.
class LevelTree {
  struct Node {
    double count, sum;
  };
  std::vector<Node> nodes_;
  std::int64_t n_levels_ = 0;
  double total_ = 0.0;

 public:
  explicit LevelTree(std::int64_t most_levels)
      : nodes_(static_cast<std::size_t>(most_levels) + 1) {}

  void start(std::int64_t n_levels) noexcept {
    n_levels_ = n_levels;
    total_ = 0.0;
    std::fill_n(nodes_.begin(), n_levels + 1, Node{0.0, 0.0});
  }

  void add(std::int64_t level, double f, double weight = 1.0) noexcept {
    total_ += weight;
    for (; level <= n_levels_; level += level & -level) {
      Node& node = nodes_[static_cast<std::size_t>(level)];
      node.count += weight;
      node.sum += weight * f;
    }
  }

  double sum(std::int64_t level, double f) const noexcept {
    double count = 0.0, sum = 0.0;
    for (; level > 0; level &= level - 1) {
      const Node& node = nodes_[static_cast<std::size_t>(level)];
      count += node.count;
      sum += node.sum;
    }
    return sum + (total_ - count) * f;
  }
};

// The arguments of pair_sums that are the same for every query.
struct PairSumTask {
  const std::int32_t* level_by_rank;
  const std::uint8_t* tied;
  Queries queries;
  RankWeights weight;
  const std::int64_t* borders;  // of the levels that each query has of its own
  PairFactors factors;
  std::int64_t cutoff;
  bool expected;
};

// The walk down the ranks of one query.
class PairSum {
  const PairFactors& K_;
  LevelTree& tree_;
  std::int32_t* block_;      // room for the levels of a tied block
  std::int64_t before_ = 0;  // the level before the first one of the query
  double u_above_ = 0.0;

 public:
  PairSum(const PairFactors& K, LevelTree& tree, std::int32_t* block) noexcept
      : K_(K), tree_(tree), block_(block) {}

  double of(const PairSumTask& task, std::int64_t q) noexcept {
    const std::int64_t begin = task.queries.begin(q);
    const RankedList<std::int32_t> list{task.level_by_rank + begin, task.tied + begin,
                                        task.queries.size(q)};
    const double* weight = task.weight.of(task.queries, q);
    const std::int64_t last = std::min(task.cutoff, list.size);
    before_ = task.borders[q] - 1;
    u_above_ = 0.0;
    if (K_.f != nullptr) tree_.start(task.borders[q + 1] - task.borders[q]);
    double value = 0.0;
    for (std::int64_t first = 0; first < last;) {
      if (!(task.expected && list.is_tied(first + 1))) {
        value += weight[first] * add_document(list.level[first]);
        ++first;
        continue;
      }
      const std::int64_t end = list.block_end(first);
      value += add_block(list.level + first, end - first, block_weights(weight, first, end, last));
      first = end;
    }
    return value;
  }

 private:
  void count_document(std::int32_t level) noexcept {
    if (K_.u != nullptr) u_above_ += K_.u[level];
    if (K_.f != nullptr && level > 0) tree_.add(level - before_, K_.f[level]);
  }

  // The sum of K over the documents so far, above one of this level.
  double sum_above(std::int32_t level) const noexcept {
    double sum = 0.0;
    if (K_.u != nullptr) sum = u_above_ * K_.w[level];
    if (K_.f != nullptr && level > 0 && K_.h[level] != 0.0)
      sum += tree_.sum(level - before_, K_.f[level]) * K_.h[level];
    return sum;
  }

  double self(std::int32_t level) const noexcept {
    double K = 0.0;
    if (K_.u != nullptr) K = K_.u[level] * K_.w[level];
    if (K_.f != nullptr) K += K_.f[level] * K_.h[level];
    return K;
  }

  double add_document(std::int32_t level) noexcept {
    count_document(level);
    return sum_above(level);
  }

  // The mean over all orders of a tied block. It is read by level, so that the bits do not depend
  // on the order of its documents.
  double add_block(const std::int32_t* level, std::int64_t n_tied, BlockWeights p) noexcept {
    std::copy_n(level, n_tied, block_);
    std::sort(block_, block_ + n_tied);
    double u_in_block = 0.0;
    if (K_.u != nullptr)
      for (std::int64_t i = 0; i < n_tied; ++i) u_in_block += K_.u[block_[i]];
    double above = 0.0, within = 0.0, f_below = 0.0;  // f_below: over the documents before this one
    for (std::int64_t i = 0; i < n_tied; ++i) {
      const std::int32_t s = block_[i];
      const double own = self(s);
      double others = -own;
      if (K_.u != nullptr) others += u_in_block * K_.w[s];
      if (K_.f != nullptr) {
        others += (f_below + static_cast<double>(n_tied - i) * K_.f[s]) * K_.h[s];
        f_below += K_.f[s];
      }
      above += sum_above(s) + own;
      within += others;
    }
    for (std::int64_t i = 0; i < n_tied; ++i) count_document(block_[i]);
    return (above * p.p0 + within * p.p1) / static_cast<double>(n_tied);
  }
};

// The pair part of every query.
inline void pair_sums(const PairSumTask& task, std::int64_t n_threads, double* value) {
  const Queries& queries = task.queries;
  std::int64_t most_levels = 0;
  for (std::int64_t q = 0; q < queries.count; ++q)
    most_levels = std::max(most_levels, task.borders[q + 1] - task.borders[q]);
  const int n_slices = slices_for(queries, n_threads);
  const auto longest = static_cast<std::size_t>(queries.longest());
  std::vector<LevelTree> trees(static_cast<std::size_t>(n_slices), LevelTree(most_levels));
  std::vector<std::vector<std::int32_t>> blocks(static_cast<std::size_t>(n_slices),
                                                std::vector<std::int32_t>(longest));
  run_slices(n_slices, [&](int slice) noexcept {
    const auto own = static_cast<std::size_t>(slice);
    PairSum sum(task.factors, trees[own], blocks[own].data());
    const std::int64_t last = slice_begin(queries, slice + 1, n_slices);
    for (std::int64_t q = slice_begin(queries, slice, n_slices); q < last; ++q)
      value[q] = sum.of(task, q);
  });
}

}  // namespace skgraded
