// The kernels of paired tests and studies against naive loops, under sanitizers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "scaled_words.hpp"
#include "shuffles.hpp"
#include "simd.hpp"
#include "system_pairs.hpp"
#include "wide_product.hpp"

namespace {

using namespace skgraded;
using Random = std::mt19937_64;
using Doubles = std::vector<double>;

constexpr Registers kRegisters[] = {Registers::kPlain, Registers::kAvx, Registers::kAvx2,
                                    Registers::kAvx512};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

void test_wide_products(Random& random) {
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
    const WideProduct one = multiply_wide(a, b), other = multiply_in_halves(a, b);
    require(one.high == other.high && one.low == other.low, "both ways to multiply");
  }
  const WideProduct most = multiply_wide(~0ULL, ~0ULL);
  require(most.high == ~1ULL && most.low == 1, "the largest product");
}

// The first words of seed 1234567, as the generator's authors publish them.
void test_words_are_splitmix64() {
  LaneWords words(1234567, 0, 1);
  const std::uint64_t expected[] = {6457827717110365317ULL, 3203168211198807973ULL,
                                    9817491932198370423ULL, 4593380528125082431ULL,
                                    16408922859458223821ULL};
  for (std::size_t lane = 0; lane < 5; ++lane)
    for (std::size_t i = lane; i < 5; ++i) require(words.next(lane) == expected[i], "word");
}

void test_scaled_words(Random& random, Registers registers) {
  for (int round = 0; round < 3000; ++round) {
    const auto any = static_cast<std::uint32_t>(random() >> (32 + random() % 32));
    const std::uint32_t first_bound = std::max(any, 4U), count = 1 + any % 3;
    std::uint64_t words[kScaledWords];
    for (std::uint64_t& word : words) word = round % 5 == 0 ? ~0ULL : random();
    std::uint64_t rest[kScaledWords];
    std::copy_n(words, kScaledWords, rest);
    std::uint32_t scaled[3 * kScaledWords];
    scale_words(rest, first_bound, count, scaled, registers);
    for (std::size_t l = 0; l < kScaledWords; ++l) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const WideProduct product = multiply_in_halves(words[l], first_bound - i);
        require(scaled[i * kScaledWords + l] == product.high, "number below the bound");
        words[l] = product.low;
      }
      require(rest[l] == words[l], "the word that is left");
    }
  }
}

// All orders of four values come up equally often: chi-squared with 23 degrees of freedom.
void test_all_orders_are_equally_likely(Registers registers) {
  constexpr int kRounds = 30000;
  const Doubles values = {0, 1, 2, 3};
  std::map<std::vector<double>, int> seen;
  ShufflePlaces places(4, registers);
  LaneWords words(7, 0, std::uint64_t{1} << 32);
  Doubles lanes(4 * kShuffles);
  for (int round = 0; round < kRounds; ++round) {
    Doubles sums(4 * kShuffles);
    shuffle_into(values.data(), 4, places.draw(words), lanes.data(), sums.data());
    for (std::size_t l = 0; l < kShuffles; ++l)
      ++seen[{sums[l], sums[l + kShuffles], sums[l + 2 * kShuffles], sums[l + 3 * kShuffles]}];
  }
  const double expected = kRounds * static_cast<double>(kShuffles) / 24.0;
  double squares = 0;
  for (const auto& [order, n] : seen) squares += std::pow(n - expected, 2) / expected;
  require(seen.size() == 24 && squares < 52, "all orders are equally likely");  // p = .0005
}

// Long lists take several words, and very long ones have bounds of which two do not fit into one.
void test_places_are_below_their_bounds(Registers registers) {
  for (const std::uint32_t n : {0U, 1U, 2U, 3U, 143U, 1000U, 70000U}) {
    ShufflePlaces places(n, registers);
    LaneWords words(n, 0, 1);
    for (int round = 0; round < 20; ++round) {
      const std::uint32_t* place = places.draw(words);
      for (std::uint32_t bound = n; bound >= 2; --bound)
        for (std::size_t l = 0; l < kShuffles; ++l)
          require(*place++ < bound, "place below its bound");
    }
  }
}

// One resample after the other, the places one by one: a word gives as many as it has bits for.
double naive_range(const Doubles& values, std::uint32_t n, std::uint64_t seed, std::uint64_t r) {
  LaneWords words(seed, r << 32, 0);
  Doubles sums(values.begin(), values.begin() + n);
  for (std::size_t first = n; first < values.size(); first += n) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    Doubles topic(begin, begin + n);
    for (std::uint32_t bound = n; bound >= 2;) {
      std::uint64_t product = 1, rest = 0;
      std::uint32_t end = bound;
      while (end >= 2 && product <= (std::uint64_t{1} << 56) / end) product *= end--;
      std::vector<std::size_t> place;
      do {
        rest = words.next(0);
        place.clear();
        for (std::uint32_t each = bound; each > end; --each) {
          const WideProduct scaled = multiply_wide(rest, each);
          place.push_back(scaled.high);
          rest = scaled.low;
        }
      } while (rest < (0 - product) % product);
      for (const std::size_t drawn : place) std::swap(topic[drawn], topic[--bound]);
    }
    for (std::uint32_t s = 0; s < n; ++s) sums[s] += topic[s];
  }
  const auto [least, most] = std::minmax_element(sums.begin(), sums.end());
  return *most - *least;
}

