// Noise on scores, and the mean of LambdaMART's derivatives over it. From the repository root:
//
//   g++ -std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
//     -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_noise.cpp -o test_noise && ./test_noise
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "draws.hpp"
#include "lambda_task.hpp"
#include "lambdas.hpp"
#include "noise.hpp"
#include "noisy_lambdas.hpp"
#include "rank.hpp"
#include "schedule.hpp"

namespace {

using namespace skgraded;
using namespace skgraded::tests;

using Doubles = std::vector<double>;

double uniform(Random& random) { return std::uniform_real_distribution<double>(0.0, 1.0)(random); }

// --- numbers -------------------------------------------------------------------------------------

void test_log() {
  Random random(1);
  const auto agrees = [](double x) {
    const double expected = std::log(x);
    return std::abs(log_of(x) - expected) <= 2e-15 * std::abs(expected);
  };
  for (int i = 0; i < 200000; ++i) {
    const double u = uniform(random) * 0.999 + 1e-4;
    for (const double x : {u, 1.0 - u * 1e-9, 1.0 + u * 1e-9, u * 40.0, u * 1e-300, u * 1e300})
      expect(agrees(x), "log of " + std::to_string(x));
  }
  expect(log_of(1.0) == 0.0, "log of 1");
}

void test_ends() {
  const double least = between_0_and_1(0), most = between_0_and_1(~std::uint64_t{0});
  expect(least == 0x1p-53 && most == 1.0 - 0x1p-53, "between 0 and 1");
  for (const double u : {least, most, 0.5}) {
    const double gumbel = -std::log(-std::log(u)), logistic = std::log(u) - std::log1p(-u);
    expect(std::abs(Gumbel{}(u)-gumbel) <= 1e-14 * (1 + std::abs(gumbel)), "ends of Gumbel's");
    expect(std::abs(Logistic{}(u)-logistic) <= 1e-14 * (1 + std::abs(logistic)),
           "ends of the logistic");
  }
}

// Kolmogorov and Smirnov's largest distance, which exceeds 1.63 / sqrt(n) once in a hundred times.
template <class Cumulative>
void expect_distribution(Doubles numbers, const Cumulative& below_of, const std::string& what) {
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double below = below_of(numbers[i]), rank = static_cast<double>(i);
    distance = std::max({distance, below - rank / n, (rank + 1.0) / n - below});
  }
  expect(distance < 1.63 / std::sqrt(n), "distribution, " + what);
}

double below_gumbel(double x) { return std::exp(-std::exp(-x)); }
double below_logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Of one query through many draws, and of many queries in their first draw.
void test_distributions() {
  constexpr std::int64_t kDocuments = 20, kMany = 5000;
  for (const NoiseKind kind : {NoiseKind::kGumbel, NoiseKind::kLogistic}) {
    Doubles by_draw, by_query;
    for (std::int64_t i = 0; i < kMany; ++i) {
      Doubles scores(kDocuments, 0.0), drawn(kDocuments);
      const NoisyScores one{mix(7), true, 1.0};
      draw_scores(one, kind, widest_registers(), scores.data(), kDocuments, i, drawn.data());
      by_draw.insert(by_draw.end(), drawn.begin(), drawn.end());
      std::fill(scores.begin(), scores.end(), static_cast<double>(i) / 64.0);
      const std::vector<std::uint8_t> level(kDocuments, 0);
      const std::uint64_t grade = mix(0);
      const NoisyScores other =
          noisy_scores_of({kind, 0.5, 1, 0}, scores.data(), level.data(), kDocuments, &grade);
      expect(other.all_equal && !(other.unit < 1.0), "equal scores");
      draw_scores(other, kind, widest_registers(), scores.data(), kDocuments, 0, drawn.data());
      by_query.insert(by_query.end(), drawn.begin(), drawn.end());
    }
    const auto below_of = kind == NoiseKind::kGumbel ? below_gumbel : below_logistic;
    expect_distribution(by_draw, below_of, "draws");
    expect_distribution(by_query, below_of, "queries");
  }
}

