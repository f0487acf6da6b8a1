// The sigmoid of LambdaMART, read at as many points as LightGBM tabulates, so that trees agree. It
// is computed instead of looked up: arithmetic fills vector registers, a table of 8 MB the caches.
#pragma once

#include <cstdint>

#include "simd.hpp"
#include "sort_keys.hpp"

namespace skgraded {

// 2^y for |y| <= 1000, to 3e-13: y = n + f, |f| <= 1/2, and Taylor's series of 2^f to f^10.
SKGRADED_ALWAYS_INLINE double exp2_of(double y) noexcept {
  constexpr double kRoundToInteger = 0x1.8p52;  // leaves an integer in the low bits
  constexpr double kLn2 = 0.6931471805599453;
  constexpr double c1 = kLn2, c2 = c1 * kLn2 / 2, c3 = c2 * kLn2 / 3, c4 = c3 * kLn2 / 4,
                   c5 = c4 * kLn2 / 5, c6 = c5 * kLn2 / 6, c7 = c6 * kLn2 / 7, c8 = c7 * kLn2 / 8,
                   c9 = c8 * kLn2 / 9, c10 = c9 * kLn2 / 10;
  const double shifted = y + kRoundToInteger;
  const double f = y - (shifted - kRoundToInteger);
  const double f2 = f * f, f4 = f2 * f2;
  // Two terms at a time, so that fewer operations wait for each other.
  const double low = (1.0 + c1 * f) + f2 * (c2 + c3 * f);
  const double middle = (c4 + c5 * f) + f2 * (c6 + c7 * f);
  const double high = (c8 + c9 * f) + f2 * c10;
  const double power = low + f4 * (middle + f4 * high);
  return from_bits(bits_of(power) + (bits_of(shifted) << 52));  // times 2^n
}

// exp(steepness d) at the left border of the bin that holds the score difference d. The bins divide
// |steepness d| < 25; larger differences fall into the outermost ones.
class BinnedExp {
  static constexpr double kBins = 1024 * 1024, kReach = 50.0;

 public:
  double steepness;
  double bins_per_unit;
  double
      reach;  // a difference in the outermost bins; no constant, for which compilers would branch

  explicit BinnedExp(double sigmoid) noexcept
      : steepness(sigmoid),
        bins_per_unit(kBins * sigmoid / kReach),
        reach(kReach / 2 / sigmoid * (1.0 - 0x1p-21)) {}

  // exp(steepness d) of d = size * (signed_bins_per_unit / bins_per_unit), size >= 0.
  SKGRADED_ALWAYS_INLINE double of(double size, double signed_bins_per_unit) const noexcept {
    // Rounds down, as the nearest integer to half a bin less. The excess keeps whole numbers whole.
    constexpr double kIntegersFrom = 0x1p52, kHalf = 0.5 - 0x1p-31;
    constexpr double kLog2E = 1.4426950408889634;
    const double near = size < reach ? size : reach;
    const double place = near * signed_bins_per_unit + (kBins / 2 - kHalf);
    const double bin = (place + kIntegersFrom) - kIntegersFrom;
    return exp2_of((bin - kBins / 2) * (kReach / kBins * kLog2E));
  }

  double operator()(double d) const noexcept {
    return of(d < 0.0 ? -d : d, d < 0.0 ? -bins_per_unit : bins_per_unit);
  }
};

}  // namespace skgraded
