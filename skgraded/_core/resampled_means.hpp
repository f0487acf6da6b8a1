// Studentised means of resamples of units: queries or clusters of them, drawn with replacement.
// Rows are pairs of systems, which share the resamples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "simd.hpp"

namespace skgraded {

// ---- Resamples

// Some resamples: which units are in them, in ascending order, and how often.
class Resamples {
 public:
  struct Drawn {
    std::uint16_t unit, count;
  };

  // What the variance of a resample takes of its sizes.
  struct Factors {
    double n_queries;
    double of_square;  // of the squared sum of residuals
    double of_cross;   // of this sum times the sum of residuals times sizes
  };

  static constexpr std::size_t kMostUnits = std::numeric_limits<std::uint16_t>::max();

  // Resample r consists of drawn[r * n_units] and the next n_units - 1; at most kMostUnits.
  Resamples(const std::int32_t* drawn, std::size_t n_resamples, const double* sizes,
            std::size_t n_units)
      : sizes_(sizes, sizes + n_units),
        has_one_size_(
            std::all_of(sizes, sizes + n_units, [&](double size) { return size == sizes[0]; })) {
    counts_.resize(n_units + 1);
    std::iota(counts_.begin(), counts_.end(), 0.0);
    begin_.reserve(n_resamples + 1);
    factors_.reserve(n_resamples);
    std::vector<std::uint16_t> counts(n_units);
    for (std::size_t r = 0; r < n_resamples; ++r) {
      for (std::size_t i = 0; i < n_units; ++i)
        ++counts[static_cast<std::size_t>(drawn[r * n_units + i])];
      append(counts);
      std::fill(counts.begin(), counts.end(), std::uint16_t{0});
    }
    begin_.push_back(drawn_.size());
  }

  std::size_t size() const noexcept { return factors_.size(); }
  std::size_t n_units() const noexcept { return sizes_.size(); }
  bool has_one_size() const noexcept { return has_one_size_; }
  // The numbers 0, 1, ... up to that of the units, faster to read than to convert.
  const double* counts() const noexcept { return counts_.data(); }
  const double* sizes() const noexcept { return sizes_.data(); }
  const Drawn* begin(std::size_t resample) const noexcept {
    return drawn_.data() + begin_[resample];
  }
  const Factors& factors(std::size_t resample) const noexcept { return factors_[resample]; }

 private:
  void append(const std::vector<std::uint16_t>& counts) {
    begin_.push_back(drawn_.size());
    drawn_.resize(begin_.back() + counts.size());
    std::size_t end = begin_.back();
    double n_queries = 0.0, squares = 0.0;
    for (std::size_t unit = 0; unit < counts.size(); ++unit) {
      drawn_[end] = {static_cast<std::uint16_t>(unit), counts[unit]};
      end += counts[unit] > 0 ? 1 : 0;
      n_queries += counts[unit] * sizes_[unit];
      squares += counts[unit] * sizes_[unit] * sizes_[unit];
    }
    drawn_.resize(end);
    const auto n = static_cast<double>(counts.size());
    factors_.push_back(
        {n_queries, has_one_size_ ? -1.0 / n : squares / (n_queries * n_queries), 2.0 / n_queries});
  }

  std::vector<double> sizes_, counts_;
  bool has_one_size_;
  std::vector<Drawn> drawn_;
  std::vector<std::size_t> begin_;  // of each resample in drawn_, and the end
  std::vector<Factors> factors_;
};

// ---- Sums of resamples

// So many rows are read at the same time, in this many resamples.
constexpr std::size_t kGroups = 2, kRows = kGroups * kLanes;
constexpr std::size_t kResamplesAtATime = 12;  // in which all cells stay in the first cache
constexpr std::size_t kCells = kResamplesAtATime * kRows;

// A number of each row in each of some resamples: cell r * kRows + row is that of resample r. Loops
// over all cells have one body for the compiler to put into registers.
struct alignas(64) Cells {
  double cell[kCells];

  // The same number of each row in all resamples.
  template <class Function>
  void repeat(const double* of_rows, std::size_t n_rows, const Function& function) noexcept {
    for (std::size_t i = 0; i < kCells; ++i)
      cell[i] = i % kRows < n_rows ? function(of_rows[i % kRows]) : 0.0;
  }

