// Pair parts of scales of any length: sums over the ranks n of p_n times K[r_m, r_n] over the ranks
// m <= n, for matrices K[a, b] = f(min(a, b)) h(b) + u(a) w(b). Short lists sum f pair by pair, and
// long ones by a tree over the levels in O(log n); u needs one sum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "block_weights.hpp"
#include "lower_sums.hpp"
#include "pair_matrix.hpp"
#include "queries.hpp"
#include "simd.hpp"
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
  RankedLists<std::int32_t> lists;
  RankWeights weight;
  const std::int64_t* borders;  // of the levels that each query has of its own
  PairFactors factors;
  std::int64_t cutoff;
  bool expected;
  Registers registers = widest_registers();
};

// Memory for one query at a time, allocated before the threads start.
struct PairSumSpace {
  LevelTree tree;
  std::vector<std::int32_t> level;  // by rank, tied ones ascending
  // By rank: the first one that has this one above it for sure. Between queries: 0, 1, ...
  std::vector<std::int64_t> from;
  std::vector<double> f;        // by rank
  std::vector<double> f_above;  // by rank: f of K over the documents above, or at a free rank

  PairSumSpace(std::int64_t longest, std::int64_t most_levels)
      : tree(most_levels),
        level(static_cast<std::size_t>(longest)),
        from(static_cast<std::size_t>(longest)) {
    std::iota(from.begin(), from.end(), std::int64_t{0});
    const std::int64_t by_pairs = std::min(longest, kLongestByPairs) + LowerSums::kOverrun;
    f.resize(static_cast<std::size_t>(by_pairs));
    f_above.resize(static_cast<std::size_t>(std::max(longest, by_pairs)));
  }
};

// The pair part of one query.
class PairSum {
  const PairFactors& K_;
  PairSumSpace& space_;

 public:
  PairSum(const PairFactors& K, PairSumSpace& space) noexcept : K_(K), space_(space) {}

  double of(const PairSumTask& task, std::int64_t q) noexcept {
    const RankedList<std::int32_t> list = task.lists.of(q);
    const std::int64_t last = std::min(task.cutoff, list.size);
    const bool has_ties = task.expected && list.has_ties();
    std::copy_n(list.level, list.size, space_.level.data());
    const std::int64_t n = has_ties ? read_blocks(list, last) : last;
    if (K_.f != nullptr) {
      if (n <= kLongestByPairs)
        sum_by_pairs(n, task.registers);
      else
        sum_by_tree(n, task.borders[q] - 1, task.borders[q + 1] - task.borders[q]);
    }
    const double* weight = task.weight.of(task.lists.queries, q);
    if (!has_ties && K_.f != nullptr && K_.u == nullptr) return add_up_lower(weight, n);
    const double value = add_up(weight, n, last);
    std::iota(space_.from.begin(), space_.from.begin() + list.size, std::int64_t{0});
    return value;
  }

 private:
  // Returns the end of the last block that counts. A tied block is read by level, so that the bits
  // do not depend on the order of its documents.
  std::int64_t read_blocks(const RankedList<std::int32_t>& list, std::int64_t last) noexcept {
    std::int64_t first = 0;
    while (first < last) {
      if (!list.is_tied(first + 1)) {
        ++first;
        continue;
      }
      const std::int64_t end = list.block_end(first);
      std::sort(space_.level.data() + first, space_.level.data() + end);
      std::fill_n(space_.from.data() + first, end - first, end);
      first = end;
    }
    return first;
  }

  bool is_free(std::int64_t rank) const noexcept { return space_.from[at(rank)] == rank; }

  void sum_by_pairs(std::int64_t n, Registers registers) noexcept {
    for (std::int64_t i = 0; i < n; ++i) space_.f[at(i)] = K_.f[space_.level[at(i)]];
    run_in(registers, [this, n]() SKGRADED_INLINE_BODY {
      LowerSums::add_up<false>(space_.f.data(), nullptr, space_.from.data(), n,
                               space_.f_above.data(), nullptr);
      return 0;
    });
  }

  // `before` is the level before the first one of the query.
  void sum_by_tree(std::int64_t n, std::int64_t before, std::int64_t n_levels) noexcept {
    LevelTree& tree = space_.tree;
    tree.start(n_levels);
    const auto count = [&](std::int64_t i) noexcept {
      const std::int32_t level = space_.level[at(i)];
      if (level > 0) tree.add(level - before, K_.f[level]);
    };
    for (std::int64_t first = 0, end; first < n; first = end) {
      end = std::max(space_.from[at(first)], first + 1);
      if (is_free(first)) count(first);
      for (std::int64_t i = first; i < end; ++i) {
        const std::int32_t level = space_.level[at(i)];
        const bool counts = level > 0 && K_.h_at(level) != 0.0;
        space_.f_above[at(i)] = counts ? tree.sum(level - before, K_.f[level]) : 0.0;
      }
      if (!is_free(first))
        for (std::int64_t i = first; i < end; ++i) count(i);
    }
  }

