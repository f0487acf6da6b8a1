// What the native tests of several kernels share: random layouts, scores, levels and ties.
#pragma once

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
#include <utility>
#include <vector>

#include "queries.hpp"

namespace skgraded::tests {

using Random = std::mt19937_64;
using Sizes = std::vector<std::int64_t>;
using Scores = std::vector<double>;
using Ranked = std::pair<std::vector<std::int32_t>, std::vector<std::uint8_t>>;

constexpr std::int64_t kNoCutoff = std::numeric_limits<std::int64_t>::max();
constexpr int kThreadCounts[] = {2, 3, 8, 1000};
constexpr double kUnset = -7.0;  // results are written into memory that holds anything

inline int n_failures = 0;

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++n_failures;
  std::printf("FAILED: %s\n", what.c_str());
}

inline bool close(const std::vector<double>& values, const std::vector<double>& expected) {
  return std::equal(
      values.begin(), values.end(), expected.begin(), expected.end(),
      [](double x, double y) { return std::abs(x - y) <= 1e-11 * (1 + std::abs(y)); });
}

inline std::int64_t below(Random& random, std::int64_t bound) {
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

inline Sizes random_sizes(Random& random, std::size_t n_queries, std::int64_t largest) {
  Sizes sizes(n_queries);
  for (std::int64_t& size : sizes) size = 1 + below(random, largest);
  return sizes;
}

// From one-document queries to queries that no sorting network takes.
inline std::vector<Sizes> shapes(Random& random) {
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

inline std::vector<std::pair<std::string, Draw>> score_draws() {
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

inline Scores draw_scores(Random& random, std::size_t n, const Draw& draw) {
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

inline std::vector<std::uint8_t> draw_tied(Random& random, const Layout& layout) {
  std::vector<std::uint8_t> tied(layout.n_documents());
  for (std::uint8_t& flag : tied) flag = below(random, 5) < 2 ? 1 : 0;
  const Queries queries = layout.queries();
  for (std::int64_t q = 0; q < queries.count; ++q)
    if (queries.size(q) > 0) tied[static_cast<std::size_t>(queries.begin(q))] = 0;
  return tied;
}

// --- ranks, by the definition ------------------------------------------------------------------

inline Ranked rank_naively(const Scores& scores, const Queries& queries) {
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

}  // namespace skgraded::tests
