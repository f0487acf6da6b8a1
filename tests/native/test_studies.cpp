// The kernels of paired tests and studies against naive loops, under sanitizers.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "shuffles.hpp"
#include "wide_product.hpp"

namespace {

using namespace skgraded;
using namespace skgraded::tests;
using Doubles = std::vector<double>;

void test_wide_products(Random& random) {
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
    const WideProduct one = multiply_wide(a, b), other = multiply_in_halves(a, b);
    expect(one.high == other.high && one.low == other.low, "both ways to multiply");
  }
  const WideProduct most = multiply_wide(~0ULL, ~0ULL);
  expect(most.high == ~1ULL && most.low == 1, "the largest product");
}

// The first words of seed 1234567, as the generator's authors publish them.
void test_words_are_splitmix64() {
  LaneWords words(1234567, 0, 1);
  const std::uint64_t expected[] = {6457827717110365317ULL, 3203168211198807973ULL,
                                    9817491932198370423ULL, 4593380528125082431ULL,
                                    16408922859458223821ULL};
  for (std::size_t lane = 0; lane < 5; ++lane)
    for (std::size_t i = lane; i < 5; ++i) expect(words.next(lane) == expected[i], "word");
}

// All orders of four values come up equally often: chi-squared with 23 degrees of freedom.
void test_all_orders_are_equally_likely() {
  constexpr int kRounds = 30000;
  const Doubles values = {0, 1, 2, 3};
  std::map<std::vector<double>, int> seen;
  ShufflePlaces places(4);
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
  expect(seen.size() == 24 && squares < 52, "all orders are equally likely");  // p = .0005
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
void test_ranges(Random& random) {
  for (const std::uint32_t n : {1U, 2U, 5U, 40U, 143U, 70000U}) {
    Doubles values(n * std::size_t{3});
    for (double& value : values) value = static_cast<double>(random() % 1000) / 7.0;
    for (const std::size_t n_resamples : {1U, 8U, 11U, n < 1000 ? 1000U : 9U}) {
      Doubles ranges(n_resamples);
      shuffled_ranges(values.data(), 3, n, 11, n_resamples, ranges.data());
      for (std::size_t r = 0; r < n_resamples; ++r)
        expect(ranges[r] == naive_range(values, n, 11, r), "range");
    }
  }
}

}  // namespace

int main() {
  Random random(20250301);
  test_wide_products(random);
  test_words_are_splitmix64();
  test_all_orders_are_equally_likely();
  test_ranges(random);
  return report();
}
