// The lambdas of short queries, eight side by side, one in each lane. A short query alone would
// leave most lanes empty.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "lambda_pair.hpp"
#include "lambda_slots.hpp"
#include "lambda_task.hpp"
#include "pair_matrix.hpp"
#include "queries.hpp"
#include "simd.hpp"
#include "tie_orders.hpp"
#include "tie_shares.hpp"

namespace skgraded {

// Queries of this size and smaller go together.
constexpr std::int64_t kTiny = 32;

// Room for eight queries. What grows with the square of their size is as small as the data allows:
// beyond a hundred kilobytes, many allocators take pages from the system in every call.
struct TinySpace {
  explicit TinySpace(std::int64_t longest)
      : upper(new LaneRow[static_cast<std::size_t>(longest * longest)]) {}

  std::int64_t waiting[kTiny + 1][kLanes];  // by size: numbers of queries
  int n_waiting[kTiny + 1] = {};            // by size
  bool shares[kLanes];                      // whether ties share their derivatives
  std::int32_t own_slot[kLanes][kTiny];     // by rank, where ties share
  std::int32_t slot[kLanes][kTiny];
  std::int64_t n_slots[kLanes];
  LaneRow nearest, farther, total;
  LaneRow steepness[kTiny];                  // 0 where the query lacks that rank
  LaneRow grade[kTiny], score[kTiny];        // by rank: what counts there
  LaneRow discount[kTiny], position[kTiny];  // by rank
  LaneRow gain[kTiny];                       // by rank, as all numbers below
  LaneRow f[kTiny], h[kTiny];                // factors of K
  LaneRow F[kTiny], H[kTiny];                // sums of f(min) over the ranks so far: alone, by p h
  std::unique_ptr<LaneRow[]> upper;          // by upper and lower rank, n a row
  LaneRow u[kTiny], w[kTiny];                // the other factors of K
  LaneRow u_above[kTiny], w_down_to[kTiny];  // their sums, the latter one by p
  LaneRow lambda[kTiny], hessian[kTiny];
};

// Derivatives of up to eight queries of at most n documents. A query's bits do not depend on the
// others: what the ranks that it lacks add counts for nothing.
template <class Level>
class TinyLambdas {
  const LambdaTask<Level>& task_;
  const SwapPrices& prices_;  // of the only part
  LambdaSpace& space_;
  TinySpace& tiny_;
  std::int64_t n_, n_upper_;

 public:
  TinyLambdas(const LambdaTask<Level>& task, LambdaSpace& space, TinySpace& tiny,
              std::int64_t n) noexcept
      : task_(task),
        prices_(task.parts[0]),
        space_(space),
        tiny_(tiny),
        n_(n),
        n_upper_(task.upper_ranks(n)) {}

  void add(const std::int64_t* queries, int n_queries, const Derivatives& out) noexcept {
    for (int j = 0; j < n_queries; ++j) read(queries[j], j);
    for (int j = n_queries; j < kLanes; ++j) leave_empty(j);
    if (prices_.has_gains()) read_weights(prices_.discount, queries, n_queries, tiny_.discount);
    if (prices_.has_pairs()) read_weights(prices_.position, queries, n_queries, tiny_.position);
    add_pairs();
    for (int j = 0; j < n_queries; ++j) write(queries[j], j, out);
  }

 private:
  // ---- From documents to lanes

  void read(std::int64_t q, int j) noexcept {
    const std::int64_t n = task_.queries.size(q);
    std::int32_t level[kTiny];
    read_ranks(q, j, n, level);
    for (std::int64_t i = 0; i < n; ++i) {
      tiny_.grade[i].lane[j] = static_cast<double>(level[i]);
      tiny_.steepness[i].lane[j] = task_.binned_exp.steepness;
    }
    const PairFactors& K = prices_.factors;
    const auto take = [&](const double* by_level, double factor, LaneRow* rows) noexcept {
      for (std::int64_t i = 0; i < n; ++i) rows[i].lane[j] = by_level[level[i]] * factor;
    };
    if (prices_.has_gains()) take(prices_.gain, prices_.gain_factor[q], tiny_.gain);
    if (K.f != nullptr) {
      take(K.f_of(q), 1.0, tiny_.f);
      for (std::int64_t i = 0; i < n; ++i)
        tiny_.h[i].lane[j] = K.h_at(level[i], q) * prices_.pair_factor[q];
    }
    if (K.u != nullptr) {
      take(K.u, 1.0, tiny_.u);
      take(K.w, prices_.pair_factor[q], tiny_.w);
    }
    clear_beyond(j, n);
    const bool differ = tiny_.score[0].lane[j] != tiny_.score[n - 1].lane[j];
    const Spread spread(task_.norm && differ);
    tiny_.nearest.lane[j] = spread.nearest;
    tiny_.farther.lane[j] = spread.farther;
  }

