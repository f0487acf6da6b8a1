// Studentised means of resamples against a naive loop, under sanitizers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "resampled_means.hpp"
#include "simd.hpp"

namespace {

using namespace skgraded;
using Random = std::mt19937_64;
using Doubles = std::vector<double>;

constexpr Registers kRegisters[] = {Registers::kPlain, Registers::kAvx, Registers::kAvx2,
                                    Registers::kAvx512};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

// Residuals are eighths, so that sums have no rounding errors and many ratios tie.
struct Data {
  std::size_t n_units, n_rows, n_resamples;
  Doubles sizes, residuals, errors;
  std::vector<std::int32_t> drawn;

  Data(Random& random, bool has_one_size)
      : n_units(1 + random() % 20), n_rows(1 + random() % 40), n_resamples(1 + random() % 50) {
    for (std::size_t i = 0; i < n_units; ++i)
      sizes.push_back(has_one_size ? 2.0 : static_cast<double>(1 + random() % 4));
    for (std::size_t i = 0; i < n_units * n_rows; ++i)
      residuals.push_back(static_cast<double>(random() % 9) / 8.0 - 0.5);
    for (std::size_t i = 0; i < n_rows; ++i)
      errors.push_back(static_cast<double>(random() % 3) / 4.0);
    for (std::size_t i = 0; i < n_units * n_resamples; ++i)
      drawn.push_back(static_cast<std::int32_t>(random() % n_units));
  }

  Resamples resamples() const { return {drawn.data(), n_resamples, sizes.data(), n_units}; }

  // The mean of residuals of a resample in its standard error.
  double ratio(std::size_t row, std::size_t resample, double error_of_data) const {
    double total = 0.0, queries = 0.0, squares = 0.0, all = 0.0;
    const std::int32_t* const units = drawn.data() + resample * n_units;
    for (std::size_t i = 0; i < n_units; ++i) {
      total += residuals[row * n_units + static_cast<std::size_t>(units[i])];
      queries += sizes[static_cast<std::size_t>(units[i])];
    }
    for (std::size_t i = 0; i < n_units; ++i) {
      const auto unit = static_cast<std::size_t>(units[i]);
      const double each = residuals[row * n_units + unit];
      const double apart = each - total / queries * sizes[unit];
      squares += apart * apart;
      all += each * each;
    }
    if (total == 0.0) return 0.0;
    const auto n = static_cast<double>(n_units);
    const double error = squares > 1e-11 * all ? std::sqrt(squares * n / std::max(n - 1.0, 1.0))
                                               : error_of_data * queries;
    return error > 0.0 ? total / error : std::copysign(kInfinity, total);
  }
};

void test_counts(const Data& data, Registers registers) {
  const Resamples resamples = data.resamples();
  for (std::size_t row = 0; row < data.n_rows; row += kRows) {
    const std::size_t n = std::min(kRows, data.n_rows - row);
    Doubles reached;
    for (std::size_t i = 0; i < n; ++i)
      reached.push_back(std::abs(data.ratio(row + i, 0, 0.0)) * (1.0 - 1e-9));
    BeyondCounts counts(reached.data(), n);
    read_means(resamples, data.residuals.data() + row * data.n_units, n, counts, registers);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t expected = 0;
      for (std::size_t r = 0; r < data.n_resamples; ++r)
        expected += std::abs(data.ratio(row + i, r, 0.0)) >= reached[i] ? 1 : 0;
      if (reached[i] == kInfinity) continue;  // of rows with an error of 0, which have no residuals
      require(counts.of(i) == expected, "resamples beyond a ratio");
    }
  }
}

void test_largest(const Data& data, Registers registers) {
  const Resamples resamples = data.resamples();
  LargestRatios largest(resamples);
  for (std::size_t row = 0; row < data.n_rows; row += kRows) {
    const std::size_t n = std::min(kRows, data.n_rows - row);
    largest.begin_rows(data.errors.data() + row, n);
    read_means(resamples, data.residuals.data() + row * data.n_units, n, largest, registers);
  }
  for (std::size_t r = 0; r < data.n_resamples; ++r) {
    double expected = 0.0;
    for (std::size_t row = 0; row < data.n_rows; ++row)
      expected = std::max(expected, std::abs(data.ratio(row, r, data.errors[row])));
    const double found = largest.of(r);
    require(found == expected || std::abs(found - expected) <= 1e-11 * expected, "largest ratio");
  }
}