  // Sum over the resamples.
  double of_row(std::size_t row) const noexcept {
    double sum = 0.0;
    for (std::size_t i = row; i < kCells; i += kRows) sum += cell[i];
    return sum;
  }
};

// Sums of residuals, and their variances: 0 where a resample does not vary.
struct MeansTile {
  Cells total, variance;
};

// ---- Sums in registers

// What is added up: some resamples, and residuals unit by unit, eight rows after the others.
struct DrawnRows {
  const Resamples& resamples;
  std::size_t first, n;
  const LaneRow* lanes;
};

// The sums of residuals, of their squares, and of residuals times sizes, cell by cell.
struct SumCells {
  double *total, *square, *cross;
};

// Sums are over ascending units, one product after the other, so that neither other rows nor the
// registers change their bits. Compilers do not see that the sums of a loop fit into registers, so
// that they are named here.

#if SKGRADED_HAS_AVX_VARIANT

template <bool kHasOneSize>
[[gnu::target(SKGRADED_AVX512)]] inline void add_up_in_avx512(const DrawnRows& of,
                                                              const SumCells& sums) noexcept {
  const double *const counts = of.resamples.counts(), *const sizes = of.resamples.sizes();
  const std::size_t n_units = of.resamples.n_units();
  for (std::size_t r = 0; r < of.n; ++r) {
    __m512d total[kGroups], square[kGroups], cross[kGroups];
    for (std::size_t g = 0; g < kGroups; ++g) total[g] = square[g] = cross[g] = _mm512_setzero_pd();
    const Resamples::Drawn* const end = of.resamples.begin(of.first + r + 1);
    for (const auto* drawn = of.resamples.begin(of.first + r); drawn < end; ++drawn) {
      const __m512d count = _mm512_set1_pd(counts[drawn->count]);
      for (std::size_t g = 0; g < kGroups; ++g) {
        const __m512d each = _mm512_load_pd(of.lanes[g * n_units + drawn->unit].lane);
        const __m512d some = _mm512_mul_pd(count, each);
        total[g] = _mm512_add_pd(total[g], some);
        square[g] = _mm512_add_pd(square[g], _mm512_mul_pd(some, each));
        if (!kHasOneSize)
          cross[g] =
              _mm512_add_pd(cross[g], _mm512_mul_pd(some, _mm512_set1_pd(sizes[drawn->unit])));
      }
    }
    for (std::size_t g = 0; g < kGroups; ++g) {
      const std::size_t cell = r * kRows + g * kLanes;
      _mm512_store_pd(sums.total + cell, total[g]);
      _mm512_store_pd(sums.square + cell, square[g]);
      if (!kHasOneSize) _mm512_store_pd(sums.cross + cell, cross[g]);
    }
  }
}

template <bool kHasOneSize>
[[gnu::target("avx")]] inline void add_up_in_avx(const DrawnRows& of,
                                                 const SumCells& sums) noexcept {
  constexpr std::size_t kWidth = 4, kParts = kRows / kWidth;
  const double *const counts = of.resamples.counts(), *const sizes = of.resamples.sizes();
  const std::size_t n_units = of.resamples.n_units();
  for (std::size_t r = 0; r < of.n; ++r) {
    __m256d total[kParts], square[kParts], cross[kParts];
    for (std::size_t i = 0; i < kParts; ++i) total[i] = square[i] = cross[i] = _mm256_setzero_pd();
    const Resamples::Drawn* const end = of.resamples.begin(of.first + r + 1);
    for (const auto* drawn = of.resamples.begin(of.first + r); drawn < end; ++drawn) {
      const __m256d count = _mm256_set1_pd(counts[drawn->count]);
      for (std::size_t i = 0; i < kParts; ++i) {
        const LaneRow& row = of.lanes[i / 2 * n_units + drawn->unit];
        const __m256d each = _mm256_load_pd(row.lane + i % 2 * kWidth);
        const __m256d some = _mm256_mul_pd(count, each);
        total[i] = _mm256_add_pd(total[i], some);
        square[i] = _mm256_add_pd(square[i], _mm256_mul_pd(some, each));
        if (!kHasOneSize)
          cross[i] =
              _mm256_add_pd(cross[i], _mm256_mul_pd(some, _mm256_set1_pd(sizes[drawn->unit])));
      }
    }
    for (std::size_t i = 0; i < kParts; ++i) {
      const std::size_t cell = r * kRows + i * kWidth;
      _mm256_store_pd(sums.total + cell, total[i]);
      _mm256_store_pd(sums.square + cell, square[i]);
      if (!kHasOneSize) _mm256_store_pd(sums.cross + cell, cross[i]);
    }
  }
}

#endif

template <bool kHasOneSize>
void add_up_in_plain(const DrawnRows& of, const SumCells& sums) noexcept {
  const std::size_t n_units = of.resamples.n_units();
  for (std::size_t cell = 0; cell < of.n * kRows; cell += kLanes) {
    const std::size_t resample = of.first + cell / kRows;
    const LaneRow* const lanes = of.lanes + cell % kRows / kLanes * n_units;
    LaneRow total = {}, square = {}, cross = {};
    const Resamples::Drawn* const end = of.resamples.begin(resample + 1);
    for (const auto* drawn = of.resamples.begin(resample); drawn < end; ++drawn) {
      const double count = of.resamples.counts()[drawn->count];
      const double size = kHasOneSize ? 0.0 : of.resamples.sizes()[drawn->unit];
      for (int lane = 0; lane < kLanes; ++lane) {
        const double each = lanes[drawn->unit].lane[lane], some = count * each;
        total.lane[lane] += some;
        square.lane[lane] += some * each;
        if (!kHasOneSize) cross.lane[lane] += some * size;
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums.total[cell + lane] = total.lane[lane];
      sums.square[cell + lane] = square.lane[lane];
      if (!kHasOneSize) sums.cross[cell + lane] = cross.lane[lane];
    }
  }
}

template <bool kHasOneSize>
void add_up_in([[maybe_unused]] Registers registers, const DrawnRows& of,
               const SumCells& sums) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (registers == Registers::kAvx512) return add_up_in_avx512<kHasOneSize>(of, sums);
  if (registers >= Registers::kAvx) return add_up_in_avx<kHasOneSize>(of, sums);
#endif
  add_up_in_plain<kHasOneSize>(of, sums);
}

// ---- Means of resamples

// The sums of resamples and their variances become a tile.
class MeansOfRows {
 public:
  // residuals[row * n_units + unit] of at most kRows rows.
  MeansOfRows(const Resamples& resamples, const double* residuals, std::size_t n_rows)
      : resamples_(resamples), lanes_(kGroups * resamples.n_units()) {
    const std::size_t n_units = resamples.n_units();
    for (std::size_t row = 0; row < n_rows; ++row)
      for (std::size_t unit = 0; unit < n_units; ++unit)
        lanes_[row / kLanes * n_units + unit].lane[row % kLanes] = residuals[row * n_units + unit];
  }

