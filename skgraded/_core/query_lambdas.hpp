// The lambdas of single queries of any length. lambdas.hpp defines the words.
//
// With levels x and y at ranks a < b, a swap changes the measure by a number that depends on
// (a, x, y) plus one that depends on (b, x, y). One walk down the ranks tabulates both, so that a
// pair costs an addition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "factor_swaps.hpp"
#include "lambda_pair.hpp"
#include "lambda_slots.hpp"
#include "lambda_task.hpp"
#include "queries.hpp"
#include "simd.hpp"
#include "tie_orders.hpp"
#include "tie_shares.hpp"

namespace skgraded {

template <class Level>
class QueryLambdas {
  const LambdaTask<Level>& task_;
  LambdaSpace& space_;
  std::vector<FactorSwaps>& factor_swaps_;  // empty unless K has factors
  bool by_factors_ = false;                 // how changes by swaps of this query are found, or
  bool by_tables_ = false;
  std::int64_t q_ = 0, begin_ = 0, n_ = 0, n_slots_ = 0;
  bool by_distance_ = false;
  bool sweeps_ = false;
  RankedSlots ranked_{{nullptr, nullptr, 0}, nullptr, 0};

 public:
  QueryLambdas(const LambdaTask<Level>& task, LambdaSpace& space,
               std::vector<FactorSwaps>& factor_swaps) noexcept
      : task_(task), space_(space), factor_swaps_(factor_swaps) {}

  // Adds the derivatives of a query to those in `out`.
  void add(std::int64_t q, const Derivatives& out) noexcept {
    // Where no scores tie, all tie orders are the same.
    const TieOrder ties = has_ties(task_, q) ? task_.ties : TieOrder::kRows;
    const double factor = sum_query(q, ties) * out.share;
    const PlacedDerivatives found{space_.place.data(), space_.lambda.data(), space_.hessian.data()};
    const auto put = [=](std::int64_t i, double lambda, double second) noexcept {
      out.add(begin_ + order()[i], lambda, second, factor);
    };
    if (ties == TieOrder::kRows)
      for (std::int64_t i = 0; i < n_; ++i)
        put(i, found.lambda[found.place[i]], found.hessian[found.place[i]]);
    else
      TieShares(ranked_, found, space_.sums.data()).write(put);
  }

 private:
  // Leaves the derivatives in the space, by place, and returns the factor of the normalization.
  double sum_query(std::int64_t q, TieOrder ties) noexcept {
    q_ = q;
    begin_ = task_.queries.begin(q);
    n_ = task_.queries.size(q);
    ranked_ = read_slots(task_, q, ties, space_);
    n_slots_ = ranked_.n_slots;
    by_factors_ = !factor_swaps_.empty() && n_slots_ > kLanes;
    by_tables_ = task_.has_tables() && !by_factors_;
    place_documents();
    const double sum = n_slots_ > 1 ? sum_pairs() : 0.0;
    return task_.norm && sum > 0.0 ? std::log2(1.0 + sum) / sum : 1.0;
  }

  const std::int32_t* order() const noexcept { return task_.order + begin_; }

  void place_documents() noexcept {
    std::int64_t* end = space_.end.data();
    std::fill_n(end, n_slots_, 0);
    for (std::int64_t i = 0; i < n_; ++i) ++end[space_.slot[at(i)]];
    sweeps_ = by_factors_ || has_short_runs();
    if (sweeps_)
      place_by_rank();
    else
      place_by_slot();
    std::fill_n(space_.lambda.data(), n_, 0.0);
    std::fill_n(space_.hessian.data(), n_, 0.0);
  }

  // Short runs leave lanes empty, and a sweep computes pairs of equal level for nothing. Whether
  // the former costs more; `end` holds the number of documents by slot.
  bool has_short_runs() const noexcept {
    constexpr double kLanesLostByRun = 10.0;
    double of_one_level = 0.0;
    for (std::int64_t s = 0; s < n_slots_; ++s) {
      const auto count = static_cast<double>(space_.end[at(s)]);
      of_one_level += count * count;
    }
    const double runs = static_cast<double>(n_slots_ - 1);
    return kLanesLostByRun * runs * static_cast<double>(n_) > of_one_level;
  }

  void place_by_rank() noexcept {
    for (std::int64_t i = 0; i < n_; ++i) {
      space_.place[at(i)] = static_cast<std::int32_t>(i);
      space_.score[at(i)] = task_.scores[begin_ + order()[i]];
      space_.rank_slot[at(i)] = static_cast<double>(space_.slot[at(i)]);
    }
  }

