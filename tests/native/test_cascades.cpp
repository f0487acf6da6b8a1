// Cascades, preferences and prefix sums against all orders of tied documents. From the repository
// root:
//
//   g++ -std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
//     -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_cascades.cpp -o test_cascades && ./test_cascades
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cascade.hpp"
#include "cumulate.hpp"
#include "levels.hpp"
#include "preference.hpp"
#include "queries.hpp"

namespace {

using namespace skgraded;

using Random = std::mt19937_64;
using Doubles = std::vector<double>;
using Levels = std::vector<std::uint8_t>;

constexpr std::int64_t kNoCutoff = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLongest = 7;
constexpr double kUnset = -7.0;  // results are written into memory that holds anything
const Doubles kStop = {0.0, 0.25, 1.0};
const std::vector<std::uint8_t> kRelevant = {0, 1, 1};

int n_failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++n_failures;
  std::printf("FAILED: %s\n", what.c_str());
}

bool close(double x, double y) { return std::abs(x - y) <= 1e-12; }

std::int64_t below(Random& random, std::int64_t bound) {
  return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random);
}

struct Lists {
  std::vector<std::int64_t> indptr{0};
  Levels level;
  std::vector<std::uint8_t> tied;

  Lists(Random& random, std::int64_t n_queries) {
    for (std::int64_t q = 0; q < n_queries; ++q) {
      const std::int64_t size = below(random, kLongest + 1);
      for (std::int64_t i = 0; i < size; ++i) {
        level.push_back(static_cast<std::uint8_t>(below(random, 3)));
        tied.push_back(static_cast<std::uint8_t>(i > 0 && below(random, 2) == 1));
      }
      indptr.push_back(static_cast<std::int64_t>(level.size()));
    }
  }

  Queries queries() const { return {indptr.data(), static_cast<std::int64_t>(indptr.size()) - 1}; }

  RankedLists<std::uint8_t> ranked() const { return {level.data(), tied.data(), queries()}; }

  RankedList<std::uint8_t> list(std::int64_t q) const { return ranked().of(q); }
};

// Mean of a value over all permutations of each tied block.
double over_all_orders(const RankedList<std::uint8_t>& list,
                       const std::function<double(const Levels&)>& value) {
  std::vector<Levels> orders = {{}};
  for (std::int64_t first = 0, end; first < list.size; first = end) {
    end = list.block_end(first);
    std::vector<std::int64_t> places(static_cast<std::size_t>(end - first));
    std::iota(places.begin(), places.end(), first);
    std::vector<Levels> longer;
    do {
      for (Levels order : orders) {
        for (const std::int64_t place : places) order.push_back(list.level[place]);
        longer.push_back(order);
      }
    } while (std::next_permutation(places.begin(), places.end()));
    orders = longer;
  }
  double sum = 0.0;
  for (const Levels& order : orders) sum += value(order);
  return sum / static_cast<double>(orders.size());
}

double cascade_of(const Levels& order, const Doubles& weight, const double* worth,
                  std::int64_t cutoff) {
  double sum = 0.0;
  for (std::size_t n = 0; n < order.size() && static_cast<std::int64_t>(n) < cutoff; ++n) {
    double reading = 1.0, found = worth == nullptr ? 1.0 : worth[order[n]];
    for (std::size_t m = 0; m < n; ++m) {
      reading *= 1.0 - kStop[order[m]];
      if (worth != nullptr) found += worth[order[m]];
    }
    sum += weight[n] * reading * kStop[order[n]] * found;
  }
  return sum;
}

double preferences_of(const Levels& order, Penalty penalty, std::int64_t cutoff) {
  double sum = 0.0;
  for (std::size_t n = 0; n < order.size() && static_cast<std::int64_t>(n) < cutoff; ++n) {
    if (kRelevant[order[n]] == 0) continue;
    double above = 0.0;
    for (std::size_t m = 0; m < n; ++m) above += 1.0 - kRelevant[order[m]];
    const double lost = std::min(above, penalty.most);
    sum += penalty.divisor > 0.0 ? 1.0 - lost / penalty.divisor : 1.0;
  }
  return sum;
}

void test_cascades(Random& random) {
  Doubles weight(kLongest);
  for (double& each : weight) each = 1.0 / static_cast<double>(1 + below(random, 9));
  const Lists lists(random, 6);
  const auto n_queries = static_cast<std::size_t>(lists.queries().count);
  const Doubles worth = {0.5, 1.0, 3.0};
  for (const double* worths : {static_cast<const double*>(nullptr), worth.data()})
    for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{3}, kNoCutoff}) {
      const int n_threads = worths == nullptr ? 1 : 3;
      Doubles mean(n_queries, kUnset), in_order(mean);
      for (const bool expected : {false, true})
        cascade(lists.ranked(), RankWeights{weight.data(), false}, Reading{kStop.data(), worths},
                cutoff, expected, n_threads, (expected ? mean : in_order).data());
      for (std::size_t q = 0; q < n_queries; ++q) {
        const auto list = lists.list(static_cast<std::int64_t>(q));
        const auto value = [&](const Levels& each) {
          return cascade_of(each, weight, worths, cutoff);
        };
        expect(close(mean[q], over_all_orders(list, value)), "cascade, expected");
        expect(close(in_order[q], value(Levels(list.level, list.level + list.size))), "cascade");
      }
    }
}