  // What stands beyond the last rank must be finite.
  void clear_beyond(int j, std::int64_t n) noexcept {
    for (std::int64_t i = n; i < n_; ++i)
      for (LaneRow* rows : {tiny_.steepness, tiny_.grade, tiny_.score, tiny_.gain, tiny_.f, tiny_.h,
                            tiny_.u, tiny_.w})
        rows[i].lane[j] = 0.0;
  }

  void read_ranks(std::int64_t q, int j, std::int64_t n, std::int32_t* level) noexcept {
    const std::int64_t begin = task_.queries.begin(q);
    std::uint8_t any_tied = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t document = begin + task_.order[begin + i];
      tiny_.score[i].lane[j] = task_.scores[document];
      level[i] = static_cast<std::int32_t>(task_.level[document]);
      any_tied |= task_.tied[begin + i];
    }
    tiny_.shares[j] = task_.ties != TieOrder::kRows && any_tied != 0;
    if (!tiny_.shares[j]) return;
    const RankedSlots ranked = read_slots(task_, q, task_.ties, space_);
    std::copy_n(ranked.own.level, n, tiny_.own_slot[j]);
    std::copy_n(ranked.slot, n, tiny_.slot[j]);
    tiny_.n_slots[j] = ranked.n_slots;
    for (std::int64_t i = 0; i < n; ++i)
      level[i] = space_.levels[static_cast<std::size_t>(ranked.slot[i])];
  }

  void leave_empty(int j) noexcept {
    clear_beyond(j, 0);
    tiny_.nearest.lane[j] = tiny_.farther.lane[j] = 1.0;
  }

  void read_weights(const RankWeights& weights, const std::int64_t* queries, int n_queries,
                    LaneRow* rows) noexcept {
    const std::int64_t n = std::min(n_, prices_.cutoff);
    std::fill_n(rows, n_, LaneRow{});
    for (std::int64_t i = 0; i < n && !weights.ragged; ++i)
      for (int j = 0; j < kLanes; ++j) rows[i].lane[j] = weights.values[i];
    for (int j = 0; j < n_queries && weights.ragged; ++j)
      for (std::int64_t i = 0; i < std::min(n, task_.queries.size(queries[j])); ++i)
        rows[i].lane[j] = weights.of(task_.queries, queries[j])[i];
  }

  // ---- One walk down the ranks, which meets every pair at its lower rank

  void add_pairs() noexcept {
    const bool has_gains = prices_.has_gains();
    const bool has_f = prices_.factors.f != nullptr, has_u = prices_.factors.u != nullptr;
    if (has_f && !has_u && !has_gains) return add_pairs_of<false, true, false>();
    if (has_u && !has_f && !has_gains) return add_pairs_of<false, false, true>();
    if (!has_gains) clear(tiny_.gain, tiny_.discount);
    if (!has_f && !has_u) return add_pairs_of<true, false, false>();
    if (!has_f) clear(tiny_.f, tiny_.h);
    if (!has_u) clear(tiny_.u, tiny_.w);
    add_pairs_of<true, true, true>();
  }

  void clear(LaneRow* rows, LaneRow* others) noexcept {
    std::fill_n(rows, n_, LaneRow{});
    std::fill_n(others, n_, LaneRow{});
  }

  template <bool kGains, bool kF, bool kU>
  void add_pairs_of() noexcept {
    run_in(task_.registers,
           [this]() SKGRADED_INLINE_BODY { return add_pairs_in_lanes<kGains, kF, kU>(); });
  }

