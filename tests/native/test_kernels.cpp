// The kernels that read levels against naive loops on random data. From the repository root:
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
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "draws.hpp"
#include "gain.hpp"
#include "labels.hpp"
#include "levels.hpp"
#include "moments.hpp"
#include "own_levels.hpp"
#include "pair_sums.hpp"
#include "queries.hpp"
#include "recall_shares.hpp"

namespace {

using namespace skgraded;
using namespace skgraded::tests;

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
    const RankedLists<Level> lists{level.data(), sums.tied.data(), queries};
    for (const std::int64_t cutoff :
         {std::int64_t{1}, std::int64_t{3}, std::int64_t{10}, kNoCutoff})
      for (const bool expected : {false, true})
        for (const bool ragged : {false, true}) {
          const RankWeights discount{(ragged ? sums.ragged : sums.shared).data(), ragged};
          std::vector<double> naive, value(sizes.size(), kUnset), again(sizes.size(), kUnset);
          for (std::int64_t q = 0; q < queries.count; ++q) {
            const RankedList<Level> list = lists.of(q);
            naive.push_back(
                gain_naively(list, discount.of(queries, q), gain.data(), cutoff, expected));
          }
          discounted_gain(lists, discount,
                          Gains{gain.data(), static_cast<std::int64_t>(gain.size())}, cutoff,
                          expected, 1, value.data());
          expect(close(value, naive), "discounted_gain");
          for (const int n_threads : kThreadCounts) {
            discounted_gain(lists, discount,
                            Gains{gain.data(), static_cast<std::int64_t>(gain.size())}, cutoff,
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
    const RankedLists<Level> lists{level.data(), sums.tied.data(), queries};
    for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{5}, kNoCutoff})
      for (const bool expected : {false, true})
        for (const bool ragged : {false, true}) {
          const RankWeights weight{(ragged ? sums.ragged : sums.shared).data(), ragged};
          MomentTask<Level> task{lists, weight, n_levels, cutoff, expected};
          const std::size_t size = sizes.size() * static_cast<std::size_t>(n_levels * n_levels);
          std::vector<double> naive(size), moments(size, kUnset), again(moments);
          for (std::int64_t q = 0; q < queries.count; ++q) {
            const RankedList<Level> list = lists.of(q);
            moments_naively(list, weight.of(queries, q), n_levels, cutoff, expected,
                            naive.data() + q * n_levels * n_levels);
          }
          pair_moments(task, 1, moments.data());
          expect(close(moments, naive), "pair_moments, levels: " + std::to_string(n_levels));
          for (const int n_threads : kThreadCounts) {
            pair_moments(task, n_threads, again.data());
            expect(again == moments, "pair_moments, threads");
          }
          task.registers = Registers::kPlain;
          pair_moments(task, 1, again.data());
          expect(again == moments, "pair_moments, registers");
        }
  }
}

// --- levels of each query's own ------------------------------------------------------------------

// The levels that queries have of their own, with pools that are given or null.
struct FoundLevels {
  std::vector<double> grades;
  std::vector<std::int64_t> borders, pool_indptr;
  std::vector<std::int32_t> level, pool;
};

FoundLevels find_levels(const std::vector<double>& graded, const Queries& queries,
                        const std::vector<double>* pool, const Queries& pools) {
  std::vector<std::int32_t> order;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    std::vector<std::int32_t> of_query(static_cast<std::size_t>(queries.size(q)));
    std::iota(of_query.begin(), of_query.end(), 0);
    const double* grade = graded.data() + queries.begin(q);
    std::stable_sort(of_query.begin(), of_query.end(),
                     [grade](std::int32_t a, std::int32_t b) { return grade[a] > grade[b]; });
    order.insert(order.end(), of_query.begin(), of_query.end());
  }
  const std::size_t n = graded.size(), n_pool = pool == nullptr ? n : pool->size();
  const auto n_borders = static_cast<std::size_t>(queries.count) + 1;
  FoundLevels found{std::vector<double>(n + n_pool + 2), std::vector<std::int64_t>(n_borders),
                    std::vector<std::int64_t>(n_borders), std::vector<std::int32_t>(n),
                    std::vector<std::int32_t>(n_pool)};
  const SortedGrades lists{graded.data(), order.data(), queries};
  const OwnLevels own{found.grades.data(), found.borders.data()};
  const std::int64_t n_levels =
      pool == nullptr
          ? own_levels(lists, own, found.level.data(), found.pool.data(), found.pool_indptr.data())
          : own_levels_with_pools(lists, {pool->data(), pools}, own, found.level.data(),
                                  found.pool.data());
  found.grades.resize(static_cast<std::size_t>(n_levels));
  return found;
}