// One document of a tied block joins the others after the other: the square of the block's length.
double cascade_of_block(const Levels& block, const Doubles& weight, const Doubles& stop,
                        std::int64_t cutoff) {
  Doubles pass(block.size() + 1, 0.0);
  pass[0] = 1.0;
  for (std::size_t n = 1; n <= block.size(); ++n)
    for (std::size_t j = n; j > 0; --j) {
      const double drawn = static_cast<double>(j) / static_cast<double>(n);
      pass[j] = (1.0 - drawn) * pass[j] + drawn * (1.0 - stop[block[n - 1]]) * pass[j - 1];
    }
  double sum = 0.0;
  for (std::size_t j = 0; j < block.size() && static_cast<std::int64_t>(j) < cutoff; ++j)
    sum += weight[j] * (pass[j] - pass[j + 1]);
  return sum;
}

void test_large_blocks(Random& random) {
  const std::vector<Doubles> scales = {{0.0, 1.0 / 16, 3.0 / 16, 7.0 / 16, 15.0 / 16},
                                       {0.0, 1e-3, 2e-3, 1e-9, 1.0},
                                       {0.5, 0.25, 0.125, 0.999, 0.01},
                                       {0.0, 1.0, 0.0, 1.0, 1.0}};
  for (const Doubles& stop : scales) {
    const auto n = static_cast<std::size_t>(2 + below(random, 900));
    Levels block(n);
    const std::int64_t n_levels = 1 + below(random, 5), n_zero = below(random, 3);
    for (auto& each : block)
      each = static_cast<std::uint8_t>(below(random, 3) < n_zero ? 0 : below(random, n_levels));
    Doubles weight(n);
    for (std::size_t i = 0; i < n; ++i) weight[i] = 1.0 / static_cast<double>(i + 1);
    std::vector<std::uint8_t> tied(n, 1);
    tied[0] = 0;
    const std::vector<std::int64_t> indptr = {0, static_cast<std::int64_t>(n)};
    for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{20}, kNoCutoff}) {
      double value = 0.0;
      const Queries queries{indptr.data(), 1};
      cascade(RankedLists<std::uint8_t>{block.data(), tied.data(), queries},
              RankWeights{weight.data(), false}, Reading{stop.data(), nullptr}, cutoff, true, 1,
              &value);
      expect(close(value, cascade_of_block(block, weight, stop, cutoff)), "cascade, large block");
    }
  }
}

void test_preferences(Random& random) {
  const Lists lists(random, 6);
  const auto n_queries = static_cast<std::size_t>(lists.queries().count);
  Doubles most(n_queries), divisor(n_queries);
  for (double& each : most) each = static_cast<double>(below(random, 5));
  for (double& each : divisor) each = static_cast<double>(below(random, 4));
  const auto penalty_of = [&](std::int64_t q) noexcept {
    return Penalty{most[static_cast<std::size_t>(q)], divisor[static_cast<std::size_t>(q)]};
  };
  for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{3}, kNoCutoff})
    for (const int n_threads : {1, 3}) {
      Doubles mean(n_queries, kUnset), in_order(mean);
      for (const bool expected : {false, true})
        preferences(lists.ranked(), kRelevant.data(), penalty_of, cutoff, expected, n_threads,
                    (expected ? mean : in_order).data());
      for (std::size_t q = 0; q < n_queries; ++q) {
        const auto list = lists.list(static_cast<std::int64_t>(q));
        const Penalty penalty{most[q], divisor[q]};
        const auto value = [&](const Levels& each) {
          return preferences_of(each, penalty, cutoff);
        };
        expect(close(mean[q], over_all_orders(list, value)), "preferences, expected");
        expect(close(in_order[q], value(Levels(list.level, list.level + list.size))),
               "preferences");
      }
    }
}

void test_cumulate(Random& random) {
  const Lists lists(random, 6);
  Doubles values(lists.level.begin(), lists.level.end()), sums(values.size());
  cumulate(values.data(), lists.queries(), sums.data());
  for (std::int64_t q = 0; q < lists.queries().count; ++q) {
    double sum = 0.0;
    for (std::int64_t i = lists.indptr[static_cast<std::size_t>(q)];
         i < lists.indptr[static_cast<std::size_t>(q) + 1]; ++i) {
      sum += values[static_cast<std::size_t>(i)];
      expect(close(sums[static_cast<std::size_t>(i)], sum), "cumulate");
    }
  }
}

}  // namespace

int main() {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    test_cascades(random);
    test_large_blocks(random);
    test_preferences(random);
    test_cumulate(random);
  }
  std::printf(n_failures == 0 ? "the kernels agree\n" : "%d failures\n", n_failures);
  return n_failures == 0 ? 0 : 1;
}