  template <bool kGains, bool kF, bool kU>
  SKGRADED_ALWAYS_INLINE void add_pairs_in_lanes() noexcept {
    const PairCost cost(task_);
    LaneRow u_above{}, w_above{};
    tiny_.total = {};
    if (kF) clear(tiny_.F, tiny_.H);
    for (std::int64_t b = 0; b < n_; ++b) {
      const Below below = at_rank<kF, kU>(b, u_above, w_above);
      LaneRow first{}, second{};
      for (std::int64_t a = 0; a < std::min(b, n_upper_); ++a)
        add_pair<kGains, kF, kU>(cost, a, b, below, first, second);
      tiny_.lambda[b] = first;
      tiny_.hessian[b] = second;
      if (kF) count_rank(b, below);
      if (kU) count_factors(b, below, u_above, w_above);
    }
  }

  // What belongs to the lower rank of pairs.
  struct Below {
    LaneRow steepness, grade, score;
    LaneRow gain, discount;
    LaneRow position, f, own, H, p_h;
    LaneRow u, w, p_u, w_above;
  };

  template <bool kF, bool kU>
  SKGRADED_ALWAYS_INLINE Below at_rank(std::int64_t b, const LaneRow& u_above,
                                       const LaneRow& w_above) const noexcept {
    Below below;
    below.steepness = tiny_.steepness[b];
    below.grade = tiny_.grade[b];
    below.score = tiny_.score[b];
    below.gain = tiny_.gain[b];
    below.discount = tiny_.discount[b];
    below.position = tiny_.position[b];
    if (kF) {
      below.f = tiny_.f[b];
      below.H = tiny_.H[b];
      SKGRADED_IN_LANES
      for (int j = 0; j < kLanes; ++j) {
        below.own.lane[j] = tiny_.h[b].lane[j] * (tiny_.F[b].lane[j] + below.f.lane[j]);
        below.p_h.lane[j] = below.position.lane[j] * tiny_.h[b].lane[j];
      }
    }
    if (kU) {
      below.u = tiny_.u[b];
      below.w = tiny_.w[b];
      below.w_above = w_above;
      SKGRADED_IN_LANES
      for (int j = 0; j < kLanes; ++j)
        below.p_u.lane[j] = below.position.lane[j] * (u_above.lane[j] + below.u.lane[j]);
    }
    return below;
  }

  template <bool kGains, bool kF, bool kU>
  SKGRADED_ALWAYS_INLINE void add_pair(const PairCost& cost, std::int64_t a, std::int64_t b,
                                       const Below& below, LaneRow& first,
                                       LaneRow& second) noexcept {
    const LaneRow upper = kF ? tiny_.upper.get()[a * n_ + b] : LaneRow{};
    SKGRADED_IN_LANES
    for (int j = 0; j < kLanes; ++j) {
      double change = 0.0;
      if constexpr (kGains)
        change = (tiny_.gain[a].lane[j] - below.gain.lane[j]) *
                 (below.discount.lane[j] - tiny_.discount[a].lane[j]);
      if constexpr (kF) {
        const double f = tiny_.f[a].lane[j], low = f < below.f.lane[j] ? f : below.f.lane[j];
        const double F = tiny_.F[a].lane[j] + low, H = tiny_.H[a].lane[j];
        change +=
            upper.lane[j] + (below.position.lane[j] * (tiny_.h[a].lane[j] * F - below.own.lane[j]) +
                             (below.H.lane[j] - H));
        tiny_.F[a].lane[j] = F;
        tiny_.H[a].lane[j] = H + below.p_h.lane[j] * low;
      }
      if constexpr (kU) {
        const double u = tiny_.u[a].lane[j], w = tiny_.w[a].lane[j];
        const double u_above = tiny_.u_above[a].lane[j];
        const double u_below = below.u.lane[j], w_below = below.w.lane[j];
        change += tiny_.position[a].lane[j] * ((u_above + u_below) * w_below - (u_above + u) * w) +
                  ((u_below - u) * (below.w_above.lane[j] - tiny_.w_down_to[a].lane[j]) +
                   below.p_u.lane[j] * (w - w_below));
      }
      const double sign = tiny_.grade[a].lane[j] > below.grade.lane[j] ? 1.0 : -1.0;
      const double gap = std::abs(tiny_.score[a].lane[j] - below.score.lane[j]);
      const PairDerivatives pair =
          cost.of(gap, sign * cost.exp.bins_per_unit, tiny_.nearest.lane[j], tiny_.farther.lane[j],
                  std::abs(change) * below.steepness.lane[j]);
      first.lane[j] += sign * pair.first;
      second.lane[j] += pair.second;
      tiny_.lambda[a].lane[j] -= sign * pair.first;
      tiny_.hessian[a].lane[j] += pair.second;
      tiny_.total.lane[j] += pair.first;
    }
  }

