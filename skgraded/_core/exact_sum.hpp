// Exact sums: doubles are whole numbers of 2^-1074 and are added as such, so that nothing is
// rounded and neither order nor grouping matters.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sort_keys.hpp"

namespace skgraded {

// A whole number in limbs of 32 bits, the lowest first. A limb that outgrows them carries later.
class ExactSum {
 public:
  static constexpr std::size_t kLimbs = 68;  // all doubles, and 2^60 times the largest
  static constexpr std::uint64_t kLimbBits = 32;
  using Words = std::array<std::uint64_t, kLimbs / 2>;

  // The value is finite.
  void add(double value) noexcept {
    const std::uint64_t bits = bits_of(value);
    const std::uint64_t exponent = (bits >> 52) & 0x7ff, fraction = bits & kFraction;
    const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;
    const std::uint64_t whole = exponent == 0 ? fraction : fraction | (kFraction + 1);
    const std::uint64_t shift = place % kLimbBits, rest = whole >> (kLimbBits - shift);
    std::int64_t* limb = limbs_.data() + place / kLimbBits;
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    limb[0] += sign * low(whole << shift);
    limb[1] += sign * low(rest);
    limb[2] += sign * low(rest >> kLimbBits);
    if (++n_uncarried_ == kMostUncarried) carry();
  }

  // In two's complement, the lowest word first.
  Words words() noexcept {
    carry();
    Words result;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<std::uint64_t>(limbs_[2 * i + 1]) << kLimbBits |
                  static_cast<std::uint64_t>(limbs_[2 * i]);
    return result;
  }

 private:
  static constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  static constexpr std::int64_t kMostUncarried = std::int64_t{1} << 30;  // of 2^32 each

  static std::int64_t low(std::uint64_t bits) noexcept {
    return static_cast<std::int64_t>(bits & 0xffffffff);
  }

  // Leaves all limbs but the last in 0 .. 2^32 - 1; the last keeps the sign.
  void carry() noexcept {
    n_uncarried_ = 0;
    for (std::size_t i = 0; i + 1 < kLimbs; ++i) {
      if (limbs_[i] == 0) continue;  // as most are
      const std::int64_t rest = low(static_cast<std::uint64_t>(limbs_[i]));
      limbs_[i + 1] += (limbs_[i] - rest) / (std::int64_t{1} << kLimbBits);
      limbs_[i] = rest;
    }
  }

  std::array<std::int64_t, kLimbs> limbs_{};
  std::int64_t n_uncarried_ = 0;
};

// The sums of a weighted mean; nan is left out.
struct MeanSums {
  ExactSum values;              // times their weights, but for the infinite ones
  ExactSum weights;             // of all values that are counted
  std::int64_t n_infinite = 0;  // with a weight

  void add(double value, double weight) noexcept {
    const double product = value * weight;
    if (std::isfinite(value) && std::isfinite(product))
      values.add(product);
    else if (weight > 0.0)
      ++n_infinite;
  }
};

// Sums every `step`th value. Without weights (null), each weighs 1.
inline MeanSums sum_exactly(const double* values, std::size_t step, const double* weights,
                            std::size_t n) noexcept {
  MeanSums sums;
  std::size_t n_counted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = values[i * step];
    if (std::isnan(value)) continue;
    ++n_counted;
    sums.add(value, weights == nullptr ? 1.0 : weights[i]);
    if (weights != nullptr) sums.weights.add(weights[i]);
  }
  if (weights == nullptr) sums.weights.add(static_cast<double>(n_counted));
  return sums;
}

}  // namespace skgraded