  void place_by_slot() noexcept {
    std::int64_t *end = space_.end.data(), *next = space_.next.data();
    std::int64_t before = 0;
    for (std::int64_t s = 0; s < n_slots_; ++s) {
      next[s] = before;
      before = end[s] += before;
    }
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t place = next[space_.slot[at(i)]]++;
      space_.place[at(i)] = static_cast<std::int32_t>(place);
      space_.score[at(place)] = task_.scores[begin_ + order()[i]];
    }
    for (std::int64_t s = 0; s < n_slots_; ++s) next[s] = s == 0 ? 0 : end[s - 1];
  }

  // If all scores are equal, prices are not divided by distances.
  bool scores_differ() const noexcept {
    return space_.score[at(space_.place[0])] != space_.score[at(space_.place[at(n_ - 1)])];
  }

  double sum_pairs() noexcept {
    by_distance_ = task_.norm && scores_differ();
    if (by_factors_)
      read_factors();
    else if (by_tables_)
      for (const SwapPrices& part : task_.parts) table_swaps(part, &part == task_.parts.data());
    else
      table_discounts(task_.parts[0]);
    return run_in(task_.registers, [this]() SKGRADED_INLINE_BODY { return add_pairs(); });
  }

  void read_factors() noexcept {
    for (std::size_t part = 0; part < factor_swaps_.size(); ++part)
      factor_swaps_[part].start(task_.parts[part], task_.queries, q_, space_.slot.data(),
                                space_.levels.data(), n_slots_, task_.registers);
  }

  void read_gains(const SwapPrices& part) noexcept {
    for (std::int64_t s = 0; s < n_slots_; ++s)
      space_.gain[at(s)] =
          part.has_gains() ? part.gain[space_.levels[at(s)]] * part.gain_factor[q_] : 0.0;
  }

  void table_discounts(const SwapPrices& part) noexcept {
    read_gains(part);
    const double* d = part.discount.of(task_.queries, q_);
    for (std::int64_t i = 0; i < n_; ++i)
      space_.lower[at(space_.place[at(i)])] = i < part.cutoff ? d[i] : 0.0;
    for (std::int64_t i = 0; i < n_ && sweeps_; ++i)
      space_.rank_gain[at(i)] = space_.gain[at(space_.slot[at(i)])];
  }

  void read_pairs(const SwapPrices& part) noexcept {
    if (!part.has_pairs()) {
      std::fill_n(space_.K.data(), n_slots_ * n_slots_, 0.0);
      return;
    }
    for (std::int64_t a = 0; a < n_slots_; ++a)
      for (std::int64_t b = 0; b < n_slots_; ++b)
        space_.K[at(a * n_slots_ + b)] =
            part.pair(q_, space_.levels[at(a)], space_.levels[at(b)], task_.n_levels);
  }

  // Walks down the ranks; F and H hold the sums over the ranks above the current one. The first
  // part fills the tables, and the others add to them.
  void table_swaps(const SwapPrices& part, bool is_first) noexcept {
    read_gains(part);
    read_pairs(part);
    if (n_slots_ <= kLanes) {
      space_.swaps.start(space_.K.data(), space_.gain.data(), n_slots_);
      run_in(task_.registers,
             [=, &part]() SKGRADED_INLINE_BODY { table_swaps_in_lanes(part, is_first); });
      return;
    }
    std::fill_n(space_.F.data(), n_slots_, 0.0);
    std::fill_n(space_.H.data(), n_slots_, 0.0);
    const std::int64_t upper_ranks = task_.upper_ranks(n_);
    walk_down(part, [=](std::int64_t i, double d, double p) SKGRADED_INLINE_BODY {
      table_lower(i, d, p, is_first);
      count_document(space_.slot[at(i)], p);
      if (i < upper_ranks) table_upper(i, d, p, is_first);
    });
  }

  SKGRADED_ALWAYS_INLINE void table_swaps_in_lanes(const SwapPrices& part, bool is_first) noexcept {
    const std::int64_t upper_ranks = task_.upper_ranks(n_);
    walk_down(part, [=](std::int64_t i, double d, double p) SKGRADED_INLINE_BODY {
      const std::int64_t s = space_.slot[at(i)];
      const LaneRow lower = space_.swaps.of_lower(s, d, p);
      for (std::int64_t x = 0; x < n_slots_; ++x)
        put(is_first, lower.lane[x], space_.lower[at(x * space_.stride + space_.place[at(i)])]);
      space_.swaps.count(s, p);
      if (i >= upper_ranks) return;
      const LaneRow upper = space_.swaps.of_upper(s, d, p);
      for (std::int64_t y = 0; y < n_slots_; ++y)
        put(is_first, upper.lane[y], space_.upper[at(i * n_slots_ + y)]);
    });
  }

  static void put(bool is_first, double change, double& cell) noexcept {
    cell = is_first ? change : cell + change;
  }

