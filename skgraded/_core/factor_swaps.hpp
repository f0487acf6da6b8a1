// Changes of the measure by swaps where K has factors, K[a, b] = f(min(a, b)) h(b) + u(a) w(b), so
// that a query may have a level for every document. lambdas.hpp defines the words.
//
// A swap's change needs F and H, by the slots of the two documents, at the ranks of both. At a
// document's own rank two trees give them for its own slot. Those at the upper rank grow while the
// upper ranks are walked, and those at the lower rank while the lower ranks are: as f does not
// fall, f(min(a, b)) is the lower one of two numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lambda_task.hpp"
#include "pair_sums.hpp"
#include "simd.hpp"

namespace skgraded {

// One part of the measure on one query. All arrays are by rank.
class FactorSwaps {
  std::vector<double> f_, h_, u_, w_;
  std::vector<double> gain_, d_, p_;
  std::vector<double> F_own_, H_own_;  // over the ranks above, by the slot at the rank itself
  std::vector<double> u_above_, w_above_;
  std::vector<double> seen_, weighed_;     // f of K over the upper ranks so far, for F and for H
  std::vector<double> F_upper_, H_upper_;  // the same over the ranks between, for the upper slot
  LevelTree tree_, weighed_tree_;
  std::int64_t n_ = 0;

 public:
  FactorSwaps(std::int64_t longest, std::int64_t stride) : tree_(longest), weighed_tree_(longest) {
    for (auto* each : {&f_, &h_, &u_, &w_, &gain_, &d_, &p_, &F_own_, &H_own_, &u_above_, &w_above_,
                       &seen_, &weighed_, &F_upper_, &H_upper_})
      each->resize(static_cast<std::size_t>(stride));
  }

  // Reads a query whose slots stand by rank; `levels` holds the level of each slot.
  void start(const SwapPrices& part, const Queries& queries, std::int64_t q,
             const std::int32_t* slot, const std::int32_t* levels, std::int64_t n_slots) noexcept {
    n_ = queries.size(q);
    const double* d = part.discount.of(queries, q);
    const double* p = part.has_factors() ? part.position.of(queries, q) : d;
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int32_t level = levels[slot[i]];
      const bool counts = i < part.cutoff;
      d_[at(i)] = counts ? d[i] : 0.0;
      p_[at(i)] = counts ? p[i] : 0.0;
      gain_[at(i)] = part.gain[level] * part.gain_factor[q];
      const PairFactors& K = part.factors;
      const double scale = part.pair_factor[q];
      f_[at(i)] = K.f != nullptr ? K.f[level] : 0.0;
      h_[at(i)] = K.f != nullptr ? K.h[level] * scale : 0.0;
      u_[at(i)] = K.u != nullptr ? K.u[level] : 0.0;
      w_[at(i)] = K.u != nullptr ? K.w[level] * scale : 0.0;
    }
    sum_own_slots(slot, n_slots);
    std::fill_n(seen_.begin(), n_, 0.0);
    std::fill_n(weighed_.begin(), n_, 0.0);
  }

  // The changes by swaps of rank i with the ranks below. Ranks must come one after the other.
  SKGRADED_ALWAYS_INLINE void price(std::int64_t i, bool is_first, double* change) noexcept {
    const double f = f_[at(i)], h = h_[at(i)], u = u_[at(i)], w = w_[at(i)];
    const double gain = gain_[at(i)], d = d_[at(i)], p = p_[at(i)];
    const double K_own = f * h + u * w;
    const double u_above = u_above_[at(i)], w_down_to = w_above_[at(i)] + p * w;
    const double F_and_self = F_own_[at(i)] + K_own;
    double F_sum = seen_[at(i)] + f, H_sum = 0.0;
    for (std::int64_t j = i + 1; j < n_; ++j) {
      const double lower = std::min(f, f_[at(j)]);
      F_upper_[at(j)] = F_sum;
      H_upper_[at(j)] = H_sum;
      F_sum += lower;
      H_sum += p_[at(j)] * h_[at(j)] * lower;
    }
    const double *f_by = f_.data(), *h_by = h_.data(), *u_by = u_.data(), *w_by = w_.data();
    const double *gain_by = gain_.data(), *d_by = d_.data(), *p_by = p_.data();
    const double *F_own = F_own_.data(), *H_own = H_own_.data();
    const double *F_upper = F_upper_.data(), *H_upper = H_upper_.data();
    const double *u_down = u_above_.data(), *w_down = w_above_.data();
    double *seen = seen_.data(), *weighed = weighed_.data();
    for (std::int64_t j = i + 1; j < n_; ++j) {
      const double lower = f < f_by[j] ? f : f_by[j];
      const double own = f_by[j] * h_by[j] + u_by[j] * w_by[j];
      const double at_upper = seen[j] * h_by[j] + u_above * w_by[j] + own - F_and_self;
      const double H_y = H_own[j] - (weighed[j] + p * h * lower + u_by[j] * w_down_to);
      const double H_x = H_upper[j] + u * (w_down[j] - w_down_to);
      const double at_lower = F_upper[j] * h + u_down[j] * w - F_own[j] + lower * h + u_by[j] * w;
      const double sum = (gain_by[j] - gain) * (d - d_by[j]) + p * at_upper + (H_y - H_x) +
                         p_by[j] * (at_lower - own);
      double& found = change[j - i - 1];
      found = is_first ? sum : found + sum;
      seen[j] += lower;
      weighed[j] += p * h * lower;
    }
  }

 private:
  void sum_own_slots(const std::int32_t* slot, std::int64_t n_slots) noexcept {
    tree_.start(n_slots);
    weighed_tree_.start(n_slots);
    double u_above = 0.0, w_above = 0.0;
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t own = slot[i] + 1;
      const double f = f_[at(i)], h = h_[at(i)], p = p_[at(i)];
      u_above_[at(i)] = u_above;
      w_above_[at(i)] = w_above;
      F_own_[at(i)] = tree_.sum(own, f) * h + u_above * w_[at(i)];
      H_own_[at(i)] = weighed_tree_.sum(own, f) + u_[at(i)] * w_above;
      tree_.add(own, f);
      weighed_tree_.add(own, f, p * h);
      u_above += u_[at(i)];
      w_above += p * w_[at(i)];
    }
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }
};

}  // namespace skgraded
