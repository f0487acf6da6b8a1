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
SKGRADED_ALWAYS_INLINE double sum_in_lanes(const double* values, std::int64_t n) noexcept {
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

// No double that is compared with 1 changes by this much, not even by a sum of many.
constexpr double kNegligible = 0x1p-70;

// The arrays of StopCounts, which have room for the number of documents and one more. The worths
// are null where nothing but the number of those that stop counts.
struct StopRoom {
  double *probability, *spare, *of_grade;
  double *worth, *spare_worth;
};

// probability[i], i = 0..size - 1: that first + i documents stop their reader; and worth[i]: this
// probability times the expected sum of the worths of the documents that stop. Numbers that are all
// but impossible are left out, so that size grows with the root of the number of documents. What
// is all but impossible is relative to stopping at all, which is itself improbable where all stops
// are small.
class StopCounts : public StopRoom {
 public:
  std::int64_t first = 0;
  std::int64_t size = 1;

  explicit StopCounts(const StopRoom& room) noexcept : StopRoom(room) {
    probability[0] = 1.0;
    if (worth != nullptr) worth[0] = 0.0;
  }

  // Adds `count` documents that stop their reader with the same probability.
  void add(std::int64_t count, double stop, double own_worth) noexcept {
    if (stop >= 1.0) return add_certain(count, own_worth);
    if (!(stop > 0.0)) return;
    if (count > kFew) return add_many(count, stop, own_worth);
    for (std::int64_t i = 0; i < count; ++i) add_one(stop, own_worth);
  }

  // The probability below which a number of stops is left out.
  double negligible() const noexcept {
    if (first > 0 || size == 1) return kNegligible;
    return kNegligible * std::min(1.0, *std::max_element(probability + 1, probability + size));
  }

 private:
  static constexpr std::int64_t kFew = 16;  // that cost less one by one than as a binomial

  // The likely numbers of stops among `count` documents: from the likeliest one on up and down, by
  // the ratio of neighbours, then divided by their sum. Returns how many numbers there are, and
  // adds the smallest of them to `first`.
  std::int64_t fill_binomial(std::int64_t count, double stop) noexcept {
    const double odds = stop / (1.0 - stop);
    const auto n = static_cast<double>(count);
    const double least = kNegligible * std::min(1.0, n * odds);
    const auto mode = static_cast<std::int64_t>(std::min(n, std::floor((n + 1.0) * stop)));
    double* at = of_grade + mode;
    std::int64_t low = mode, high = mode;
    at[0] = 1.0;
    for (double p = 1.0; low > 0; --low) {
      const auto k = static_cast<double>(low);
      p *= k / ((n - k + 1.0) * odds);
      if (p < kNegligible) break;
      of_grade[low - 1] = p;
    }
    for (double p = 1.0; high < count; ++high) {
      const auto k = static_cast<double>(high);
      p *= (n - k) * odds / (k + 1.0);
      if (p < least) break;
      of_grade[high + 1] = p;
    }
    const std::int64_t found = high - low + 1;
    const double sum = sum_in_lanes(of_grade + low, found);
    for (std::int64_t i = 0; i < found; ++i) of_grade[i] = of_grade[low + i] / sum;
    first += low;
    return found;
  }

  void add_certain(std::int64_t count, double own_worth) noexcept {
    first += count;
    for (std::int64_t i = 0; worth != nullptr && i < size; ++i)
      worth[i] += probability[i] * own_worth * static_cast<double>(count);
  }

  void add_one(double stop, double own_worth) noexcept {
    const double go_on = 1.0 - stop;
    if (worth != nullptr) {
      worth[size] = 0.0;
      for (std::int64_t i = size; i > 0; --i)
        worth[i] = worth[i] * go_on + (worth[i - 1] + own_worth * probability[i - 1]) * stop;
      worth[0] *= go_on;
    }
    probability[size] = probability[size - 1] * stop;
    for (std::int64_t i = size - 1; i > 0; --i)
      probability[i] = probability[i] * go_on + probability[i - 1] * stop;
    probability[0] *= go_on;
    ++size;
  }

  void add_many(std::int64_t count, double stop, double own_worth) noexcept {
    const std::int64_t before = first, n_new = fill_binomial(count, stop);
    if (worth != nullptr) add_worths(n_new, own_worth, static_cast<double>(first - before));
    std::fill_n(spare, size + n_new - 1, 0.0);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < n_new; ++j) spare[i + j] += probability[i] * of_grade[j];
    std::swap(probability, spare);
    size += n_new - 1;
    trim();
  }

  // Of the new documents, `fewest` or up to n_new - 1 more stop.
  void add_worths(std::int64_t n_new, double own_worth, double fewest) noexcept {
    std::fill_n(spare_worth, size + n_new - 1, 0.0);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < n_new; ++j) {
        const double added = own_worth * (fewest + static_cast<double>(j));
        spare_worth[i + j] += (worth[i] + probability[i] * added) * of_grade[j];
      }
    std::swap(worth, spare_worth);
  }

  void trim() noexcept {
    const double least = negligible();
    while (size > 1 && probability[size - 1] < least) --size;
    std::int64_t low = 0;
    while (low < size - 1 && probability[low] < kNegligible) ++low;
    probability += low;
    if (worth != nullptr) worth += low;
    first += low;
    size -= low;
  }
};

}  // namespace skgraded