// Levels against a set of the grades of each query, with documents that nobody judged.
void test_own_levels(bool pools_are_given) {
  Random random(9);
  const std::vector<double> kinds = {kUnsampledGrade, kUnjudgedGrade, 0.0, 0.25, 1.0,
                                     1.0 / 3,         40.0,           2.5};
  for (const Sizes& sizes : shapes(random)) {
    const Layout layout(sizes);
    const Queries queries = layout.queries();
    std::vector<double> graded, pool;
    std::vector<std::int64_t> pool_indptr = {0};
    for (std::int64_t q = 0; q < queries.count; ++q) {
      const auto first = static_cast<std::ptrdiff_t>(pool.size());
      for (std::int64_t i = 0; i < queries.size(q); ++i) {
        graded.push_back(kinds[static_cast<std::size_t>(below(random, 8))]);
        if (graded.back() >= 0.0) pool.push_back(graded.back());
      }
      if (pools_are_given && q % 2 == 0) pool.push_back(3.75);
      std::sort(pool.begin() + first, pool.end(), std::greater<>());
      pool_indptr.push_back(static_cast<std::int64_t>(pool.size()));
    }
    const Queries pools{pool_indptr.data(), queries.count};
    const FoundLevels found =
        find_levels(graded, queries, pools_are_given ? &pool : nullptr, pools);
    if (!pools_are_given) expect(found.pool_indptr == pool_indptr, "borders of pools");
    const auto n_levels = static_cast<std::int32_t>(found.grades.size());
    for (std::size_t i = 0; i < graded.size(); ++i) {
      const std::int32_t level = found.level[i];
      expect(graded[i] < 0.0 ? level == n_levels - 1 - static_cast<std::int32_t>(graded[i])
                             : found.grades[static_cast<std::size_t>(level)] == graded[i],
             "level of a document");
    }
    for (std::int64_t q = 0; q < queries.count; ++q) {
      const auto begin = pool.begin() + pools.begin(q), end = pool.begin() + pools.begin(q + 1);
      std::set<double> grades(begin, end);
      grades.erase(0.0);
      const auto query = static_cast<std::size_t>(q);
      const std::vector<double> own(found.grades.begin() + found.borders[query],
                                    found.grades.begin() + found.borders[query + 1]);
      expect(own == std::vector<double>(grades.begin(), grades.end()), "levels of a query");
      for (std::int64_t i = pools.begin(q); i < pools.begin(q + 1); ++i) {
        const auto place = static_cast<std::size_t>(i);
        const auto level = static_cast<std::size_t>(found.pool[place]);
        expect(found.grades[level] == pool[place], "level in a pool");
      }
    }
  }
}

void test_grades() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double smallest = std::numeric_limits<double>::min();
  struct Case {
    std::vector<double> labels;
    double top;
    bool are_grades, any_unjudged, any_fractional;
  };
  const std::vector<Case> cases = {
      {{0.0, 3.0, 300.0}, 300.0, true, false, false},
      {{0x1p53, 0x1p52 + 1.0, -0.0}, 0x1p53, true, false, false},
      {{0.0, kNan, 2.5}, 2.5, true, true, true},
      {{smallest, 1.0}, 1.0, true, false, true},
      {{kNan, kNan}, 0.0, true, true, false},
      {{1.0, -0.5}, 0.0, false, false, false},
      {{1.0, smallest / 2.0}, 0.0, false, false, false},
      {{1.0, 0x1p53 + 2.0}, 0.0, false, false, false},
      {{1.0, std::numeric_limits<double>::infinity()}, 0.0, false, false, false},
  };
  for (const Case& each : cases)
    for (std::size_t n_before : {0, 5, 7, 8, 30})
      for (const Registers registers : {Registers::kPlain, Registers::kAvx2, Registers::kAvx512}) {
        std::vector<double> labels(n_before, 0.0);
        labels.insert(labels.end(), each.labels.begin(), each.labels.end());
        std::vector<double> grades(labels.size(), kUnset);
        const GradeFacts facts =
            read_grades(labels.data(), static_cast<std::int64_t>(labels.size()), grades.data(),
                        widest_registers(registers));
        expect(facts.are_grades == each.are_grades, "are_grades");
        if (!each.are_grades) continue;
        expect(facts.top == each.top && facts.any_unjudged == each.any_unjudged &&
                   facts.any_fractional == each.any_fractional,
               "facts of grades");
        for (std::size_t i = 0; i < labels.size(); ++i)
          expect(labels[i] != labels[i] ? grades[i] == kUnjudgedGrade
                                        : grades[i] == labels[i] && std::signbit(grades[i]) == 0,
                 "grades that are read");
      }
  const std::vector<double> whole = {0.0, 0.5, 0.75, 2.0}, grades = {0.0, 0.5, 1.0, 2.25, 3.0};
  std::vector<double> values(grades.size());
  at_grades(grades.data(), 5, whole.data(), 4, values.data());
  expect(values == std::vector<double>{0.0, 0.25, 0.5, 1.0625, 2.0}, "at_grades");
  // 81 pairs of grades are more than twice 40 documents and not more than twice 41.
  std::vector<std::int64_t> indptr = {0, 3, 3, 5, 6, 47, 88};
  std::vector<double> labels(88, 0.0);
  labels[0] = 7.0, labels[1] = kUnjudgedGrade, labels[2] = kUnsampledGrade, labels[4] = 1.5;
  labels[5] = 32.0, labels[6] = labels[47] = 8.0, labels[48] = kUnjudgedGrade;
  std::vector<std::uint8_t> own(6);
  go_by_own_levels(labels.data(), {indptr.data(), 6}, {7.0, 31.0, 2.0}, own.data());
  expect(own == std::vector<std::uint8_t>{0, 0, 1, 1, 0, 1}, "go_by_own_levels");
}

