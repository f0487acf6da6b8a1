// Noise on scores. The scores and grades of a query seed its noise: there is no state, and the
// noise does not depend on threads, processes or the order of the queries.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "queries.hpp"
#include "simd.hpp"
#include "sort_keys.hpp"
#include "splitmix.hpp"

namespace skgraded {

enum class NoiseKind : int { kGumbel, kLogistic };

struct Noise {
  NoiseKind kind = NoiseKind::kGumbel;
  double scale = 0.5;  // in standard deviations of a query's scores
  std::int64_t n_draws = 1;
  std::uint64_t seed = 0;
};

// ---- Distributions

// Natural logarithm of a positive normal number, to 1e-15 of it: x = m 2^k with m between the roots
// of 1/2 and 2, and the series of log m in (m - 1) / (m + 1). Arithmetic fills vector registers.
SKGRADED_ALWAYS_INLINE double log_of(double x) noexcept {
  constexpr std::uint64_t kOne = 0x3ff0000000000000, kRootOfHalf = 0x3fe6a09e667f3bcd;
  constexpr double kLn2 = 0.6931471805599453, kBias = 1023.0;
  const std::uint64_t biased = (bits_of(x) + (kOne - kRootOfHalf)) >> 52;
  const double m = from_bits(bits_of(x) - (biased << 52) + kOne);
  const double k = from_bits(bits_of(0x1p52) | biased) - (0x1p52 + kBias);
  const double z = (m - 1.0) / (m + 1.0);
  const double w = z * z, w2 = w * w, w4 = w2 * w2;
  // Two terms at a time, so that fewer operations wait for each other.
  const double low = (1.0 + w * (1.0 / 3)) + w2 * (1.0 / 5 + w * (1.0 / 7));
  const double high = (1.0 / 9 + w * (1.0 / 11)) + w2 * (1.0 / 13 + w * (1.0 / 15));
  const double series = low + w4 * (high + w4 * (1.0 / 17));
  return k * kLn2 + 2.0 * (z * series);
}

// A number from 2^-53 to 1 - 2^-53, as far from 0 as from 1.
SKGRADED_ALWAYS_INLINE double between_0_and_1(std::uint64_t bits) noexcept {
  return from_bits((bits >> 12) | bits_of(1.0)) - (1.0 - 0x1p-53);
}

// The inverse distribution functions; the arguments lie between 0 and 1.
struct Gumbel {
  SKGRADED_ALWAYS_INLINE double operator()(double u) const noexcept { return -log_of(-log_of(u)); }
};

struct Logistic {
  SKGRADED_ALWAYS_INLINE double operator()(double u) const noexcept {
    return log_of(u / (1.0 - u));
  }
};

// ---- Streams

// A score in 17 binary digits. Sums in another order differ in the last bits, which should not give
// other noise.
SKGRADED_ALWAYS_INLINE std::uint64_t leading_bits(double score) noexcept {
  constexpr int kDropped = 36;
  return (bits_of(score + 0.0) + (std::uint64_t{1} << (kDropped - 1))) >> kDropped;
}

constexpr int kLeadingBits = 28;

// Hashes of the grades by level. The number of a level may differ between parts of the data.
inline std::vector<std::uint64_t> mix_grades(const double* grades, std::int64_t n_levels) {
  std::vector<std::uint64_t> mixed(static_cast<std::size_t>(n_levels));
  std::transform(grades, grades + n_levels, mixed.begin(),
                 [](double grade) { return mix(bits_of(grade)); });
  return mixed;
}

// The key of a query: a hash of its scores and grades in the order of its rows.
template <class Level>
std::uint64_t key_of(const double* scores, const Level* level, std::int64_t n,
                     const std::uint64_t* mixed_grades, std::uint64_t seed) noexcept {
  std::uint64_t sum = mix(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t row = static_cast<std::uint64_t>(i) << kLeadingBits;
    sum += mix((row | leading_bits(scores[i])) ^ mixed_grades[level[i]]);
  }
  return mix(sum);
}

// ---- Noisy scores

// How to make noisy scores from the scores of a query.
struct NoisyScores {
  std::uint64_t key = 0;
  bool all_equal = false;  // noise alone orders the documents then
  double unit = 0.0;       // of the noise
};

// Standard deviation; infinite if the squares overflow.
inline double spread_of(const double* scores, std::int64_t n) noexcept {
  double sum = 0.0, squares = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += scores[i];
  const double mean = sum / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) squares += (scores[i] - mean) * (scores[i] - mean);
  return std::sqrt(squares / static_cast<double>(n));
}

inline bool are_equal(const double* scores, std::int64_t n) noexcept {
  bool equal = true;
  for (std::int64_t i = 1; i < n; ++i) equal &= !(scores[i] < scores[0] || scores[i] > scores[0]);
  return equal;
}

template <class Level>
NoisyScores noisy_scores_of(const Noise& noise, const double* scores, const Level* level,
                            std::int64_t n, const std::uint64_t* mixed_grades) noexcept {
  NoisyScores made;
  made.key = key_of(scores, level, n, mixed_grades, noise.seed);
  made.all_equal = are_equal(scores, n);
  const double unit = made.all_equal ? 1.0 : noise.scale * spread_of(scores, n);
  made.unit = std::min(unit, std::numeric_limits<double>::max());
  return made;
}

template <class Distribution>
SKGRADED_ALWAYS_INLINE void add_noise(const NoisyScores& how, const Distribution& distribution,
                                      const double* scores, std::int64_t n, std::uint64_t first,
                                      double* noisy) noexcept {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const double own = how.all_equal ? 0.0 : 1.0, unit = how.unit;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = mix(first + static_cast<std::uint64_t>(i) * kGolden);
    const double sum = own * scores[i] + unit * distribution(between_0_and_1(bits));
    const double not_above = sum < kLargest ? sum : kLargest;
    noisy[i] = not_above > -kLargest ? not_above : -kLargest;
  }
}

// The noisy scores of one draw, by which to rank.
inline void draw_scores(const NoisyScores& how, NoiseKind kind, Registers registers,
                        const double* scores, std::int64_t n, std::int64_t draw,
                        double* noisy) noexcept {
  const std::uint64_t first = how.key + static_cast<std::uint64_t>(draw * n) * kGolden;
  run_in(registers, [&]() SKGRADED_INLINE_BODY {
    if (kind == NoiseKind::kGumbel)
      add_noise(how, Gumbel{}, scores, n, first, noisy);
    else
      add_noise(how, Logistic{}, scores, n, first, noisy);
  });
}

}  // namespace skgraded
