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
#include "simd.hpp"
#include "tie_shares.hpp"

namespace skgraded {

// Queries of this size and smaller go together.
constexpr std::int64_t kTiny = 32;

// Room for eight queries. What grows with the square of their size is as small as the data allows:
// beyond a hundred kilobytes, many allocators take pages from the system in every call.
struct TinySpace {
  explicit TinySpace(std::int64_t longest)
      : K(new LaneRow[static_cast<std::size_t>(longest * longest)]),
        upper(new LaneRow[static_cast<std::size_t>(longest * longest)]) {}

  std::int64_t waiting[kTiny + 1][kLanes];  // by size: numbers of queries
  int n_waiting[kTiny + 1] = {};            // by size
  bool shares[kLanes];                      // whether ties share their derivatives
  std::int32_t own_slot[kLanes][kTiny];     // by rank, where ties share
  std::int32_t slot[kLanes][kTiny];
  std::int64_t n_slots[kLanes];
  std::int32_t level[kLanes][kTiny];         // by rank: what counts there
  LaneRow grade[kTiny];                      // the same as numbers
  LaneRow score[kTiny], gain[kTiny];         // by rank
  LaneRow discount[kTiny], position[kTiny];  // by rank
  std::unique_ptr<LaneRow[]> K;              // by upper and lower rank, n a row
  LaneRow F[kTiny];                          // by rank: sum of K[., rank] over the ranks so far
  LaneRow H[kTiny];                          // by rank: sum of p K[rank, .] over the ranks so far
  std::unique_ptr<LaneRow[]> upper;          // by upper and lower rank, n a row
  LaneRow real[kTiny];                       // 1 where the query has that rank, else 0
  LaneRow nearest, farther, total;
  LaneRow lambda[kTiny], hessian[kTiny];  // by rank
};

// Derivatives of up to eight queries of at most n documents. A query's bits do not depend on the
// others: ranks that it lacks add zeros.
template <class Level>
class TinyLambdas {
  const LambdaTask<Level>& task_;
  const SwapPrices& prices_;  // of the only part
  LambdaSpace& space_;
  TinySpace& tiny_;
  std::int64_t n_, n_upper_;
  bool has_pairs_;

 public:
  TinyLambdas(const LambdaTask<Level>& task, LambdaSpace& space, TinySpace& tiny,
              std::int64_t n) noexcept
      : task_(task),
        prices_(task.parts[0]),
        space_(space),
        tiny_(tiny),
        n_(n),
        n_upper_(task.upper_ranks(n)),
        has_pairs_(prices_.has_pairs()) {}

  void add(const std::int64_t* queries, int n_queries, const Derivatives& out) noexcept {
    for (int j = 0; j < n_queries; ++j) read(queries[j], j);
    for (int j = n_queries; j < kLanes; ++j) leave_empty(j);
    run_in(task_.registers, [this]() SKGRADED_INLINE_BODY { add_pairs(); });
    for (int j = 0; j < n_queries; ++j) write(queries[j], j, out);
  }

 private:
  // ---- From documents to lanes

  void read(std::int64_t q, int j) noexcept {
    const std::int64_t n = task_.queries.size(q), last = std::min(n, prices_.cutoff);
    read_ranks(q, j, n);
    const double* d = prices_.discount.of(task_.queries, q);
    const double* p = prices_.position.of(task_.queries, q);
    clear_beyond(j, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t level = tiny_.level[j][i];
      tiny_.real[i].lane[j] = 1.0;
      tiny_.grade[i].lane[j] = static_cast<double>(level);
      tiny_.gain[i].lane[j] = prices_.gain[level] * prices_.gain_factor[q];
      tiny_.discount[i].lane[j] = i < last ? d[i] : 0.0;
      if (has_pairs_) tiny_.position[i].lane[j] = i < last ? p[i] : 0.0;
    }
    if (has_pairs_) read_pairs(q, j, n);
    const bool differ = tiny_.score[0].lane[j] != tiny_.score[n - 1].lane[j];
    const Spread spread(task_.norm && differ);
    tiny_.nearest.lane[j] = spread.nearest;
    tiny_.farther.lane[j] = spread.farther;
  }

  void clear_beyond(int j, std::int64_t n) noexcept {
    for (std::int64_t i = n; i < n_; ++i) {
      for (LaneRow* rows : {tiny_.real, tiny_.grade, tiny_.score, tiny_.gain, tiny_.discount})
        rows[i].lane[j] = 0.0;
      if (!has_pairs_) continue;
      tiny_.position[i].lane[j] = 0.0;
      for (std::int64_t b = 0; b < n_; ++b)
        tiny_.K[i * n_ + b].lane[j] = tiny_.K[b * n_ + i].lane[j] = 0.0;
    }
  }

  void read_ranks(std::int64_t q, int j, std::int64_t n) noexcept {
    const std::int64_t begin = task_.queries.begin(q);
    tiny_.shares[j] = task_.ties != TieOrder::kRows && has_ties(task_, q);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t document = begin + task_.order[begin + i];
      tiny_.score[i].lane[j] = task_.scores[document];
      tiny_.level[j][i] = static_cast<std::int32_t>(task_.level[document]);
    }
    if (!tiny_.shares[j]) return;
    const RankedSlots ranked = read_slots(task_, q, task_.ties, space_);
    std::copy_n(ranked.own.level, n, tiny_.own_slot[j]);
    std::copy_n(ranked.slot, n, tiny_.slot[j]);
    tiny_.n_slots[j] = ranked.n_slots;
    for (std::int64_t i = 0; i < n; ++i)
      tiny_.level[j][i] = space_.levels[static_cast<std::size_t>(ranked.slot[i])];
  }