  template <bool kHasOneSize, class Reader>
  void read(std::size_t first, std::size_t n, Registers registers, Reader& reader) noexcept {
    const SumCells sums = {tile_.total.cell, square_.cell, cross_.cell};
    add_up_in<kHasOneSize>(registers, {resamples_, first, n, lanes_.data()}, sums);
    run_in(registers, [&]() SKGRADED_INLINE_BODY {
      find_variances<kHasOneSize>(first, n);
      reader.read(tile_, first, n);
    });
  }

 private:
  // A variance of at most this share of the squares is a rounding error.
  static constexpr double kRounding = 1e-12;

  template <bool kHasOneSize>
  SKGRADED_ALWAYS_INLINE void find_variances(std::size_t first, std::size_t n) noexcept {
    for (std::size_t r = 0; !kHasOneSize && r < n; ++r) {
      const Resamples::Factors& of = resamples_.factors(first + r);
      std::fill_n(of_square_.cell + r * kRows, kRows, of.of_square);
      std::fill_n(of_cross_.cell + r * kRows, kRows, of.of_cross);
    }
    const double of_all = resamples_.factors(first).of_square;
    const auto n_units = static_cast<double>(resamples_.n_units());
    const double unbiased = n_units / std::max(n_units - 1.0, 1.0);
    for (std::size_t i = 0; i < n * kRows; ++i) {
      const double total = tile_.total.cell[i];
      double found = total * total * (kHasOneSize ? of_all : of_square_.cell[i]);
      if (!kHasOneSize) found -= total * cross_.cell[i] * of_cross_.cell[i];
      found += square_.cell[i];
      tile_.variance.cell[i] = found > kRounding * square_.cell[i] ? found * unbiased : 0.0;
    }
  }