void test_keys() {
  const Doubles scores = {0.5, -1.25, 3.0}, grades = {0.0, 1.0, 2.0};
  const std::vector<std::uint8_t> level = {0, 2, 1};
  const auto mixed = mix_grades(grades.data(), 3);
  const auto key = [&](const Doubles& s, const std::vector<std::uint8_t>& l, std::uint64_t seed) {
    return key_of(s.data(), l.data(), 3, mixed.data(), seed);
  };
  const std::uint64_t base = key(scores, level, 0);
  expect(key(scores, level, 1) != base, "a seed");
  expect(key({0.5, -1.25, 3.001}, level, 0) != base, "a score");
  expect(key({-1.25, 0.5, 3.0}, level, 0) != base, "an order");
  expect(key(scores, {0, 1, 1}, 0) != base, "a grade");
  expect(key({0.5 - 1e-15, -1.25 + 1e-15, 3.0 - 1e-14}, level, 0) == base, "last bits");
  expect(key({0.0, -1.25, 3.0}, level, 0) == key({-0.0, -1.25, 3.0}, level, 0), "zeros");
  const auto fewer = mix_grades(grades.data() + 1, 2);  // a part of the data without grade 0
  const std::vector<std::uint8_t> high = {1, 2, 1}, renumbered = {0, 1, 0};
  expect(key_of(scores.data(), renumbered.data(), 3, fewer.data(), 0) == key(scores, high, 0),
         "levels are told by their grades");
}

void test_extreme_scores() {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const std::uint64_t grade = mix(0);
  const std::vector<std::uint8_t> level(4, 0);
  const std::vector<Doubles> cases = {{kLargest, -kLargest, 0.0, 1.0},
                                      Doubles(4, kLargest),
                                      Doubles(4, -kLargest),
                                      {0.0, 5e-324, 0.0, 0.0}};
  for (const Doubles& scores : cases) {
    Doubles drawn(4);
    const NoisyScores how =
        noisy_scores_of({NoiseKind::kGumbel, 1e300, 1, 0}, scores.data(), level.data(), 4, &grade);
    for (std::int64_t draw = 0; draw < 100; ++draw) {
      draw_scores(how, NoiseKind::kGumbel, Registers::kPlain, scores.data(), 4, draw, drawn.data());
      for (const double each : drawn) expect(std::isfinite(each), "finite noisy scores");
    }
  }
}

// --- derivatives ---------------------------------------------------------------------------------

struct Case {
  Layout layout;
  std::vector<std::uint8_t> level;
  Doubles scores, grades{0.0, 1.0, 2.0, 3.0}, weights, gain{0.1, 0.4, 0.8, 2.0}, ones, base;
  std::vector<std::int32_t> column;
  std::vector<std::int64_t> schedule;

  Case(Random& random, const Sizes& sizes, double step) : layout(sizes), ones(sizes.size(), 1.0) {
    for (std::size_t i = 0; i < layout.n_documents(); ++i) {
      level.push_back(static_cast<std::uint8_t>(below(random, 4)));
      const double score = 4.0 * uniform(random);
      scores.push_back(step > 0.0 ? std::round(score / step) * step : score);
    }
    for (std::size_t i = 0; i < layout.n_documents() + 1; ++i)
      weights.push_back(1.0 / static_cast<double>(i + 1));
    for (std::int32_t cell = 0; cell < 16; ++cell) {
      base.push_back(uniform(random));
      column.push_back(0);
    }
    schedule.resize(sizes.size());
    schedule_queries(layout.queries(), schedule.data());
  }

  LambdaTask<std::uint8_t> task(bool with_pairs) const {
    LambdaTask<std::uint8_t> task;
    task.level = level.data();
    task.scores = scores.data();
    task.queries = layout.queries();
    task.n_levels = 4;
    task.parts = {
        {{weights.data(), false},
         gain.data(),
         ones.data(),
         {weights.data(), false},
         with_pairs ? PairMatrix{base.data(), ones.data(), column.data(), 1} : PairMatrix{},
         {},
         ones.data(),
         kNoCutoff}};
    task.truncation = 20;
    task.ties = TieOrder::kMixed;
    task.norm = true;
    return task;
  }
};

struct Found {
  Doubles gradient, hessian;

  explicit Found(const Case& made)
      : gradient(made.layout.n_documents(), 1e9), hessian(made.layout.n_documents(), 1e9) {}

