// Changes of the measure by swaps where K has factors, K[a, b] = f(min(a, b)) h(b) + u(a) w(b), so
// that a query may have a level for every document. lambdas.hpp defines the words.
//
// A swap's change needs F and H, by the slots of the two documents, at the ranks of both. At a
// document's own rank they are sums over the ranks above. Those at the upper rank grow while the
// upper ranks are walked, with a lane for each lower rank; those at the lower rank grow while the
// lower ranks are walked, with a lane for each of eight upper ranks. As f does not fall,
// f(min(a, b)) is the lower one of two numbers. The products of u and w need no such sums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "lambda_task.hpp"
#include "lower_sums.hpp"
#include "pair_sums.hpp"
#include "simd.hpp"

namespace skgraded {

// One part of the measure on one query. All arrays are by rank.
class FactorSwaps {
  std::vector<double> gain_, d_, p_;
  std::vector<double> f_, h_, u_, w_;
  std::vector<double> p_h_;            // the weight of f in H
  std::vector<double> F_own_, H_own_;  // of f and h: at the rank itself, for its own slot
  std::vector<double> seen_, rest_;    // of f: F and, less what the rank itself gives, H
  std::vector<double> down_to_;        // of F and H, by eight upper ranks and rank
  std::vector<double> u_above_, w_above_, u_down_to_;  // the last one times p
  std::vector<std::int64_t> next_;
  LevelTree tree_, weighed_tree_;
  std::int64_t stride_, n_ = 0;
  Registers registers_ = Registers::kPlain;
  bool has_gains_ = false, has_f_ = false, has_u_ = false;

 public:
  FactorSwaps(std::int64_t longest, std::int64_t stride)
      : down_to_(static_cast<std::size_t>(stride * kLanes)),
        next_(static_cast<std::size_t>(longest)),
        tree_(longest),
        weighed_tree_(longest),
        stride_(stride) {
    for (auto* each : {&gain_, &d_, &p_, &f_, &h_, &u_, &w_, &p_h_, &F_own_, &H_own_, &seen_,
                       &rest_, &u_above_, &w_above_, &u_down_to_})
      each->resize(static_cast<std::size_t>(stride));
    std::iota(next_.begin(), next_.end(), std::int64_t{1});
  }

  // Reads a query whose slots stand by rank; `levels` holds the level of each slot.
  void start(const SwapPrices& part, const Queries& queries, std::int64_t q,
             const std::int32_t* slot, const std::int32_t* levels, std::int64_t n_slots,
             Registers registers) noexcept {
    n_ = queries.size(q);
    registers_ = registers;
    const PairFactors& K = part.factors;
    has_f_ = K.f != nullptr;
    has_u_ = K.u != nullptr;
    has_gains_ = part.has_gains();
    const double* d = part.discount.of(queries, q);
    const double* p = part.has_factors() ? part.position.of(queries, q) : d;
    const double *f = K.f_of(q), scale = part.pair_factor[q];
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int32_t level = levels[slot[i]];
      const bool counts = i < part.cutoff;
      d_[at(i)] = counts ? d[i] : 0.0;
      p_[at(i)] = counts ? p[i] : 0.0;
      if (has_gains_) gain_[at(i)] = part.gain[level] * part.gain_factor[q];
      if (has_f_) {
        f_[at(i)] = f[level];
        h_[at(i)] = K.h_at(level, q) * scale;
        p_h_[at(i)] = p_[at(i)] * h_[at(i)];
      }
      if (has_u_) {
        u_[at(i)] = K.u[level];
        w_[at(i)] = K.w[level] * scale;
      }
    }
    if (has_f_) sum_f(slot, n_slots);
    if (has_u_) sum_u();
  }

  // The changes by swaps of rank i with the ranks below. Ranks must come one after the other.
  SKGRADED_ALWAYS_INLINE void price(std::int64_t i, bool is_first, double* change) noexcept {
    if (is_first) std::fill_n(change, n_ - i - 1 + kLanes, 0.0);
    if (has_gains_) add_gains(i, change);
    if (has_u_) add_u(i, change);
    if (!has_f_) return;
    if (i % kLanes == 0) walk_down(i);
    add_f(i, change);
  }

 private:
  void sum_f(const std::int32_t* slot, std::int64_t n_slots) noexcept {
    if (n_ <= kLongestByPairs)
      run_in(registers_, [this]() SKGRADED_INLINE_BODY {
        LowerSums::add_up<true>(f_.data(), p_h_.data(), next_.data(), n_, F_own_.data(),
                                H_own_.data());
        return 0;
      });
    else
      sum_by_trees(slot, n_slots);
    for (std::int64_t i = 0; i < n_; ++i) {
      F_own_[at(i)] = (F_own_[at(i)] + f_[at(i)]) * h_[at(i)];
      rest_[at(i)] = H_own_[at(i)] - p_[at(i)] * F_own_[at(i)];
    }
    std::fill_n(seen_.begin(), n_ + kLanes, 0.0);
  }

