// The kernels against naive loops on random data. From the repository root:
//
//   g++ -std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
//     -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_kernels.cpp -o test_kernels && ./test_kernels
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gain.hpp"
#include "levels.hpp"
#include "moments.hpp"
#include "queries.hpp"
#include "radix_sort.hpp"
#include "rank.hpp"
#include "schedule.hpp"
#include "sort_keys.hpp"
#include "sorting_network.hpp"
#include "threads.hpp"

namespace {

using namespace skgraded;

using Random = std::mt19937_64;
using Sizes = std::vector<std::int64_t>;
using Scores = std::vector<double>;
using Ranked = std::pair<std::vector<std::int32_t>, std::vector<std::uint8_t>>;

constexpr std::int64_t kNoCutoff = std::numeric_limits<std::int64_t>::max();
constexpr int kThreadCounts[] = {2, 3, 8, 1000};

int n_failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++n_failures;
  std::printf("FAILED: %s\n", what.c_str());
}

bool close(const std::vector<double>& values, const std::vector<double>& expected) {
  return std::equal(
      values.begin(), values.end(), expected.begin(), expected.end(),
      [](double x, double y) { return std::abs(x - y) <= 1e-11 * (1 + std::abs(y)); });
}

std::int64_t below(Random& random, std::int64_t bound) {
  return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random);
}

// --- data ----------------------------------------------------------------------------------------

class Layout {
  std::vector<std::int64_t> indptr_;

 public:
  explicit Layout(const Sizes& sizes) : indptr_(sizes.size() + 1, 0) {
    std::partial_sum(sizes.begin(), sizes.end(), indptr_.begin() + 1);
  }

  Queries queries() const {
    return {indptr_.data(), static_cast<std::int64_t>(indptr_.size()) - 1};
  }
  std::size_t n_queries() const { return indptr_.size() - 1; }
  std::size_t n_documents() const { return static_cast<std::size_t>(indptr_.back()); }
};

Sizes random_sizes(Random& random, std::size_t n_queries, std::int64_t largest) {
  Sizes sizes(n_queries);
  for (std::int64_t& size : sizes) size = 1 + below(random, largest);
  return sizes;
}

// From one-document queries to queries that no sorting network takes.
std::vector<Sizes> shapes(Random& random) {
  Sizes mixed = random_sizes(random, 900, 250);
  mixed.insert(mixed.begin() + 7, {30000, 0, 1, 255, 256, 257, 5000});
  return {{},
          {0},
          {1},
          {2},
          {0, 3, 0},
          Sizes(9, 1),
          {255},
          {256},
          {3000},
          {4, 60000, 2},
          random_sizes(random, 13, 40),
          random_sizes(random, 24, 900),
          mixed};
}

using Draw = std::function<double(Random&)>;

std::vector<std::pair<std::string, Draw>> score_draws() {
  const auto sign = [](Random& random) { return below(random, 2) == 0 ? -1.0 : 1.0; };
  return {
      {"normal", [](Random& r) { return std::normal_distribution<double>()(r); }},
      {"few values", [](Random& r) { return static_cast<double>(below(r, 5)) - 2.0; }},
      {"one value", [](Random&) { return 0.5; }},
      {"signed zeros", [sign](Random& r) { return sign(r) * 0.0; }},
      {"last bits",
       [sign](Random& r) {
         return sign(r) * (1.0 + static_cast<double>(below(r, 500)) * 0x1p-52);
       }},
      {"subnormal",
       [sign](Random& r) { return sign(r) * static_cast<double>(below(r, 4)) * 0x1p-1074; }},
      {"magnitudes",
       [sign](Random& r) {
         return sign(r) * std::ldexp(1.0, static_cast<int>(below(r, 2000)) - 1000);
       }},
      {"extremes",
       [sign](Random& r) {
         return sign(r) * (below(r, 2) == 0 ? std::numeric_limits<double>::max()
                                            : std::numeric_limits<double>::min());
       }},
  };
}

Scores draw_scores(Random& random, std::size_t n, const Draw& draw) {
  Scores scores(n);
  for (double& score : scores) score = draw(random);
  return scores;
}

template <class Level>
std::vector<Level> draw_levels(Random& random, std::size_t n, std::int64_t n_levels) {
  std::vector<Level> level(n);
  for (Level& value : level) value = static_cast<Level>(below(random, n_levels));
  return level;
}

std::vector<std::uint8_t> draw_tied(Random& random, const Layout& layout) {
  std::vector<std::uint8_t> tied(layout.n_documents());
  for (std::uint8_t& flag : tied) flag = below(random, 5) < 2 ? 1 : 0;
  const Queries queries = layout.queries();
  for (std::int64_t q = 0; q < queries.count; ++q)
    if (queries.size(q) > 0) tied[static_cast<std::size_t>(queries.begin(q))] = 0;
  return tied;
}