  // The same without ties, for f alone.
  double add_up_lower(const double* weight, std::int64_t n) const noexcept {
    double value = 0.0;
    for (std::int64_t i = 0; i < n; ++i)
      value += weight[i] * (space_.f_above[at(i)] * K_.h_at(space_.level[at(i)]));
    return value;
  }

  double add_up(const double* weight, std::int64_t n, std::int64_t last) const noexcept {
    double value = 0.0, u_above = 0.0;
    for (std::int64_t first = 0; first < n;) {
      if (is_free(first)) {
        const std::int32_t level = space_.level[at(first)];
        if (K_.u != nullptr) u_above += K_.u[level];
        value += weight[first] * sum_above(first, u_above);
        ++first;
        continue;
      }
      const std::int64_t end = space_.from[at(first)];
      value += add_block(first, end, block_weights(weight, first, end, last), u_above);
      first = end;
    }
    return value;
  }

  // The sum of K over the documents above this rank, itself included where it is free.
  double sum_above(std::int64_t rank, double u_above) const noexcept {
    const std::int32_t level = space_.level[at(rank)];
    double sum = 0.0;
    if (K_.u != nullptr) sum = u_above * K_.w[level];
    if (K_.f != nullptr) sum += space_.f_above[at(rank)] * K_.h_at(level);
    return sum;
  }

  double self(std::int32_t level) const noexcept {
    double K = 0.0;
    if (K_.u != nullptr) K = K_.u[level] * K_.w[level];
    if (K_.f != nullptr) K += K_.f[level] * K_.h_at(level);
    return K;
  }

  // The mean over all orders of a tied block, which is counted in u_above.
  double add_block(std::int64_t first, std::int64_t end, BlockWeights p,
                   double& u_above) const noexcept {
    const std::int32_t* block = space_.level.data();
    double u_in_block = 0.0;
    if (K_.u != nullptr)
      for (std::int64_t i = first; i < end; ++i) u_in_block += K_.u[block[i]];
    double above = 0.0, within = 0.0, f_below = 0.0;  // f_below: over the documents before this one
    for (std::int64_t i = first; i < end; ++i) {
      const std::int32_t s = block[i];
      const double own = self(s);
      double others = -own;
      if (K_.u != nullptr) others += u_in_block * K_.w[s];
      if (K_.f != nullptr) {
        others += (f_below + static_cast<double>(end - i) * K_.f[s]) * K_.h_at(s);
        f_below += K_.f[s];
      }
      above += sum_above(i, u_above) + own;
      within += others;
    }
    if (K_.u != nullptr)
      for (std::int64_t i = first; i < end; ++i) u_above += K_.u[block[i]];
    return (above * p.p0 + within * p.p1) / static_cast<double>(end - first);
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }
};

// The first level at which f falls within a query, by more than rounding, or -1. Before the first
// level of a query stands 0.
inline std::int64_t first_fall(const double* f, const Queries& levels) noexcept {
  constexpr double kRounding = 1e-12;  // of grades just below a whole one, on a straight line
  const auto falls = [f](std::int64_t level, double before) {
    return !(f[level] >= before * (1.0 - kRounding));
  };
  for (std::int64_t q = 0; q < levels.count; ++q) {
    const std::int64_t first = levels.begin(q), end = levels.begin(q + 1);
    bool any = first < end && falls(first, 0.0);
    for (std::int64_t level = first + 1; level < end; ++level) any |= falls(level, f[level - 1]);
    if (!any) continue;
    if (falls(first, 0.0)) return first;
    for (std::int64_t level = first + 1; level < end; ++level)
      if (falls(level, f[level - 1])) return level;
  }
  return -1;
}

// The pair part of every query.
inline void pair_sums(const PairSumTask& task, std::int64_t n_threads, double* value) {
  const Queries& queries = task.lists.queries;
  const std::int64_t longest = queries.longest();
  const std::int64_t most_levels = Queries{task.borders, queries.count}.longest();
  for_queries(
      queries, n_threads, [=] { return PairSumSpace(longest, most_levels); },
      [&](std::int64_t q, PairSumSpace& space) noexcept {
        value[q] = PairSum(task.factors, space).of(task, q);
      });
}

}  // namespace skgraded
