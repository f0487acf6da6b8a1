// Pairs of systems under many resamples of the topics: bootstrap tests, and swaps between two sets
// of topics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "simd.hpp"

namespace skgraded {

// ---- Bootstrap

// What a pair's test compares its resamples with.
struct ObservedPair {
  double mean;      // difference of the two systems, over all topics
  double rounding;  // differences of means up to this are rounding errors
  double least;     // resamples whose squared t is at least this count
};

struct BootstrappedPair {
  std::int64_t n_beyond;
  double required;  // size of the mean difference of the resample with the wanted-th largest t
};

class PairBootstrap {
 public:
  PairBootstrap(std::size_t n_resamples, std::int64_t wanted,
                Registers registers = widest_registers())
      : wanted_(static_cast<std::ptrdiff_t>(wanted)),
        registers_(registers),
        mean_(n_resamples),
        t_(n_resamples),
        chosen_(n_resamples) {}

  // Means of the two systems, and of the squares of the shifted differences, by resample.
  BootstrappedPair test(const ObservedPair& pair, const double* first, const double* second,
                        const double* squares) {
    BootstrappedPair tested{};
    run_in(registers_, [&]() SKGRADED_INLINE_BODY {
      tested.n_beyond = studentise(pair, first, second, squares, mean_.data(), t_.data(),
                                   static_cast<std::int64_t>(mean_.size()));
    });
    tested.required = mean_of_wanted();
    return tested;
  }

 private:
  // A variance of at most this share of the mean square is a rounding error.
  static constexpr double kRounding = 1e-12;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  SKGRADED_ALWAYS_INLINE static std::int64_t studentise(const ObservedPair& pair,
                                                        const double* first, const double* second,
                                                        const double* squares, double* size,
                                                        double* t, std::int64_t n) noexcept {
    std::int64_t beyond = 0;
    for (std::int64_t b = 0; b < n; ++b) {
      const double mean = std::abs(first[b] - second[b] - pair.mean), square = squares[b];
      const bool is_none = mean <= pair.rounding;
      const double power = mean * mean, spread = square - power;
      const double variance = spread <= kRounding * square ? 0.0 : spread;
      const double ratio = std::max(0.0, power / variance);  // 0 for nan: numbers beyond a double
      size[b] = is_none ? 0.0 : mean;
      t[b] = is_none ? 0.0 : ratio;
      beyond += t[b] >= pair.least ? 1 : 0;
    }
    return beyond;
  }

  // All pairs have about the same t, so that the wanted one is mostly within a tenth of the last
  // pair's. If not, the search goes on beside it, in ever wider steps.
  double mean_of_wanted() noexcept {
    constexpr int kSteps = 4;
    double low = 0.9 * guess_, high = 1.1 * guess_;
    Found found = find_between(low, high);
    for (int step = 1; found.n_above >= wanted_; ++step) {
      low = high;
      high = step < kSteps ? 1.5 * high : kInfinity;
      found = find_between(low, high);
    }
    for (int step = 1; found.n_above + found.n_between < wanted_; ++step) {
      high = low;
      low = step < kSteps ? 0.7 * low : -kInfinity;
      found = find_between(low, high);
    }
    const auto wanted = chosen_.begin() + (wanted_ - found.n_above - 1);
    std::nth_element(chosen_.begin(), wanted, chosen_.begin() + found.n_between,
                     [this](std::uint32_t a, std::uint32_t b) {
                       return t_[a] != t_[b] ? t_[a] > t_[b] : mean_[a] > mean_[b];
                     });
    guess_ = t_[*wanted];
    return mean_[*wanted];
  }

  struct Found {
    std::ptrdiff_t n_above, n_between;
  };

  // Chooses the resamples with low <= t <= high, and counts those above.
  Found find_between(double low, double high) noexcept {
    std::size_t n_candidates = 0, n_between = 0;
    for (std::size_t b = 0; b < t_.size(); ++b) {
      chosen_[n_candidates] = static_cast<std::uint32_t>(b);
      n_candidates += t_[b] >= low ? 1 : 0;
    }
    for (std::size_t i = 0; i < n_candidates; ++i) {
      const std::uint32_t candidate = chosen_[i];
      chosen_[n_between] = candidate;
      n_between += t_[candidate] <= high ? 1 : 0;
    }
    return {static_cast<std::ptrdiff_t>(n_candidates - n_between),
            static_cast<std::ptrdiff_t>(n_between)};
  }

  std::ptrdiff_t wanted_;
  Registers registers_;
  double guess_ = 1.0;
  std::vector<double> mean_, t_;
  std::vector<std::uint32_t> chosen_;
};

// ---- Swaps

// Counts the pairs of systems by the size of their difference on one set of topics, and those that
// the other set puts in the opposite order. Bin i begins at edge[i]; the edges are equally far
// apart, and the first one is 0.
class SwapCounts {
 public:
  SwapCounts(const double* edge, std::size_t n_bins, double width, double rounding)
      : edge_(edge),
        n_bins_(n_bins),
        width_(width),
        rounding_(rounding),
        cells_(kCopies * 2 * (n_bins + 1)) {}

  void add_trial(const double* one, const double* other, std::size_t n_systems,
                 Registers registers = widest_registers()) {
    guess_.resize(n_systems);
    for (std::size_t i = 0; i + 1 < n_systems; ++i) {
      const std::size_t n = n_systems - i - 1;
      run_in(registers, [&]() SKGRADED_INLINE_BODY { guess_bins(one[i], one + i + 1, n); });
      for (std::size_t j = 0; j < n; ++j)
        count(one[i] - one[i + 1 + j], other[i] - other[i + 1 + j], guess_[j], j % kCopies);
    }
  }

  void read(std::int64_t* compared, std::int64_t* swapped) const noexcept {
    for (std::size_t bin = 0; bin < n_bins_; ++bin) {
      compared[bin] = swapped[bin] = 0;
      for (std::size_t copy = 0; copy < kCopies; ++copy) {
        const std::int64_t* cell = cells_.data() + 2 * (copy * (n_bins_ + 1) + bin);
        compared[bin] += cell[0] + cell[1];
        swapped[bin] += cell[1];
      }
    }
  }

 private:
  // Pairs in a row often fall into one bin; copies keep their sums from waiting for each other.
  static constexpr std::size_t kCopies = 4;

  SKGRADED_ALWAYS_INLINE void guess_bins(double value, const double* others,
                                         std::size_t n) noexcept {
    const double last = static_cast<double>(n_bins_ - 1);
    for (std::size_t j = 0; j < n; ++j)
      guess_[j] = static_cast<std::int32_t>(
          std::min((std::abs(value - others[j]) + rounding_) / width_, last));
  }

  void count(double one, double other, std::int32_t guess, std::size_t copy) noexcept {
    const double size = std::abs(one);
    auto bin = static_cast<std::size_t>(guess);
    while (edge_[bin] > size + rounding_) --bin;
    while (bin + 1 < n_bins_ && edge_[bin + 1] <= size + rounding_) ++bin;
    bin = size > rounding_ ? bin : n_bins_;  // equal systems have no order
    const bool opposite = (one > 0.0) == (other < 0.0) && std::abs(other) > rounding_;
    ++cells_[2 * (copy * (n_bins_ + 1) + bin) + (opposite ? 1 : 0)];
  }

  const double* edge_;
  std::size_t n_bins_;
  double width_, rounding_;
  std::vector<std::int32_t> guess_;
  std::vector<std::int64_t> cells_;
};

}  // namespace skgraded