void test_first_fall() {
  const std::vector<std::int64_t> borders = {1, 3, 3, 5};
  const auto found = [&](const std::vector<double>& f) {
    return first_fall(f.data(), {borders.data(), 3});
  };
  expect(found({0.0, 0.5, 0.5, 0.25, 1.0}) == -1, "f that does not fall");
  expect(found({0.0, 0.5, 0.5 - 1e-14, 0.25, 1.0}) == -1, "f that falls by rounding");
  expect(found({0.0, 0.5, 0.4, 0.25, 1.0}) == 2, "f that falls");
  expect(found({0.0, 0.5, 0.5, -0.25, 1.0}) == 3, "f below 0");
  expect(found({0.0, 0.5, 0.5, 0.25, std::nan("")}) == 4, "f that is nan");
}

// Own levels against the common ones that they stand for; pools hold one document more.
void test_own_levels_and_pair_sums(std::int64_t n_levels) {
  Random random(8);
  std::vector<Sizes> shapes = sums_shapes(random);
  shapes.push_back({kLongestByPairs - 1, kLongestByPairs, kLongestByPairs + 1, 700});
  for (const Sizes& sizes : shapes) {
    const SumsCase sums = make_sums_case(random, sizes);
    const Queries queries = sums.layout.queries();
    const auto level = draw_levels<std::uint8_t>(random, sums.tied.size(), n_levels);
    const std::vector<double> graded(level.begin(), level.end());
    std::vector<double> pool;
    std::vector<std::int64_t> pool_indptr = {0};
    for (std::int64_t q = 0; q < queries.count; ++q) {
      const auto first = static_cast<std::ptrdiff_t>(pool.size());
      if (q % 3 != 0)
        pool.insert(pool.end(), graded.begin() + queries.begin(q),
                    graded.begin() + queries.begin(q + 1));
      pool.push_back(static_cast<double>(n_levels - 1));
      std::sort(pool.begin() + first, pool.end(), std::greater<>());
      pool_indptr.push_back(static_cast<std::int64_t>(pool.size()));
    }
    const FoundLevels own =
        find_levels(graded, queries, &pool, {pool_indptr.data(), queries.count});
    const std::vector<std::int32_t>& found = own.level;
    std::vector<double> f, h, u, w;
    for (const double grade : own.grades) {
      f.push_back(0.5 * std::floor(grade * grade / 2.0));
      for (auto* each : {&h, &u, &w})
        each->push_back(std::uniform_real_distribution<double>(0.0, 1.0)(random));
    }
    for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{5}, kNoCutoff})
      for (const bool expected : {false, true})
        for (const PairFactors& K : {PairFactors{f.data(), h.data(), u.data(), w.data()},
                                     PairFactors{f.data(), h.data(), nullptr, nullptr},
                                     PairFactors{nullptr, nullptr, u.data(), w.data()}}) {
          const RankWeights weight{sums.ragged.data(), true};
          PairSumTask task{{found.data(), sums.tied.data(), queries},
                           weight,
                           own.borders.data(),
                           K,
                           cutoff,
                           expected};
          std::vector<double> naive(sizes.size()), value(sizes.size(), kUnset), again(value);
          std::vector<double> moments(static_cast<std::size_t>(n_levels * n_levels));
          for (std::int64_t q = 0; q < queries.count; ++q) {
            const std::int64_t begin = queries.begin(q);
            const RankedList<std::uint8_t> list{level.data() + begin, sums.tied.data() + begin,
                                                queries.size(q)};
            std::fill(moments.begin(), moments.end(), 0.0);
            moments_naively(list, weight.of(queries, q), n_levels, cutoff, expected,
                            moments.data());
            std::vector<std::size_t> levels = {0};
            for (std::int64_t i = own.borders[static_cast<std::size_t>(q)];
                 i < own.borders[static_cast<std::size_t>(q) + 1]; ++i)
              levels.push_back(static_cast<std::size_t>(i));
            for (const std::size_t a : levels)
              for (const std::size_t b : levels) {
                double cell = K.u != nullptr ? K.u[a] * K.w[b] : 0.0;
                if (K.f != nullptr) cell += K.f[std::min(a, b)] * K.h[b];
                const auto row = static_cast<std::int64_t>(own.grades[a]);
                const auto column = static_cast<std::int64_t>(own.grades[b]);
                naive[static_cast<std::size_t>(q)] +=
                    cell * moments[static_cast<std::size_t>(row * n_levels + column)];
              }
          }
          pair_sums(task, 1, value.data());
          expect(close(value, naive), "pair_sums, levels: " + std::to_string(n_levels));
          for (const int n_threads : kThreadCounts) {
            pair_sums(task, n_threads, again.data());
            expect(again == value, "pair_sums, threads");
          }
          for (const Registers registers : {Registers::kPlain, Registers::kAvx2}) {
            task.registers = widest_registers(registers);
            pair_sums(task, 1, again.data());
            expect(again == value, "pair_sums, registers");
          }
        }
  }
}

