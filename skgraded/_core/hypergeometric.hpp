// Draws from a tied block without putting back.
#pragma once

#include <algorithm>
#include <cmath>

#include "stop_counts.hpp"

namespace skgraded {

// A tied block of documents, some of them marked, of which some are drawn at random.
struct Draw {
  double all;
  double marked;
  double drawn;

  double fewest() const noexcept { return std::max(0.0, drawn - (all - marked)); }
  double most() const noexcept { return std::min(marked, drawn); }

  // The mean of f(i), i being how many marked documents are drawn (hypergeometric): over the likely
  // numbers, from the likeliest one on up and down, by the ratio of neighbours.
  template <class F>
  double mean(const F& f) const noexcept {
    const double mode = std::floor((drawn + 1.0) * (marked + 1.0) / (all + 2.0));
    const double start = std::min(std::max(mode, fewest()), most());
    double weights = 1.0, sum = f(start);
    for (double i = start, w = 1.0; i < most(); i += 1.0) {
      w *= (marked - i) * (drawn - i) / ((i + 1.0) * (all - marked - drawn + i + 1.0));
      if (w < kNegligible) break;
      weights += w;
      sum += w * f(i + 1.0);
    }
    for (double i = start, w = 1.0; i > fewest(); i -= 1.0) {
      w *= i * (all - marked - drawn + i) / ((marked - i + 1.0) * (drawn - i + 1.0));
      if (w < kNegligible) break;
      weights += w;
      sum += w * f(i - 1.0);
    }
    return sum / weights;
  }
};

}  // namespace skgraded
