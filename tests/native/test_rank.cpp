// The sorting against naive loops on random data.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "queries.hpp"
#include "radix_sort.hpp"
#include "rank.hpp"
#include "schedule.hpp"
#include "simd.hpp"
#include "sort_keys.hpp"
#include "sorting_network.hpp"

namespace {

using namespace skgraded;
using namespace skgraded::tests;

using Sizes = std::vector<std::int64_t>;
using Scores = std::vector<double>;
using Ranked = std::pair<std::vector<std::int32_t>, std::vector<std::uint8_t>>;

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
  const auto key_of = [](double score) { return SortKeys(1).key(descending_bits(score), 0); };
  for (std::size_t i = 1; i < scores.size(); ++i) {
    expect(descending_bits(scores[i - 1]) < descending_bits(scores[i]), "descending bits");
    expect(key_of(scores[i - 1]) <= key_of(scores[i]), "keys as integers");
    expect(from_bits(key_of(scores[i - 1])) <= from_bits(key_of(scores[i])), "as doubles");
  }
  expect(descending_bits(0.0) == descending_bits(-0.0), "zeros are equal");
  for (const double score : scores) {
    const double key = from_bits(SortKeys(1 << 30).key(descending_bits(score), (1 << 30) - 1));
    expect(std::isnormal(key) && key > 0, "keys are positive normal doubles");
  }
}

void test_network_sorts_every_lane(Registers registers) {
  Random random(1);
  for (std::size_t n = 0; n < 300; ++n) {
    std::vector<LaneRow> rows(n);
    for (LaneRow& row : rows)
      for (double& key : row.lane) key = static_cast<double>(below(random, 200));
    std::vector<LaneRow> sorted = rows;
    sort_lanes_in(registers, sorted.data(), static_cast<std::int64_t>(n));
    for (int lane = 0; lane < kLanes; ++lane) {
      std::vector<double> expected, keys;
      for (const LaneRow& row : rows) expected.push_back(row.lane[lane]);
      for (const LaneRow& row : sorted) keys.push_back(row.lane[lane]);
      std::sort(expected.begin(), expected.end());
      expect(keys == expected, "network of " + std::to_string(n));
    }
  }
}

void test_radix_sort_is_sort() {
  Random random(2);
  for (const std::int64_t n : {0, 1, 2, 255, 256, 257, 3000, 70000}) {
    const SortKeys layout(n);
    std::vector<std::uint64_t> keys, spare(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
      keys.push_back(layout.key(descending_bits(static_cast<double>(below(random, 1 << 20))), i));
    std::vector<std::uint64_t> expected = keys;
    std::sort(expected.begin(), expected.end());
    const std::uint64_t* sorted = sort_keys(keys.data(), spare.data(), n, index_bits(n));
    expect(std::equal(expected.begin(), expected.end(), sorted), "radix " + std::to_string(n));
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
  // Results are written into memory that holds anything.
  Ranked ranked{std::vector<std::int32_t>(scores.size(), -7),
                std::vector<std::uint8_t>(scores.size(), 7)};
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
      for (const int n_threads : {2, 3, 1000})
        expect(rank_with(scores, queries, schedule, n_threads) == expected,
               "rank, threads: " + name);
      std::vector<std::int64_t> shuffled = schedule;
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      expect(rank_with(scores, queries, shuffled, 2) == expected, "rank, any schedule: " + name);
    }
  }
}

}  // namespace

int main() {
  test_keys_descend_with_the_score();
  for (const Registers each :
       {Registers::kPlain, Registers::kAvx, Registers::kAvx2, Registers::kAvx512})
    if (each <= widest_registers()) test_network_sorts_every_lane(each);
  test_radix_sort_is_sort();
  test_rank();
  return report();
}