  void read_pairs(std::int64_t q, int j, std::int64_t n) noexcept {
    const std::int32_t* level = tiny_.level[j];
    for (std::int64_t a = 0; a < n; ++a)
      for (std::int64_t b = 0; b < n; ++b)
        tiny_.K[a * n_ + b].lane[j] =
            prices_.pair_factor[q] * prices_.pairs.at(q, level[a] * task_.n_levels + level[b]);
  }

  void leave_empty(int j) noexcept {
    clear_beyond(j, 0);
    tiny_.nearest.lane[j] = tiny_.farther.lane[j] = 1.0;
  }

  // ---- One walk down the ranks, which meets every pair at its lower rank

  SKGRADED_ALWAYS_INLINE void add_pairs() noexcept {
    for (int j = 0; j < kLanes; ++j) tiny_.total.lane[j] = 0.0;
    if (has_pairs_) clear_sums();
    for (std::int64_t b = 0; b < n_; ++b) {
      LaneRow first{}, second{};
      for (std::int64_t a = 0; a < std::min(b, n_upper_); ++a) {
        LaneRow change;
        if (has_pairs_)
          change_of_pairs(a, b, change);
        else
          change_of_gain(a, b, change);
        add_pair(a, b, change, first, second);
      }
      tiny_.lambda[b] = first;
      tiny_.hessian[b] = second;
      if (has_pairs_) count_rank(b);
    }
  }

  SKGRADED_ALWAYS_INLINE void change_of_gain(std::int64_t a, std::int64_t b,
                                             LaneRow& change) const noexcept {
    for (int j = 0; j < kLanes; ++j)
      change.lane[j] = (tiny_.gain[a].lane[j] - tiny_.gain[b].lane[j]) *
                       (tiny_.discount[b].lane[j] - tiny_.discount[a].lane[j]);
  }

  SKGRADED_ALWAYS_INLINE void add_pair(std::int64_t a, std::int64_t b, const LaneRow& change,
                                       LaneRow& first, LaneRow& second) noexcept {
    const PairCost cost(task_);
    for (int j = 0; j < kLanes; ++j) {
      const double sign = tiny_.grade[a].lane[j] > tiny_.grade[b].lane[j] ? 1.0 : -1.0;
      const double gap = std::abs(tiny_.score[a].lane[j] - tiny_.score[b].lane[j]);
      const PairDerivatives pair =
          cost.of(gap, sign * cost.exp.bins_per_unit, tiny_.nearest.lane[j], tiny_.farther.lane[j],
                  std::abs(change.lane[j]) * (cost.exp.steepness * tiny_.real[b].lane[j]));
      first.lane[j] += sign * pair.first;
      second.lane[j] += pair.second;
      tiny_.lambda[a].lane[j] -= sign * pair.first;
      tiny_.hessian[a].lane[j] += pair.second;
      tiny_.total.lane[j] += pair.first;
    }
  }

  // ---- The changes by swaps, as in query_lambdas.hpp, with ranks in the place of slots

  SKGRADED_ALWAYS_INLINE void clear_sums() noexcept {
    for (std::int64_t s = 0; s < n_; ++s)
      for (int j = 0; j < kLanes; ++j) tiny_.F[s].lane[j] = tiny_.H[s].lane[j] = 0.0;
  }

  SKGRADED_ALWAYS_INLINE void change_of_pairs(std::int64_t a, std::int64_t b,
                                              LaneRow& change) const noexcept {
    for (int j = 0; j < kLanes; ++j) {
      const double d = tiny_.discount[b].lane[j], p = tiny_.position[b].lane[j];
      const double gain = tiny_.gain[a].lane[j] - tiny_.gain[b].lane[j];
      const double H = tiny_.H[b].lane[j] - tiny_.H[a].lane[j];
      const double F = tiny_.F[a].lane[j] - tiny_.F[b].lane[j];
      const double self = tiny_.K[b * n_ + a].lane[j] - tiny_.K[b * n_ + b].lane[j];
      change.lane[j] = tiny_.upper[a * n_ + b].lane[j] + (gain * d + H + p * (F + self));
    }
  }

  SKGRADED_ALWAYS_INLINE void count_rank(std::int64_t a) noexcept {
    for (std::int64_t s = 0; s < n_; ++s)
      for (int j = 0; j < kLanes; ++j) {
        tiny_.F[s].lane[j] += tiny_.K[a * n_ + s].lane[j];
        tiny_.H[s].lane[j] += tiny_.position[a].lane[j] * tiny_.K[s * n_ + a].lane[j];
      }
    if (a >= n_upper_) return;
    for (std::int64_t b = a + 1; b < n_; ++b) table_upper(a, b);
  }

  SKGRADED_ALWAYS_INLINE void table_upper(std::int64_t a, std::int64_t b) noexcept {
    for (int j = 0; j < kLanes; ++j) {
      const double d = tiny_.discount[a].lane[j], p = tiny_.position[a].lane[j];
      const double gain = tiny_.gain[b].lane[j] - tiny_.gain[a].lane[j];
      const double own = tiny_.K[a * n_ + a].lane[j];
      const double above = (tiny_.F[b].lane[j] - tiny_.K[a * n_ + b].lane[j]) -  //
                           (tiny_.F[a].lane[j] - own);
      const double self = tiny_.K[b * n_ + b].lane[j] - own;
      const double H = tiny_.H[b].lane[j] - tiny_.H[a].lane[j];
      tiny_.upper[a * n_ + b].lane[j] = gain * d + p * (above + self) - H;
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