// --- sorting -------------------------------------------------------------------------------------

void test_keys_descend_with_the_score() {
  const Scores scores = {std::numeric_limits<double>::max(),
                         1e300,
                         2.0,
                         std::nextafter(1.0, 2.0),
                         1.0,
                         std::numeric_limits<double>::min(),
                         0x1p-1074,
                         0.0,
                         -0x1p-1074,
                         -std::numeric_limits<double>::min(),
                         -1.0,
                         std::nextafter(-1.0, -2.0),
                         -1e300,
                         std::numeric_limits<double>::lowest()};
  const SortKeys keys(1);
  for (std::size_t i = 1; i < scores.size(); ++i) {
    expect(descending_bits(scores[i - 1]) < descending_bits(scores[i]), "descending bits");
    expect(keys.key(scores[i - 1], 0) <= keys.key(scores[i], 0), "keys as integers");
    expect(from_bits(keys.key(scores[i - 1], 0)) <= from_bits(keys.key(scores[i], 0)),
           "as doubles");
  }
  expect(descending_bits(0.0) == descending_bits(-0.0), "zeros are equal");
  for (const double score : scores) {
    const double key = from_bits(SortKeys(1 << 30).key(score, (1 << 30) - 1));
    expect(std::isnormal(key) && key > 0, "keys are positive normal doubles");
  }
}

void test_network_sorts_every_lane(const std::string& name, void (*sort)(LaneRow*, std::int64_t)) {
  Random random(1);
  for (std::size_t n = 0; n < 300; ++n) {
    std::vector<LaneRow> rows(n);
    for (LaneRow& row : rows)
      for (double& key : row.lane) key = static_cast<double>(below(random, 200));
    std::vector<LaneRow> sorted = rows;
    sort(sorted.data(), static_cast<std::int64_t>(n));
    for (int lane = 0; lane < kLanes; ++lane) {
      std::vector<double> expected, keys;
      for (const LaneRow& row : rows) expected.push_back(row.lane[lane]);
      for (const LaneRow& row : sorted) keys.push_back(row.lane[lane]);
      std::sort(expected.begin(), expected.end());
      expect(keys == expected, name + ": " + std::to_string(n));
    }
  }
}

void test_radix_sort_is_sort() {
  Random random(2);
  for (const std::int64_t n : {0, 1, 2, 255, 256, 257, 3000, 70000}) {
    const SortKeys layout(n);
    std::vector<std::uint64_t> keys, spare(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
      keys.push_back(layout.key(static_cast<double>(below(random, 1 << 20)), i));
    std::vector<std::uint64_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    const std::uint64_t* sorted = sort_keys(keys.data(), spare.data(), n, index_bits(n));
    expect(std::equal(expected.begin(), expected.end(), sorted), "radix " + std::to_string(n));
  }
}

void test_schedule_is_a_permutation() {
  Random random(3);
  for (const Sizes& sizes : shapes(random)) {
    const Layout layout(sizes);
    std::vector<std::int64_t> schedule(sizes.size()), numbers(sizes.size());
    schedule_queries(layout.queries(), schedule.data());
    std::sort(schedule.begin(), schedule.end());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    expect(schedule == numbers, "schedule");
  }
}

// --- rank ----------------------------------------------------------------------------------------

Ranked rank_naively(const Scores& scores, const Queries& queries) {
  Ranked ranked{std::vector<std::int32_t>(scores.size()), std::vector<std::uint8_t>(scores.size())};
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const double* s = scores.data() + queries.begin(q);
    std::int32_t* order = ranked.first.data() + queries.begin(q);
    std::uint8_t* tied = ranked.second.data() + queries.begin(q);
    const std::int64_t n = queries.size(q);
    std::iota(order, order + n, 0);
    std::stable_sort(order, order + n, [s](std::int32_t a, std::int32_t b) { return s[a] > s[b]; });
    for (std::int64_t i = 1; i < n; ++i) tied[i] = s[order[i]] == s[order[i - 1]] ? 1 : 0;
  }
  return ranked;
}

Ranked rank_with(const Scores& scores, const Queries& queries,
                 const std::vector<std::int64_t>& schedule, int n_threads) {
  Ranked ranked{std::vector<std::int32_t>(scores.size()), std::vector<std::uint8_t>(scores.size())};
  rank(scores.data(), queries, schedule.data(), n_threads, ranked.first.data(),
       ranked.second.data());
  return ranked;
}