  void sum_by_trees(const std::int32_t* slot, std::int64_t n_slots) noexcept {
    tree_.start(n_slots);
    weighed_tree_.start(n_slots);
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t own = slot[i] + 1;
      const double f = f_[at(i)];
      F_own_[at(i)] = tree_.sum(own, f);
      H_own_[at(i)] = weighed_tree_.sum(own, f);
      tree_.add(own, f);
      weighed_tree_.add(own, f, p_h_[at(i)]);
    }
  }

  void sum_u() noexcept {
    double u_above = 0.0, w_above = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      u_above_[at(i)] = u_above;
      w_above_[at(i)] = w_above;
      u_above += u_[at(i)];
      w_above += p_[at(i)] * w_[at(i)];
      u_down_to_[at(i)] = p_[at(i)] * u_above;
    }
  }

  SKGRADED_ALWAYS_INLINE void add_gains(std::int64_t i, double* change) const noexcept {
    const double gain = gain_[at(i)], d = d_[at(i)];
    const double *gain_by = gain_.data(), *d_by = d_.data();
    for (std::int64_t j = i + 1; j < n_; ++j)
      change[j - i - 1] += (gain_by[j] - gain) * (d - d_by[j]);
  }

  SKGRADED_ALWAYS_INLINE void add_u(std::int64_t i, double* change) const noexcept {
    const double u = u_[at(i)], w = w_[at(i)], p = p_[at(i)];
    const double u_above = u_above_[at(i)], K_above = (u_above + u) * w;
    const double w_down_to = w_above_[at(i)] + p * w;
    const double *u_by = u_.data(), *w_by = w_.data(), *w_above = w_above_.data();
    const double* u_down_to = u_down_to_.data();
    for (std::int64_t j = i + 1; j < n_; ++j)
      change[j - i - 1] += p * ((u_above + u_by[j]) * w_by[j] - K_above) +
                           (u_by[j] - u) * (w_above[j] - w_down_to) + u_down_to[j] * (w - w_by[j]);
  }

  // Eight upper ranks: their f and h, F less what they give themselves, and H.
  struct Walk {
    LaneRow f, h, F, H;
  };

  // The part of F and H at the ranks below, for eight upper ranks from this one on.
  SKGRADED_ALWAYS_INLINE void walk_down(std::int64_t first) noexcept {
    Walk walk;
    for (int lane = 0; lane < kLanes; ++lane) {
      walk.f.lane[lane] = f_[at(first + lane)];
      walk.h.lane[lane] = h_[at(first + lane)];
      walk.F.lane[lane] = seen_[at(first + lane)];
      walk.H.lane[lane] = 0.0;
    }
    LaneRow rows[kLanes];
    for (int i = 0; i < kLanes; ++i) step_down<true>(first + i, i, walk, rows[i]);
    put_down_to(first, rows);
    for (std::int64_t j = first + kLanes; j < n_; j += kLanes) {
      for (int i = 0; i < kLanes; ++i) step_down<false>(j + i, kLanes, walk, rows[i]);
      put_down_to(j, rows);
    }
  }

  SKGRADED_ALWAYS_INLINE void put_down_to(std::int64_t first, LaneRow* rows) noexcept {
    transpose(rows);
    double* to = down_to_.data() + first;
    for (int upper = 0; upper < kLanes; ++upper, to += stride_)
      for (int lane = 0; lane < kLanes; ++lane) to[lane] = rows[upper].lane[lane];
  }

  // Goes on by rank j, which only the first `n_above` of the upper ranks may stand above. Behind
  // the last rank nobody reads what it finds.
  template <bool kOnlySome>
  SKGRADED_ALWAYS_INLINE void step_down(std::int64_t j, int n_above, Walk& walk,
                                        LaneRow& row) const noexcept {
    const double f_here = f_[at(j)], p_here = p_[at(j)], p_h_here = p_h_[at(j)];
    SKGRADED_IN_LANES
    for (int lane = 0; lane < kLanes; ++lane) {
      const double lower = walk.f.lane[lane] < f_here ? walk.f.lane[lane] : f_here;
      const double F = walk.F.lane[lane] + lower, H = walk.H.lane[lane];
      row.lane[lane] = p_here * (walk.h.lane[lane] * F) - H;
      walk.F.lane[lane] = F;
      walk.H.lane[lane] = H + (!kOnlySome || lane < n_above ? p_h_here * lower : 0.0);
    }
  }

  SKGRADED_ALWAYS_INLINE void add_f(std::int64_t i, double* change) noexcept {
    const double f = f_[at(i)], p = p_[at(i)], p_h = p_h_[at(i)], F_own = F_own_[at(i)];
    const double *f_by = f_.data(), *h_by = h_.data();
    const double* down_to = down_to_.data() + i % kLanes * stride_;
    double *seen = seen_.data(), *rest = rest_.data();
    for (std::int64_t first = i + 1; first < n_; first += kLanes) {
      LaneRow lower, above, left, found;
      for (int lane = 0; lane < kLanes; ++lane) found.lane[lane] = down_to[first + lane];
      for (int lane = 0; lane < kLanes; ++lane) {
        const double f_below = f_by[first + lane];
        lower.lane[lane] = f < f_below ? f : f_below;
        above.lane[lane] = (seen[first + lane] + f_below) * h_by[first + lane] - F_own;
        left.lane[lane] = rest[first + lane] - p_h * lower.lane[lane];
        found.lane[lane] += change[first + lane - i - 1] + (p * above.lane[lane] + left.lane[lane]);
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        change[first + lane - i - 1] = found.lane[lane];
        seen[first + lane] += lower.lane[lane];
        rest[first + lane] = left.lane[lane];
      }
    }
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }
};

}  // namespace skgraded