  const Resamples& resamples_;
  std::vector<LaneRow> lanes_;
  MeansTile tile_;
  Cells square_, cross_, of_square_, of_cross_;
};

// Takes the place of a variance of 0: the ratio of any sum to its root is endless, but that of 0.
constexpr double kNoVariance = 1e-300;

// Calls reader.read(tile, first resample, number of resamples) for all resamples of some rows.
template <class Reader>
void read_means(const Resamples& resamples, const double* residuals, std::size_t n_rows,
                Reader& reader, Registers registers = widest_registers()) {
  MeansOfRows means(resamples, residuals, n_rows);
  for (std::size_t first = 0; first < resamples.size(); first += kResamplesAtATime) {
    const std::size_t n = std::min(kResamplesAtATime, resamples.size() - first);
    if (resamples.has_one_size())
      means.read<true>(first, n, registers, reader);
    else
      means.read<false>(first, n, registers, reader);
  }
}

// ---- What is read off the ratios of resamples, sums over the roots of their variances

// Adds the number of resamples whose ratio is at least as large as that of the row, on either side.
class BeyondCounts {
 public:
  BeyondCounts(const double* reached, std::size_t n_rows) {
    least_.repeat(reached, n_rows, [](double ratio) { return ratio * ratio; });
  }

  SKGRADED_ALWAYS_INLINE void read(const MeansTile& tile, std::size_t, std::size_t n) noexcept {
    for (std::size_t i = 0; i < n * kRows; ++i) {
      const double total = tile.total.cell[i], drawn = tile.variance.cell[i];
      const double variance = drawn > 0.0 ? drawn : kNoVariance;
      beyond_.cell[i] += total * total >= least_.cell[i] * variance ? 1.0 : 0.0;
    }
  }

  std::int64_t of(std::size_t row) const noexcept {
    return static_cast<std::int64_t>(beyond_.of_row(row));
  }

 private:
  Cells least_, beyond_ = {};
};

// The largest absolute ratio of any row, by resample. One that does not vary has the standard error
// of the data.
class LargestRatios {
 public:
  explicit LargestRatios(const Resamples& resamples)
      : resamples_(resamples), square_(resamples.size() * kRows) {}

  // The rows that are read next.
  void begin_rows(const double* errors, std::size_t n_rows) noexcept {
    of_data_.repeat(errors, n_rows, [](double error) { return error * error; });
  }

  SKGRADED_ALWAYS_INLINE void read(const MeansTile& tile, std::size_t first,
                                   std::size_t n) noexcept {
    Cells queries;
    for (std::size_t r = 0; r < n; ++r) {
      const double n_queries = resamples_.factors(first + r).n_queries;
      std::fill_n(queries.cell + r * kRows, kRows, n_queries * n_queries);
    }
    double* const largest = square_.data() + first * kRows;
    for (std::size_t i = 0; i < n * kRows; ++i) {
      const double total = tile.total.cell[i], drawn = tile.variance.cell[i];
      const double of_data = of_data_.cell[i] * queries.cell[i];
      const double square = total * total / (drawn > 0.0 ? drawn : of_data);
      largest[i] = square > largest[i] ? square : largest[i];  // not where 0 by 0 is nan
    }
  }

  double of(std::size_t resample) const noexcept {
    const double* const squares = square_.data() + resample * kRows;
    return std::sqrt(*std::max_element(squares, squares + kRows));
  }