void test_tails(Random& random, const Data& data, Registers registers) {
  const Resamples resamples = data.resamples();
  const std::size_t wanted = random() % (data.n_resamples / 2 + 1), row = random() % data.n_rows;
  const double reach = static_cast<double>(random() % 3) / 2.0;
  const double* const residuals = data.residuals.data() + row * data.n_units;
  const double observed = data.ratio(row, random() % data.n_resamples, 0.0);
  const double ratio = std::abs(observed) < kInfinity ? observed : 1.0;
  RatioTails tails(&ratio, 1, reach, wanted);
  read_means(resamples, residuals, 1, tails, registers);
  Doubles drawn;
  for (std::size_t r = 0; r < data.n_resamples; ++r) drawn.push_back(data.ratio(row, r, 0.0));
  std::sort(drawn.begin(), drawn.end());
  std::int64_t below = 0, above = 0;
  for (const double each : drawn) {
    const double margin = 1e-11 * std::abs(ratio);
    below += each <= ratio + margin ? 1 : 0;
    above += each >= ratio - margin ? 1 : 0;
  }
  require(tails.in_tail(0, data.n_resamples) == std::min(below, above), "the smaller tail");
  const double ends[] = {wanted > 0 ? -drawn[wanted - 1] : 0.0,
                         wanted > 0 ? drawn[drawn.size() - wanted] : 0.0};
  for (const bool is_above : {false, true}) {
    const double found = tails.outermost(0, is_above), expected = ends[is_above ? 1 : 0];
    if (expected > reach * (1.0 + 1e-9))
      require(found == expected || std::abs(found - expected) <= 1e-11 * expected, "outermost");
    else
      require(found <= reach * (1.0 + 1e-9), "outermost within the reach");
  }
}

// Squares that overflow: no ratio of them is kept, and none is written beyond what is wanted.
void test_overflow(Random& random, Registers registers) {
  Data data(random, true);
  for (double& each : data.residuals) each *= 1e160;
  const Resamples resamples = data.resamples();
  for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
    const Doubles ratios(std::min(kRows, data.n_rows), 1.0);
    RatioTails tails(ratios.data(), ratios.size(), 1.0, wanted);
    read_means(resamples, data.residuals.data(), ratios.size(), tails, registers);
    require(!(tails.outermost(0, true) > 0.0) || wanted > 0, "outermost of none");
  }
}

// Residuals of any bits: neither the registers nor the other rows change those of the sums.
void test_bits(Random& random, bool has_one_size, Registers registers) {
  Data data(random, has_one_size);
  for (double& each : data.residuals) each = static_cast<double>(random() >> 11) * 0x1p-52 - 1.0;
  const Resamples resamples = data.resamples();
  for (std::size_t row = 0; row < data.n_rows; ++row) {
    const std::size_t first = row / kRows * kRows, n = std::min(kRows, data.n_rows - first);
    const Doubles ratios(n, 0.0);
    RatioTails together(ratios.data(), n, 0.0, 1), alone(ratios.data(), 1, 0.0, 1);
    read_means(resamples, data.residuals.data() + first * data.n_units, n, together, registers);
    read_means(resamples, data.residuals.data() + row * data.n_units, 1, alone, Registers::kPlain);
    for (const bool is_above : {false, true})
      require(together.outermost(row - first, is_above) == alone.outermost(0, is_above), "bits");
  }
}

}  // namespace

int main() {
  Random random(20260301);
  for (const Registers registers : kRegisters) {
    if (registers > widest_registers()) continue;
    for (int round = 0; round < 300; ++round) {
      const Data data(random, round % 2 == 0);
      test_counts(data, registers);
      test_largest(data, registers);
      test_tails(random, data, registers);
      test_overflow(random, registers);
      if (round % 10 < 2) test_bits(random, round % 2 == 0, registers);
    }
  }
  std::printf("all ratios of resamples agree\n");
  return 0;
}