  Derivatives out() { return {gradient.data(), hessian.data()}; }
  bool operator==(const Found& other) const {
    return gradient == other.gradient && hessian == other.hessian;
  }
};

Found mean_of(const Case& made, const LambdaTask<std::uint8_t>& task, const Noise& noise,
              std::int64_t n_threads) {
  Found found(made);
  noisy_lambdas(task, noise, made.grades.data(), made.schedule.data(), n_threads, found.out());
  return found;
}

// Scores of all queries in one draw, and the scores by which each query is ranked.
void draw_naively(const Case& made, const Noise& noise, std::int64_t draw, Doubles& drawn,
                  Doubles& ranked_by) {
  const Queries queries = made.layout.queries();
  const auto mixed = mix_grades(made.grades.data(), 4);
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::int64_t begin = queries.begin(q), n = queries.size(q);
    const double* scores = made.scores.data() + begin;
    const NoisyScores how =
        noisy_scores_of(noise, scores, made.level.data() + begin, n, mixed.data());
    draw_scores(how, noise.kind, Registers::kPlain, scores, n, draw, ranked_by.data() + begin);
    const double* kept = how.all_equal ? scores : ranked_by.data() + begin;
    std::copy_n(kept, n, drawn.data() + begin);
  }
}

void expect_mean_of_draws(const Case& made, LambdaTask<std::uint8_t> task, const Noise& noise) {
  const std::size_t n = made.layout.n_documents();
  Doubles drawn(n), ranked_by(n), gradient(n, kUnset), hessian(gradient), mean(n, 0.0),
      second(n, 0.0);
  std::vector<std::int32_t> order(n);
  std::vector<std::uint8_t> tied(n);
  const Found found = mean_of(made, task, noise, 1);
  const auto n_draws = static_cast<double>(noise.n_draws);
  for (std::int64_t draw = 0; draw < noise.n_draws; ++draw) {
    draw_naively(made, noise, draw, drawn, ranked_by);
    rank(ranked_by.data(), task.queries, made.schedule.data(), 1, order.data(), tied.data());
    task.order = order.data();
    task.tied = tied.data();
    task.scores = drawn.data();
    lambdas(task, 1, {gradient.data(), hessian.data()});
    for (std::size_t i = 0; i < n; ++i) {
      mean[i] += gradient[i] / n_draws;
      second[i] += hessian[i] / n_draws;
    }
  }
  expect(close(found.gradient, mean), "mean gradient");
  expect(close(found.hessian, second), "mean Hessian");
}

void test_means() {
  Random random(2);
  const std::vector<Sizes> all = {{}, {0}, {1}, {0, 3, 0}, random_sizes(random, 40, 60), {3000, 2}};
  for (const Sizes& sizes : all)
    for (const double step : {0.0, 0.5, 100.0}) {
      const Case made(random, sizes, step);
      for (const bool with_pairs : {false, true})
        for (const NoiseKind kind : {NoiseKind::kGumbel, NoiseKind::kLogistic})
          for (const std::int64_t n_draws : {1, 4})
            expect_mean_of_draws(made, made.task(with_pairs), {kind, 0.5, n_draws, 11});
    }
}

void test_bits() {
  Random random(3);
  const Case made(random, random_sizes(random, 700, 150), 0.25);
  const auto widest = static_cast<int>(widest_registers());
  for (const NoiseKind kind : {NoiseKind::kGumbel, NoiseKind::kLogistic}) {
    LambdaTask<std::uint8_t> task = made.task(true);
    const Noise noise{kind, 0.5, 2, 5};
    const Found base = mean_of(made, task, noise, 1);
    for (const int n_threads : kThreadCounts)
      expect(mean_of(made, task, noise, n_threads) == base, "threads");
    for (int registers = 0; registers <= widest; ++registers) {
      task.registers = static_cast<Registers>(registers);
      expect(mean_of(made, task, noise, 1) == base, "registers");
    }
  }
}

}  // namespace

int main() {
  test_log();
  test_ends();
  test_distributions();
  test_keys();
  test_extreme_scores();
  test_means();
  test_bits();
  std::printf(n_failures == 0 ? "the noise agrees\n" : "%d failures\n", n_failures);
  return n_failures == 0 ? 0 : 1;
}