void test_rank() {
  Random random(4);
  for (const Sizes& sizes : shapes(random)) {
    const Layout layout(sizes);
    const Queries queries = layout.queries();
    std::vector<std::int64_t> schedule(sizes.size());
    schedule_queries(queries, schedule.data());
    for (const auto& [name, draw] : score_draws()) {
      const Scores scores = draw_scores(random, layout.n_documents(), draw);
      const Ranked expected = rank_naively(scores, queries);
      expect(rank_with(scores, queries, schedule, 1) == expected, "rank: " + name);
      for (const int n_threads : kThreadCounts)
        expect(rank_with(scores, queries, schedule, n_threads) == expected,
               "rank, threads: " + name);
      std::vector<std::int64_t> shuffled = schedule;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      expect(rank_with(scores, queries, shuffled, 2) == expected, "rank, any schedule: " + name);
    }
  }
}

// --- levels --------------------------------------------------------------------------------------

// Bubble sort that lets no level pass into another block.
template <class Level>
std::vector<Level> sort_blocks_naively(std::vector<Level> level,
                                       const std::vector<std::uint8_t>& tied, bool descending) {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 1; i < level.size(); ++i) {
      const bool misplaced = descending ? level[i - 1] < level[i] : level[i - 1] > level[i];
      if (tied[i] == 0 || !misplaced) continue;
      std::swap(level[i - 1], level[i]);
      moved = true;
    }
  }
  return level;
}

template <class Level>
void test_levels() {
  Random random(5);
  for (const Sizes& sizes : shapes(random)) {
    const Layout layout(sizes);
    const Queries queries = layout.queries();
    const auto level = draw_levels<Level>(random, layout.n_documents(), 5);
    const auto tied = draw_tied(random, layout);
    const Scores scores = draw_scores(random, level.size(), score_draws()[1].second);
    const Ranked ranked = rank_naively(scores, queries);

    std::vector<Level> expected(level.size()), by_rank(level.size());
    for (std::int64_t q = 0; q < queries.count; ++q)
      for (std::int64_t i = queries.begin(q); i < queries.begin(q + 1); ++i)
        expected[static_cast<std::size_t>(i)] = level[static_cast<std::size_t>(
            queries.begin(q) + ranked.first[static_cast<std::size_t>(i)])];
    for (const int n_threads : {1, 2, 3, 8}) {
      gather_levels(level.data(), ranked.first.data(), queries, n_threads, by_rank.data());
      expect(by_rank == expected, "gather_levels");
    }

    for (const bool descending : {false, true}) {
      expected = sort_blocks_naively(level, tied, descending);
      for (const int n_threads : {1, 2, 3, 8}) {
        sort_within_ties(level.data(), tied.data(), queries, descending, n_threads, by_rank.data());
        expect(by_rank == expected, "sort_within_ties");
      }
    }
  }
}

// --- gain and moments ----------------------------------------------------------------------------

// The rank of the first and one past the last document of every document's tied block.
std::vector<std::pair<std::int64_t, std::int64_t>> blocks_of(const std::uint8_t* tied,
                                                             std::int64_t n, bool expected) {
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t first = i, end = i + 1;
    while (expected && tied[first] != 0) --first;
    while (expected && end < n && tied[end] != 0) ++end;
    blocks.emplace_back(first, end);
  }
  return blocks;
}

// Every document of a block is at every rank of it with the same probability.
template <class Level>
double gain_naively(const RankedList<Level>& list, const double* discount, const double* gain,
                    std::int64_t cutoff, bool expected) {
  const auto blocks = blocks_of(list.tied, list.size, expected);
  double sum = 0.0;
  for (std::int64_t n = 0; n < std::min(cutoff, list.size); ++n) {
    const auto [first, end] = blocks[static_cast<std::size_t>(n)];
    for (std::int64_t x = first; x < end; ++x)
      sum += discount[n] * gain[list.level[x]] / static_cast<double>(end - first);
  }
  return sum;
}

// With x at rank n, another document y of the block is above it in n - first of end - first - 1
// cases, and each document above the block always.
template <class Level>
void moments_naively(const RankedList<Level>& list, const double* weight, std::int64_t n_levels,
                     std::int64_t cutoff, bool expected, double* moments) {
  const auto blocks = blocks_of(list.tied, list.size, expected);
  for (std::int64_t n = 0; n < std::min(cutoff, list.size); ++n) {
    const auto [first, end] = blocks[static_cast<std::size_t>(n)];
    const auto others = static_cast<double>(end - first - 1);
    for (std::int64_t x = first; x < end; ++x) {
      const double p = weight[n] / static_cast<double>(end - first);
      moments[list.level[x] * n_levels + list.level[x]] += p;
      for (std::int64_t y = 0; y < first; ++y)
        moments[list.level[y] * n_levels + list.level[x]] += p;
      for (std::int64_t y = first; y < end; ++y)
        if (y != x)
          moments[list.level[y] * n_levels + list.level[x]] +=
              p * static_cast<double>(n - first) / others;
    }
  }
}

struct SumsCase {
  Layout layout;
  std::vector<std::uint8_t> tied;
  std::vector<double> shared;  // a weight by rank
  std::vector<double> ragged;  // a weight by rank of every query
};

