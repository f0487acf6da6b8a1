// Values of measures of the prefix form, which share the sums that a ranking enters through.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "gain.hpp"
#include "moments.hpp"
#include "pair_matrix.hpp"
#include "pair_sums.hpp"
#include "queries.hpp"

namespace skgraded {

// Sums of K * M of several queries side by side, as one sum waits for each of its additions. Cell
// after cell: levels that a query lacks add zeros, so that a query's value has the same bits on a
// scale of any length.
template <int kQueries>
void sum_pairs(const PairMatrix& K, const double* moments, std::int64_t n_cells, std::int64_t q,
               double* value) noexcept {
  double sum[kQueries] = {};
  for (std::int64_t cell = 0; cell < n_cells; ++cell)
    for (int j = 0; j < kQueries; ++j)
      sum[j] += K.at(q + j, cell) * moments[(q + j) * n_cells + cell];
  std::copy_n(sum, kQueries, value + q);
}

// The sum of K * M over the pairs of levels, M being the pair moments.
inline void pair_part(const PairMatrix& K, const double* moments, std::int64_t n_queries,
                      std::int64_t n_cells, double* value) noexcept {
  constexpr int kTogether = 4;
  std::int64_t q = 0;
  for (; q + kTogether <= n_queries; q += kTogether)
    sum_pairs<kTogether>(K, moments, n_cells, q, value);
  for (; q < n_queries; ++q) sum_pairs<1>(K, moments, n_cells, q, value);
}

// The value divided by that of the ideal ranking; 0 where that is not above 0. Values that rounding
// alone puts above the ideal one are the ideal one.
inline double relative_value(double value, double best) noexcept {
  constexpr double kRounding = 1e-9;
  if (!(best > 0.0)) return 0.0;
  const double ratio = value / best;
  return ratio > 1.0 && ratio <= 1.0 + kRounding ? 1.0 : ratio;
}

// A measure on some lists: what it takes from the labels, and the weights of the ranks. Parts that
// it lacks are null.
struct PrefixMeasure {
  ByQuery constant, scale;  // of the discounted gain
  Gains gains;
  RankWeights discount;
  PairMatrix K;
  PairFactors factors;  // in place of K where queries have levels of their own
  ByQuery pair_scale;   // that comes with the factors
  RankWeights position;
  std::int64_t cutoff;
  const double* best;  // value of the ideal ranking
  const std::int64_t* n_relevant;
  double empty;
  double* value;

  bool has_pairs() const noexcept { return pair_scale.values != nullptr; }

  auto moments() const noexcept { return std::make_pair(position.values, cutoff); }

  // Whether the discounted gains of both are the same sums, or both have none.
  bool shares_gain(const PrefixMeasure& other) const noexcept {
    const Gains &a = gains, &b = other.gains;
    return discount.values == other.discount.values && cutoff == other.cutoff &&
           std::equal(a.values, a.values + a.n_levels, b.values, b.values + b.n_levels);
  }

  // value = constant + scale * gain + pairs, divided by the ideal value where one is given. Where
  // nothing is relevant, it is `empty`.
  void add_up(const double* gain, std::int64_t n_queries) const noexcept {
    for (std::int64_t q = 0; q < n_queries; ++q) {
      double sum = 0.0;
      if (gain != nullptr) sum = 0.0 + constant[q] + scale[q] * gain[q];
      if (has_pairs()) sum += value[q];
      if (best != nullptr) sum = relative_value(sum, best[q]);
      value[q] = n_relevant[q] > 0 ? sum : empty;
    }
  }
};

// The arguments of prefix_values that are the same for every measure.
template <class Level>
struct PrefixTask {
  RankedLists<Level> lists;
  std::int64_t n_levels;
  const std::int64_t* borders;  // of the levels that each query has of its own, or null
  bool expected;
  std::int64_t n_threads;
};

// Adds the pair parts of measures, which share moments. Those of all queries would take much
// memory: those of some follow one another, as many as stay in a cache.
template <class Level>
void sum_pairs_of_all(const PrefixTask<Level>& task, std::vector<const PrefixMeasure*> measures) {
  constexpr std::int64_t kMomentsAtATime = 25'000;
  const Queries& all = task.lists.queries;
  const std::int64_t n_cells = task.n_levels * task.n_levels;
  const std::int64_t at_a_time =
      std::min(all.count, std::max<std::int64_t>(kMomentsAtATime / n_cells, 1));
  std::vector<double> moments(static_cast<std::size_t>(at_a_time * n_cells));
  std::sort(measures.begin(), measures.end(),
            [](const auto* a, const auto* b) { return a->moments() < b->moments(); });
  for (std::int64_t first = 0; first < all.count; first += at_a_time) {
    const Queries some{all.indptr + first, std::min(at_a_time, all.count - first)};
    const RankedLists<Level> lists{task.lists.level, task.lists.tied, some};
    const PrefixMeasure* last = nullptr;
    for (const PrefixMeasure* each : measures) {
      if (last == nullptr || each->moments() != last->moments())
        pair_moments<Level>({lists, each->position, task.n_levels, each->cutoff, task.expected},
                            task.n_threads, moments.data());
      pair_part(each->K.from(first), moments.data(), some.count, n_cells, each->value + first);
      last = each;
    }
  }
}

// The same where queries have levels of their own, which are integers.
template <class Level>
void sum_own_pairs(const PrefixTask<Level>& task, const PrefixMeasure& measure) {
  if constexpr (std::is_same_v<Level, std::int32_t>) {
    pair_sums({task.lists, measure.position, task.borders, measure.factors, measure.cutoff,
               task.expected},
              task.n_threads, measure.value);
    for (std::int64_t q = 0; q < task.lists.queries.count; ++q)
      measure.value[q] *= measure.pair_scale[q];
  }
}

template <class Level>
void prefix_values(const PrefixTask<Level>& task, std::vector<PrefixMeasure> measures) {
  std::vector<const PrefixMeasure*> of_pairs;
  for (const PrefixMeasure& each : measures)
    if (each.has_pairs()) of_pairs.push_back(&each);
  if (task.borders != nullptr)
    for (const PrefixMeasure* each : of_pairs) sum_own_pairs(task, *each);
  else if (!of_pairs.empty())
    sum_pairs_of_all(task, std::move(of_pairs));
  std::vector<double> gain(static_cast<std::size_t>(task.lists.queries.count));
  while (!measures.empty()) {
    const PrefixMeasure one = measures.back();
    const bool has_gain = one.gains.values != nullptr;
    if (has_gain)
      discounted_gain(task.lists, one.discount, one.gains, one.cutoff, task.expected,
                      task.n_threads, gain.data());
    const auto alike = std::partition(measures.begin(), measures.end() - 1,
                                      [&](const auto& each) { return !each.shares_gain(one); });
    for (auto each = alike; each != measures.end(); ++each)
      each->add_up(has_gain ? gain.data() : nullptr, task.lists.queries.count);
    measures.erase(alike, measures.end());
  }
}

}  // namespace skgraded