// --- recall shares -------------------------------------------------------------------------------

// Grades 0, 2 and 5, so that thresholds without a grade of their own count for the next one.
void test_expected_shares() {
  const std::vector<std::int64_t> counts = {3, 1, 2, 4, 0, 0, 0, 5, 0};
  const std::vector<double> g = {0.1, 0.2, 0.3, 0.15, 0.25}, factor = {7.0, 2.0, 0.5};
  const std::vector<std::int32_t> level = {1, 1, 2, 2, 2};
  std::vector<double> shares(9);
  const Thresholds thresholds{g.data(), level.data(), 5};
  expected_shares(counts.data(), 3, 3, thresholds, factor.data(), shares.data());
  const double low = 0.1 * (1.0 / 3) + 0.2 * (1.0 / 3);
  const double high = low + 0.3 * (1.0 / 2) + 0.15 * (1.0 / 2) + 0.25 * (1.0 / 2);
  const double alone = 0.1 * (1.0 / 5) + 0.2 * (1.0 / 5);
  const std::vector<double> expected = {0, 2 * low, 0.5 * high, 0, 0, 0, 0, 2 * alone, 0.5 * alone};
  expect(shares == expected, "expected_shares");
  expected_shares(counts.data(), 9, 1, {nullptr, nullptr, 0}, factor.data(), shares.data());
  expect(shares == std::vector<double>(9), "expected_shares of one level");
}

// Queries of the levels 1 and 2, 3, and none; nobody has grade 2 of the first, nor 3.
void test_own_expected_shares() {
  const std::vector<double> G = {0.0, 0.25, 0.5, 1.0, 0.0};
  const std::vector<std::int64_t> borders = {1, 4, 5, 5}, indptr = {0, 4, 5, 6};
  const std::vector<std::int32_t> pool = {3, 1, 1, 0, 4, 0};
  const double one = 0.25 * (1.0 / 3), two = one + 0.25 * 1.0, three = two + 0.5 * 1.0;
  for (const Registers registers : {Registers::kPlain, Registers::kAvx512}) {
    std::vector<double> shares(5, kUnset);
    const auto fill = [&](bool divided) {
      own_expected_shares(G.data(), pool.data(), {indptr.data(), 3}, borders.data(), divided,
                          shares.data(), widest_registers(registers));
    };
    fill(false);
    expect(shares == std::vector<double>{0.0, one, two, three, 0.0}, "own_expected_shares");
    fill(true);
    expect(shares == std::vector<double>{0.0, one * 4.0, two * 2.0, three, 0.0},
           "own_expected_shares over G");
  }
}

}  // namespace

int main() {
  test_expected_shares();
  test_own_expected_shares();
  test_own_levels(false);
  test_own_levels(true);
  test_grades();
  test_first_fall();
  for (const std::int64_t n_levels : {2, 6, 40}) test_own_levels_and_pair_sums(n_levels);
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
