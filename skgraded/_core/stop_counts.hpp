// How many documents of a tied block stop their reader, where each does so with a probability of
// its own: the sum of a binomial variable for every grade, one convolved with the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "simd.hpp"

namespace skgraded {

// In lanes, so that the sum needs not wait for each addition.
inline double sum_in_lanes(const double* values, std::int64_t n) noexcept {
  double sum = 0.0;
  std::int64_t i = 0;
  if (n >= kLanes) {
    LaneRow row{};
    for (; i + kLanes <= n; i += kLanes)
      for (int j = 0; j < kLanes; ++j) row.lane[j] += values[i + j];
    for (const double lane : row.lane) sum += lane;
  }
  for (; i < n; ++i) sum += values[i];
  return sum;
}

// probability[i], i = 0..size - 1: that first + i documents stop their reader. Numbers that are all
// but impossible are left out, so that size grows with the root of the number of documents. The
// arrays are the caller's, and have room for the number of documents and one more.
class StopCounts {
 public:
  // No double that is compared with 1 changes by this much, not even by a sum of many.
  static constexpr double kNegligible = 0x1p-70;

  double* probability;
  std::int64_t first = 0;
  std::int64_t size = 1;

  StopCounts(double* room, double* spare, double* of_grade) noexcept
      : probability(room), spare_(spare), of_grade_(of_grade) {
    probability[0] = 1.0;
  }

  // Adds documents, one run of equal stops after the other.
  void add_all(const double* sorted_stops, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n;) {
      const double* end = std::upper_bound(sorted_stops + i, sorted_stops + n, sorted_stops[i]);
      const std::int64_t count = end - (sorted_stops + i);
      if (sorted_stops[i] >= 1.0)
        first += count;
      else if (sorted_stops[i] > 0.0)
        add(count, sorted_stops[i]);
      i += count;
    }
  }

 private:
  static constexpr std::int64_t kFew = 16;  // that cost less one by one than as a binomial

  // The likely numbers of stops among `count` documents: from the likeliest one on up and down, by
  // the ratio of neighbours, then divided by their sum. Returns how many numbers there are, and
  // adds the smallest of them to `first`.
  std::int64_t fill_binomial(std::int64_t count, double stop) noexcept {
    const double odds = stop / (1.0 - stop);
    const auto n = static_cast<double>(count);
    const auto mode = static_cast<std::int64_t>(std::min(n, std::floor((n + 1.0) * stop)));
    double* at = of_grade_ + mode;
    std::int64_t low = mode, high = mode;
    at[0] = 1.0;
    for (double p = 1.0; low > 0; --low) {
      const auto k = static_cast<double>(low);
      p *= k / ((n - k + 1.0) * odds);
      if (p < kNegligible) break;
      of_grade_[low - 1] = p;
    }
    for (double p = 1.0; high < count; ++high) {
      const auto k = static_cast<double>(high);
      p *= (n - k) * odds / (k + 1.0);
      if (p < kNegligible) break;
      of_grade_[high + 1] = p;
    }
    const std::int64_t found = high - low + 1;
    const double sum = sum_in_lanes(of_grade_ + low, found);
    for (std::int64_t i = 0; i < found; ++i) of_grade_[i] = of_grade_[low + i] / sum;
    first += low;
    return found;
  }

  void add(std::int64_t count, double stop) noexcept {
    if (count > kFew) return add_many(count, stop);
    for (std::int64_t i = 0; i < count; ++i) add_one(stop);
  }

  void add_one(double stop) noexcept {
    probability[size] = probability[size - 1] * stop;
    for (std::int64_t i = size - 1; i > 0; --i)
      probability[i] = probability[i] * (1.0 - stop) + probability[i - 1] * stop;
    probability[0] *= 1.0 - stop;
    ++size;
  }

  void add_many(std::int64_t count, double stop) noexcept {
    const std::int64_t n_new = fill_binomial(count, stop);
    std::fill_n(spare_, size + n_new - 1, 0.0);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < n_new; ++j) spare_[i + j] += probability[i] * of_grade_[j];
    std::swap(probability, spare_);
    size += n_new - 1;
    trim();
  }

  void trim() noexcept {
    while (size > 1 && probability[size - 1] < kNegligible) --size;
    std::int64_t low = 0;
    while (low < size - 1 && probability[low] < kNegligible) ++low;
    probability += low;
    first += low;
    size -= low;
  }

  double* spare_;
  double* of_grade_;
};

}  // namespace skgraded