SumsCase make_sums_case(Random& random, const Sizes& sizes) {
  const Layout layout(sizes);
  SumsCase sums{layout, draw_tied(random, layout), {}, {}};
  const std::int64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  for (std::int64_t i = 0; i < largest; ++i) sums.shared.push_back(uniform(random));
  for (std::size_t i = 0; i < layout.n_documents(); ++i) sums.ragged.push_back(uniform(random));
  return sums;
}

// Small enough for the naive loops over pairs, and enough documents for several threads.
std::vector<Sizes> sums_shapes(Random& random) {
  return {{}, {0}, {1}, {2, 0, 1}, random_sizes(random, 50, 12), random_sizes(random, 1500, 40)};
}

template <class Level>
void test_gain() {
  Random random(6);
  const std::vector<double> gain = {0.25, 1.0, 3.0, 7.0};
  for (const Sizes& sizes : sums_shapes(random)) {
    const SumsCase sums = make_sums_case(random, sizes);
    const Queries queries = sums.layout.queries();
    const auto level = draw_levels<Level>(random, sums.tied.size(), 4);
    for (const std::int64_t cutoff :
         {std::int64_t{1}, std::int64_t{3}, std::int64_t{10}, kNoCutoff})
      for (const bool expected : {false, true})
        for (const bool ragged : {false, true}) {
          const RankWeights discount{(ragged ? sums.ragged : sums.shared).data(), ragged};
          std::vector<double> naive, value(sizes.size()), again(sizes.size());
          for (std::int64_t q = 0; q < queries.count; ++q) {
            const std::int64_t begin = queries.begin(q);
            const RankedList<Level> list{level.data() + begin, sums.tied.data() + begin,
                                         queries.size(q)};
            naive.push_back(
                gain_naively(list, discount.of(queries, q), gain.data(), cutoff, expected));
          }
          discounted_gain(level.data(), sums.tied.data(), queries, discount, gain.data(), cutoff,
                          expected, 1, value.data());
          expect(close(value, naive), "discounted_gain");
          for (const int n_threads : kThreadCounts) {
            discounted_gain(level.data(), sums.tied.data(), queries, discount, gain.data(), cutoff,
                            expected, n_threads, again.data());
            expect(again == value, "discounted_gain, threads");
          }
        }
  }
}

template <class Level>
void test_moments(std::int64_t n_levels) {
  Random random(7);
  for (const Sizes& sizes : sums_shapes(random)) {
    const SumsCase sums = make_sums_case(random, sizes);
    const Queries queries = sums.layout.queries();
    const auto level = draw_levels<Level>(random, sums.tied.size(), n_levels);
    for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{5}, kNoCutoff})
      for (const bool expected : {false, true})
        for (const bool ragged : {false, true}) {
          const RankWeights weight{(ragged ? sums.ragged : sums.shared).data(), ragged};
          const MomentTask<Level> task{level.data(), sums.tied.data(), queries, weight,
                                       n_levels,     cutoff,           expected};
          const std::size_t size = sizes.size() * static_cast<std::size_t>(n_levels * n_levels);
          std::vector<double> naive(size), moments(size), again(size);
          for (std::int64_t q = 0; q < queries.count; ++q) {
            const std::int64_t begin = queries.begin(q);
            const RankedList<Level> list{level.data() + begin, sums.tied.data() + begin,
                                         queries.size(q)};
            moments_naively(list, weight.of(queries, q), n_levels, cutoff, expected,
                            naive.data() + q * n_levels * n_levels);
          }
          pair_moments(task, 1, moments.data());
          expect(close(moments, naive), "pair_moments, levels: " + std::to_string(n_levels));
          for (const int n_threads : kThreadCounts) {
            pair_moments(task, n_threads, again.data());
            expect(again == moments, "pair_moments, threads");
          }
        }
  }
}

}  // namespace

int main() {
  test_keys_descend_with_the_score();
  test_network_sorts_every_lane("network", sort_lanes_plain);
#if SKGRADED_HAS_AVX_VARIANT
  if (has_avx()) test_network_sorts_every_lane("network, AVX", sort_lanes_avx);
#endif
  test_radix_sort_is_sort();
  test_schedule_is_a_permutation();
  test_rank();
  test_levels<std::uint8_t>();
  test_levels<std::int32_t>();
  test_gain<std::uint8_t>();
  test_gain<std::int32_t>();
  for (std::int64_t n_levels = 1; n_levels <= 11; ++n_levels) test_moments<std::uint8_t>(n_levels);
  test_moments<std::int32_t>(5);
  test_moments<std::int32_t>(20);
  std::printf(n_failures == 0 ? "all kernels agree\n" : "%d failures\n", n_failures);
  return n_failures == 0 ? 0 : 1;
}