 private:
  const Resamples& resamples_;
  std::vector<double> square_;
  Cells of_data_;
};

// Counts the resamples in both tails from the ratio of each row on, and finds the wanted-th
// outermost ratio on both sides where it lies beyond a given reach.
class RatioTails {
 public:
  RatioTails(const double* ratios, std::size_t n_rows, double reach, std::size_t wanted)
      : wanted_(wanted),
        capacity_(2 * wanted),
        reach_(wanted > 0 ? reach * reach * (1.0 - kMargin) : kInfinity),
        far_(new double[2 * kRows * capacity_]) {
    sign_.repeat(ratios, n_rows, [](double ratio) { return ratio < 0.0 ? -1.0 : 1.0; });
    least_.repeat(ratios, n_rows, [](double ratio) {
      const double size = std::abs(ratio) * (1.0 - kRounding);
      return size * size;
    });
    most_.repeat(ratios, n_rows, [](double ratio) {
      const double size = std::abs(ratio) * (1.0 + kRounding);
      return size * size;
    });
  }

  SKGRADED_ALWAYS_INLINE void read(const MeansTile& tile, std::size_t, std::size_t n) noexcept {
    Cells far;
    // Sides are turned so that the ratio of each row is positive: then a ratio lies above it if the
    // signed squares do. One is written for each ratio beyond the reach.
    for (std::size_t i = 0; i < n * kRows; ++i) {
      const double total = tile.total.cell[i] * sign_.cell[i], drawn = tile.variance.cell[i];
      const double variance = drawn > 0.0 ? drawn : kNoVariance;
      const double square = total * std::abs(total);
      beyond_.cell[i] += square >= least_.cell[i] * variance ? 1.0 : 0.0;
      above_.cell[i] += square > most_.cell[i] * variance ? 1.0 : 0.0;
      far.cell[i] = std::abs(square) > reach_ * variance ? 1.0 : 0.0;  // not where either is nan
    }
    if (wanted_ > 0) keep_far(tile, n, far);
  }

  // Number of resamples in the smaller tail.
  std::int64_t in_tail(std::size_t row, std::size_t n_resamples) noexcept {
    const double above = beyond_.of_row(row);
    const double below = static_cast<double>(n_resamples) - above_.of_row(row);
    return static_cast<std::int64_t>(std::min(above, below));
  }

  // The size of the wanted-th outermost ratio on a side, or 0 if it is within the reach.
  double outermost(std::size_t row, bool is_above) noexcept {
    const std::size_t side = 2 * row + (is_above ? 1 : 0);
    if (wanted_ == 0 || n_far_[side] < wanted_) return 0.0;
    shrink(side);
    return far_[side * capacity_ + wanted_ - 1];
  }

 private:
  // Sums of the same numbers in another order differ by rounding; ratios this close are equal.
  static constexpr double kRounding = 1e-12;
  static constexpr double kMargin = 1e-9;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // Without a branch on each of them, since few are far, but not in an order to be predicted.
  SKGRADED_ALWAYS_INLINE void keep_far(const MeansTile& tile, std::size_t n,
                                       const Cells& is_far) noexcept {
    std::uint32_t far[kCells];
    std::uint32_t n_far = 0;
    for (std::uint32_t i = 0; i < n * kRows; ++i) {
      far[n_far] = i;
      n_far += is_far.cell[i] > 0.0 ? 1 : 0;
    }
    for (std::uint32_t i = 0; i < n_far; ++i) {
      const double total = tile.total.cell[far[i]];
      const double ratio = std::abs(total) / std::sqrt(tile.variance.cell[far[i]]);
      append(2 * (far[i] % kRows) + (total > 0.0 ? 1 : 0), ratio);
    }
  }

  SKGRADED_ALWAYS_INLINE void append(std::size_t side, double ratio) noexcept {
    if (n_far_[side] == capacity_) shrink(side);
    far_[side * capacity_ + n_far_[side]++] = ratio;
  }

  SKGRADED_NEVER_INLINE void shrink(std::size_t side) noexcept {
    double* const far = far_.get() + side * capacity_;
    std::nth_element(far, far + wanted_ - 1, far + n_far_[side], std::greater<double>());
    n_far_[side] = wanted_;
  }

  std::size_t wanted_, capacity_;
  double reach_;
  Cells sign_, least_, most_, beyond_ = {}, above_ = {};
  std::size_t n_far_[2 * kRows] = {};
  std::unique_ptr<double[]> far_;
};

}  // namespace skgraded