  // Adds a rank to F and H, and prices its part as the upper rank of pairs.
  SKGRADED_ALWAYS_INLINE void count_rank(std::int64_t a, const Below& at) noexcept {
    LaneRow H_own;
    SKGRADED_IN_LANES
    for (int j = 0; j < kLanes; ++j) {
      H_own.lane[j] = at.H.lane[j] + at.p_h.lane[j] * at.f.lane[j];
      tiny_.F[a].lane[j] += at.f.lane[j];
      tiny_.H[a].lane[j] = H_own.lane[j];
    }
    for (std::int64_t b = a + 1; b < n_; ++b) {
      LaneRow upper;
      SKGRADED_IN_LANES
      for (int j = 0; j < kLanes; ++j) {
        const double f = tiny_.f[b].lane[j], F = tiny_.F[b].lane[j];
        const double low = f < at.f.lane[j] ? f : at.f.lane[j];
        const double H = tiny_.H[b].lane[j] + at.p_h.lane[j] * low;
        upper.lane[j] = at.position.lane[j] * (tiny_.h[b].lane[j] * (F + f) - at.own.lane[j]) -
                        (H - H_own.lane[j]);
        tiny_.F[b].lane[j] = F + low;
        tiny_.H[b].lane[j] = H;
      }
      tiny_.upper.get()[a * n_ + b] = upper;
    }
  }

  SKGRADED_ALWAYS_INLINE void count_factors(std::int64_t a, const Below& at, LaneRow& u_above,
                                            LaneRow& w_above) noexcept {
    SKGRADED_IN_LANES
    for (int j = 0; j < kLanes; ++j) {
      tiny_.u_above[a].lane[j] = u_above.lane[j];
      u_above.lane[j] += at.u.lane[j];
      w_above.lane[j] += at.position.lane[j] * at.w.lane[j];
      tiny_.w_down_to[a].lane[j] = w_above.lane[j];
    }
  }

  // ---- From lanes to documents

  void write(std::int64_t q, int j, const Derivatives& out) noexcept {
    const double sum = 2.0 * tiny_.total.lane[j];
    const double factor = (task_.norm && sum > 0.0 ? std::log2(1.0 + sum) / sum : 1.0) * out.share;
    const std::int64_t begin = task_.queries.begin(q), n = task_.queries.size(q);
    const std::int32_t* order = task_.order + begin;
    const auto put = [&](std::int64_t i, double lambda, double second) noexcept {
      out.add(begin + order[i], lambda, second, factor);
    };
    if (tiny_.shares[j])
      share(q, j, n, put);
    else
      for (std::int64_t i = 0; i < n; ++i)
        put(i, tiny_.lambda[i].lane[j], tiny_.hessian[i].lane[j]);
  }

  template <class Put>
  void share(std::int64_t q, int j, std::int64_t n, const Put& put) noexcept {
    std::int32_t place[kTiny];
    double lambda[kTiny], hessian[kTiny];
    for (std::int64_t i = 0; i < n; ++i) {
      place[i] = static_cast<std::int32_t>(i);
      lambda[i] = tiny_.lambda[i].lane[j];
      hessian[i] = tiny_.hessian[i].lane[j];
    }
    const RankedList<std::int32_t> own{tiny_.own_slot[j], task_.tied + task_.queries.begin(q), n};
    const RankedSlots ranked{own, tiny_.slot[j], tiny_.n_slots[j]};
    const PlacedDerivatives found{place, lambda, hessian};
    TieShares(ranked, found, space_.sums.data()).write(put);
  }
};

}  // namespace skgraded