  // Visits every rank with its discount and position weight, which are 0 below the cut-off. Where
  // K is 0, any weights of the right size will do for p.
  template <class Visit>
  SKGRADED_ALWAYS_INLINE void walk_down(const SwapPrices& part, const Visit& visit) const noexcept {
    const double* d = part.discount.of(task_.queries, q_);
    const double* p = part.has_pairs() ? part.position.of(task_.queries, q_) : d;
    for (std::int64_t i = 0; i < n_; ++i) {
      const bool counts = i < part.cutoff;
      visit(i, counts ? d[i] : 0.0, counts ? p[i] : 0.0);
    }
  }

  // The change if this rank, the lower one, is swapped with a rank above, by slot x of the latter.
  void table_lower(std::int64_t i, double d, double p, bool is_first) noexcept {
    const std::int64_t y = space_.slot[at(i)];
    const double *v = space_.gain.data(), *F = space_.F.data(), *H = space_.H.data();
    const double* K = space_.K.data() + y * n_slots_;
    double* lower = space_.lower.data() + space_.place[at(i)];
    for (std::int64_t x = 0; x < n_slots_; ++x)
      put(is_first, (v[x] - v[y]) * d + (H[y] - H[x]) + p * ((F[x] - F[y]) + (K[x] - K[y])),
          lower[x * space_.stride]);
  }

  void count_document(std::int64_t s, double p) noexcept {
    const double* K = space_.K.data();
    for (std::int64_t u = 0; u < n_slots_; ++u) {
      space_.F[at(u)] += K[s * n_slots_ + u];
      space_.H[at(u)] += p * K[u * n_slots_ + s];
    }
  }

  // The change if this rank, the upper one, is swapped with a rank below, by slot y of the latter.
  // F and H include this rank by now.
  void table_upper(std::int64_t i, double d, double p, bool is_first) noexcept {
    const std::int64_t x = space_.slot[at(i)];
    const double *v = space_.gain.data(), *F = space_.F.data(), *H = space_.H.data();
    const double* K = space_.K.data();
    double* upper = space_.upper.data() + i * n_slots_;
    for (std::int64_t y = 0; y < n_slots_; ++y) {
      const double above = (F[y] - K[x * n_slots_ + y]) - (F[x] - K[x * n_slots_ + x]);
      const double self = K[y * n_slots_ + y] - K[x * n_slots_ + x];
      put(is_first, (v[y] - v[x]) * d + p * (above + self) - (H[y] - H[x]), upper[y]);
    }
  }

  // Pairs of one upper rank with a run of lower ranks, or with all of them.
  struct Pairs {
    std::int64_t first, end;  // lower places
    double upper_score;

    std::int64_t size() const noexcept { return end - first; }
    std::int64_t in_lanes() const noexcept { return (size() + kLanes - 1) / kLanes * kLanes; }
  };

  // Sums over some pairs of an upper rank; `size` is that of |lambda|.
  struct Sums {
    double lambda = 0.0, hessian = 0.0, size = 0.0;

    void operator+=(const Sums& other) noexcept {
      lambda += other.lambda;
      hessian += other.hessian;
      size += other.size;
    }
  };

  static double sum_of(const LaneRow& row) noexcept {
    static_assert(kLanes == 8);
    const double* x = row.lane;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
  }

  // Returns the sum of |lambda| over both documents of all pairs.
  SKGRADED_ALWAYS_INLINE double add_pairs() const noexcept {
    double total = 0.0;
    const std::int64_t upper_ranks = task_.upper_ranks(n_);
    for (std::int64_t i = 0; i < upper_ranks; ++i) {
      const Sums sums = sweeps_ ? sweep(i) : add_runs(i);
      space_.lambda[at(space_.place[at(i)])] -= sums.lambda;
      space_.hessian[at(space_.place[at(i)])] += sums.hessian;
      total += sums.size;
    }
    return 2.0 * total;
  }

  SKGRADED_ALWAYS_INLINE Sums add_runs(std::int64_t i) const noexcept {
    const std::int64_t x = space_.slot[at(i)];
    ++space_.next[at(x)];
    Sums sums;
    for (std::int64_t y = 0; y < n_slots_; ++y) {
      const Pairs pairs{space_.next[at(y)], space_.end[at(y)],
                        space_.score[at(space_.place[at(i)])]};
      if (y == x || pairs.size() == 0) continue;
      sums += add_run(i, y, pairs);
    }
    return sums;
  }

