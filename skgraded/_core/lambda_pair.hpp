// The cost of one pair of documents: LightGBM's logistic loss, weighted by what a swap changes.
#pragma once

#include "lambda_task.hpp"
#include "sigmoid.hpp"
#include "simd.hpp"

namespace skgraded {

// The divisor of a price: `nearest` plus `farther` times the difference of the scores.
struct Spread {
  double nearest, farther;

  explicit Spread(bool by_distance) noexcept
      : nearest(by_distance ? static_cast<double>(0.01F) : 1.0),  // as in LightGBM
        farther(by_distance ? 1.0 : 0.0) {}
};

// Derivatives of a pair, without the sign of the first one.
struct PairDerivatives {
  double first, second;
};

struct PairCost {
  BinnedExp exp;
  double farthest;

  template <class Level>
  explicit PairCost(const LambdaTask<Level>& task) noexcept
      : exp(task.binned_exp), farthest(task.farthest) {}

  // For documents whose scores differ by `gap` >= 0; the price is already times the steepness.
  SKGRADED_ALWAYS_INLINE PairDerivatives of(double gap, double signed_bins, double nearest,
                                            double farther, double price) const noexcept {
    const double e = exp.of(gap, signed_bins);
    const double spread = nearest + farther * (gap < farthest ? gap : farthest);
    const double inverse = 1.0 / (spread * (1.0 + e));
    const double first = price * inverse;
    return {first, (exp.steepness * first) * (e * inverse * spread)};
  }
};

}  // namespace skgraded