// 1000 resamples of lists that take several words each: some of the words are refused.
void test_ranges(Random& random, Registers registers) {
  for (const std::uint32_t n : {1U, 2U, 5U, 40U, 143U, 70000U}) {
    Doubles values(n * std::size_t{3});
    for (double& value : values) value = static_cast<double>(random() % 1000) / 7.0;
    for (const std::size_t n_resamples : {1U, 8U, 11U, n < 1000 ? 1000U : 9U}) {
      Doubles ranges(n_resamples);
      shuffled_ranges(values.data(), 3, n, 11, n_resamples, ranges.data(), registers);
      for (std::size_t r = 0; r < n_resamples; ++r)
        require(ranges[r] == naive_range(values, n, 11, r), "range");
    }
  }
}

// A resample in a sort: the larger t is first, and of equal ones the larger mean.
using Resample = std::pair<double, double>;

Resample studentised(const ObservedPair& pair, double first, double second, double square) {
  const double mean = std::abs(first - second - pair.mean);
  if (mean <= pair.rounding) return {0.0, 0.0};
  const double spread = square - mean * mean;
  const double ratio = mean * mean / (spread <= 1e-12 * square ? 0.0 : spread);
  return {std::isnan(ratio) ? 0.0 : ratio, mean};
}

void test_bootstrap(Random& random, Registers registers) {
  std::normal_distribution<double> normal;
  for (const std::int64_t n : {1, 2, 19, 300}) {
    for (const std::int64_t wanted : {std::int64_t{1}, (n + 1) / 2, n}) {
      PairBootstrap bootstrap(static_cast<std::size_t>(n), wanted, registers);
      for (int round = 0; round < 30; ++round) {
        const bool whole = round % 3 == 0;  // with equal t
        // Far above or below the pair before, and beyond what a double holds.
        const double scale = round == 17 ? 1e160 : std::pow(10.0, round * 5 % 7 - 3);
        Doubles first, second, squares;
        for (std::int64_t b = 0; b < n; ++b) {
          first.push_back(whole ? static_cast<double>(random() % 3) : scale * normal(random));
          second.push_back(whole ? 0.0 : normal(random));
          squares.push_back(whole ? 4.0 : std::pow(first.back() - second.back(), 2) + 0.5);
        }
        const ObservedPair pair{whole ? 0.0 : 0.1, 1e-13, 0.8};
        std::vector<Resample> expected;
        for (std::size_t b = 0; b < first.size(); ++b)
          expected.push_back(studentised(pair, first[b], second[b], squares[b]));
        const auto beyond = std::count_if(expected.begin(), expected.end(),
                                          [](const Resample& each) { return each.first >= 0.8; });
        std::sort(expected.rbegin(), expected.rend());
        const BootstrappedPair found =
            bootstrap.test(pair, first.data(), second.data(), squares.data());
        require(found.n_beyond == beyond, "resamples beyond the observed one");
        require(found.required == expected[static_cast<std::size_t>(wanted - 1)].second,
                "the difference that is required");
      }
    }
  }
}

void test_swaps(Random& random, Registers registers) {
  for (int round = 0; round < 300; ++round) {
    const std::size_t n_systems = 1 + random() % 12, n_bins = 1 + random() % 6, n_trials = 4;
    const double width = round % 7 == 0 ? 1e-300 : 0.1, rounding = 1e-12;
    Doubles edges;
    for (std::size_t bin = 0; bin < n_bins; ++bin)
      edges.push_back(static_cast<double>(bin) * width);
    SwapCounts counts(edges.data(), n_bins, width, rounding);
    std::vector<std::int64_t> compared(n_bins), swapped(n_bins), all(n_bins), opposite(n_bins);
    for (std::size_t trial = 0; trial < n_trials; ++trial) {
      Doubles one(n_systems), other(n_systems);
      for (double& mean : one) mean = 0.1 * static_cast<double>(random() % 5);
      for (double& mean : other) mean = 0.1 * static_cast<double>(random() % 5);
      counts.add_trial(one.data(), other.data(), n_systems, registers);
      for (std::size_t i = 0; i < n_systems; ++i) {
        for (std::size_t j = i + 1; j < n_systems; ++j) {
          const double a = one[i] - one[j], b = other[i] - other[j];
          if (std::abs(a) <= rounding) continue;
          const auto above = std::upper_bound(edges.begin(), edges.end(), std::abs(a) + rounding);
          const auto bin = static_cast<std::size_t>(above - edges.begin() - 1);
          ++all[bin];
          if (a * b < 0 && std::abs(b) > rounding) ++opposite[bin];
        }
      }
    }
    counts.read(compared.data(), swapped.data());
    require(compared == all, "comparisons by size");
    require(swapped == opposite, "swaps by size");
  }
}

}  // namespace

int main() {
  Random random(20250301);
  test_wide_products(random);
  test_words_are_splitmix64();
  for (const Registers registers : kRegisters) {
    if (registers > widest_registers()) continue;
    test_scaled_words(random, registers);
    test_all_orders_are_equally_likely(registers);
    test_places_are_below_their_bounds(registers);
    test_ranges(random, registers);
    test_bootstrap(random, registers);
    test_swaps(random, registers);
  }
  std::printf("all kernels of the studies agree\n");
  return 0;
}