  SKGRADED_ALWAYS_INLINE Sums sweep(std::int64_t i) const noexcept {
    const Pairs pairs{i + 1, n_, space_.score[at(i)]};
    if (by_factors_)
      price_factors(i);
    else if (by_tables_)
      price_swaps(i, pairs);
    else
      price_gains(i, pairs);
    const double own = space_.rank_slot[at(i)];
    const double *slot = space_.rank_slot.data() + pairs.first, *change = space_.change.data();
    return add_priced<true>(
        pairs, [=](std::int64_t j) SKGRADED_INLINE_BODY { return own > slot[j] ? 1.0 : -1.0; },
        [=](std::int64_t j) SKGRADED_INLINE_BODY { return change[j]; });
  }

  // ---- The changes by swaps

  SKGRADED_ALWAYS_INLINE Sums add_run(std::int64_t i, std::int64_t y,
                                      const Pairs& pairs) const noexcept {
    const std::int64_t x = space_.slot[at(i)];
    const double sign = x > y ? 1.0 : -1.0;
    const double* lower = space_.lower.data() + pairs.first;
    double constant = 0.0, factor = 1.0;
    if (by_tables_) {
      constant = space_.upper[at(i * n_slots_ + y)];
      lower += x * space_.stride;
    } else {
      factor = space_.gain[at(x)] - space_.gain[at(y)];
      constant = -factor * task_.parts[0].discount.of(task_.queries, q_)[i];
    }
    return add_priced<false>(
        pairs, [=](std::int64_t) SKGRADED_INLINE_BODY { return sign; },
        [=](std::int64_t j) SKGRADED_INLINE_BODY { return constant + factor * lower[j]; });
  }

  SKGRADED_ALWAYS_INLINE void price_factors(std::int64_t i) const noexcept {
    for (std::size_t part = 0; part < factor_swaps_.size(); ++part)
      factor_swaps_[part].price(i, part == 0, space_.change.data());
  }

  SKGRADED_ALWAYS_INLINE void price_swaps(std::int64_t i, const Pairs& pairs) const noexcept {
    const double* upper = space_.upper.data() + i * n_slots_;
    const double* lower = space_.lower.data() + space_.slot[at(i)] * space_.stride + pairs.first;
    const std::int32_t* slot = space_.slot.data() + pairs.first;
    double* change = space_.change.data();
    for (std::int64_t j = 0; j < pairs.size(); ++j) change[j] = upper[slot[j]] + lower[j];
  }

  SKGRADED_ALWAYS_INLINE void price_gains(std::int64_t i, const Pairs& pairs) const noexcept {
    const double own = space_.rank_gain[at(i)], discount = space_.lower[at(i)];
    const double* gain = space_.rank_gain.data() + pairs.first;
    const double* lower = space_.lower.data() + pairs.first;
    double* change = space_.change.data();
    for (std::int64_t j = 0; j < pairs.in_lanes(); ++j)
      change[j] = (own - gain[j]) * (lower[j] - discount);
  }

  // ---- The derivatives

  // Adds the derivatives to the lower documents, and returns their sums for the upper one. The sign
  // is 1 if the upper document is the better one, else -1; in a run all pairs have the same sign.
  // Each lane has a sum of its own, so that the bits do not depend on the width of the registers.
  template <bool kBothSigns, class Sign, class Change>
  SKGRADED_ALWAYS_INLINE Sums add_priced(const Pairs& pairs, const Sign& sign_of,
                                         const Change& change_of) const noexcept {
    const PairCost cost(task_);
    const Spread spread(by_distance_);
    const double* score = space_.score.data() + pairs.first;
    const double* real = space_.ones_for(pairs.size());
    double* lambda = space_.lambda.data() + pairs.first;
    double* hessian = space_.hessian.data() + pairs.first;
    LaneRow first{}, second{}, size{};
    for (std::int64_t i = 0; i < pairs.size(); i += kLanes) {
      LaneRow lambdas = row_at(lambda + i), hessians = row_at(hessian + i);
      for (std::int64_t j = 0; j < kLanes; ++j) {
        const double sign = sign_of(i + j);
        // The difference is negative only beyond the last pair.
        const double gap = std::abs(pairs.upper_score - score[i + j]);
        const double price = std::abs(change_of(i + j)) * (cost.exp.steepness * real[i + j]);
        const PairDerivatives pair =
            cost.of(gap, sign * cost.exp.bins_per_unit, spread.nearest, spread.farther, price);
        lambdas.lane[j] += sign * pair.first;
        hessians.lane[j] += pair.second;
        first.lane[j] += sign * pair.first;
        second.lane[j] += pair.second;
        if (kBothSigns) size.lane[j] += std::abs(sign * pair.first);
      }
      put_row(lambdas, lambda + i);
      put_row(hessians, hessian + i);
    }
    const double sum = sum_of(first);
    return {sum, sum_of(second), kBothSigns ? sum_of(size) : std::abs(sum)};
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }
};

}  // namespace skgraded
