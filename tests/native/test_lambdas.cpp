// LambdaMART's kernel against a naive loop over pairs on random data. From the repository root:
//
//   g++ -std=c++17 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
//     -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_lambdas.cpp -o test_lambdas && ./test_lambdas
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lambda_task.hpp"
#include "lambdas.hpp"
#include "rank.hpp"
#include "schedule.hpp"
#include "sigmoid.hpp"

namespace {

using namespace skgraded;

using Random = std::mt19937_64;
using Doubles = std::vector<double>;

constexpr std::int64_t kNoCutoff = std::numeric_limits<std::int64_t>::max();
constexpr double kUnset = -7.0;  // results are written into memory that holds anything

int n_failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++n_failures;
  std::printf("FAILED: %s\n", what.c_str());
}

bool close(const Doubles& values, const Doubles& expected) {
  return std::equal(values.begin(), values.end(), expected.begin(), expected.end(),
                    [](double x, double y) { return std::abs(x - y) <= 1e-9 * (1 + std::abs(y)); });
}

std::int64_t below(Random& random, std::int64_t bound) {
  return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(random);
}

Doubles draw(Random& random, std::int64_t n) {
  Doubles values(static_cast<std::size_t>(n));
  for (double& value : values) value = std::uniform_real_distribution<double>(0.0, 1.0)(random);
  return values;
}

// --- data ----------------------------------------------------------------------------------------

template <class Level>
struct Case {
  std::vector<std::int64_t> indptr;
  std::int64_t n_levels;
  std::vector<Level> level;
  Doubles scores, discount, position, gain, gain_factor, pair_base, pairs, pair_factor;
  Doubles rising, discount_by_level;
  std::vector<std::int32_t> order, pair_column;
  std::vector<std::uint8_t> tied;

  Queries queries() const { return {indptr.data(), static_cast<std::int64_t>(indptr.size()) - 1}; }

  // As K has factors, of which the first one rises with the level. `by_query` is 'f' or 'h' where
  // that factor differs between queries.
  SwapPrices factored_part(bool ragged, char by_query = ' ') const {
    SwapPrices part = task(false, ragged).parts[0];
    part.factors = {rising.data(),
                    pair_base.data(),
                    gain.data(),
                    discount_by_level.data(),
                    by_query == 'f' ? n_levels : 0,
                    by_query == 'h' ? n_levels : 0};
    return part;
  }

  // Two factors a query, for the cells of either parity.
  PairMatrix matrix() const { return {pair_base.data(), pairs.data(), pair_column.data(), 2}; }

  LambdaTask<Level> task(bool with_pairs, bool ragged) const {
    LambdaTask<Level> task;
    task.level = level.data();
    task.order = order.data();
    task.tied = tied.data();
    task.scores = scores.data();
    task.queries = queries();
    task.n_levels = n_levels;
    task.parts = {{{discount.data(), ragged},
                   gain.data(),
                   gain_factor.data(),
                   {position.data(), ragged},
                   with_pairs ? matrix() : PairMatrix{},
                   {},
                   pair_factor.data(),
                   kNoCutoff}};
    task.truncation = 30;
    task.norm = true;
    return task;
  }
};

template <class Level>
Case<Level> make_case(Random& random, const std::vector<std::int64_t>& sizes, std::int64_t n_levels,
                      double step) {
  Case<Level> made;
  made.indptr.assign(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), made.indptr.begin() + 1);
  made.n_levels = n_levels;
  const std::int64_t n = made.indptr.back(), nq = static_cast<std::int64_t>(sizes.size());
  for (std::int64_t i = 0; i < n; ++i) {
    made.level.push_back(static_cast<Level>(below(random, n_levels)));
    const double score = 4.0 * draw(random, 1)[0];
    made.scores.push_back(step > 0.0 ? std::round(score / step) * step : score);
  }
  made.discount = draw(random, n + 1);  // one number a document serves as one a rank, too
  made.position = draw(random, n + 1);
  made.gain = draw(random, n_levels);
  made.gain_factor = draw(random, nq);
  made.pair_factor = draw(random, nq);
  made.pair_base = draw(random, n_levels * std::max(n_levels, nq));
  made.pairs = draw(random, nq * 2);
  for (std::int32_t cell = 0; cell < n_levels * n_levels; ++cell)
    made.pair_column.push_back(cell % 2);
  made.discount_by_level = draw(random, n_levels);
  for (std::int64_t q = 0; q < nq; ++q)
    for (std::int64_t level = 0; level < n_levels; ++level)
      made.rising.push_back(0.125 * static_cast<double>((q + 1) * (level * level / 3)));
  made.order.resize(static_cast<std::size_t>(n));
  made.tied.resize(static_cast<std::size_t>(n));
  std::vector<std::int64_t> schedule(sizes.size());
  schedule_queries(made.queries(), schedule.data());
  rank(made.scores.data(), made.queries(), schedule.data(), 1, made.order.data(), made.tied.data());
  return made;
}

// --- the naive loop ------------------------------------------------------------------------------

// Value of a list of levels by the definition of the prefix form, summed over the parts.
template <class Level>
double value_of(const LambdaTask<Level>& task, std::int64_t q, const std::vector<Level>& list) {
  double value = 0.0;
  for (const SwapPrices& part : task.parts) {
    const double* d = part.discount.of(task.queries, q);
    const double* p = part.position.of(task.queries, q);
    double linear = 0.0, pairs = 0.0;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (static_cast<std::int64_t>(n) >= part.cutoff) break;
      if (part.gain != nullptr) linear += d[n] * part.gain[list[n]];
      for (std::size_t m = 0; m <= n && part.matrix.base != nullptr; ++m)
        pairs += p[n] * part.matrix.at(q, list[m] * task.n_levels + list[n]);
      const PairFactors& K = part.factors;
      for (std::size_t m = 0; m <= n && K.f != nullptr; ++m)
        pairs +=
            p[n] * K.f[q * K.f_stride + std::min(list[m], list[n])] * K.h[q * K.h_stride + list[n]];
      for (std::size_t m = 0; m <= n && K.u != nullptr; ++m)
        pairs += p[n] * K.u[list[m]] * K.w[list[n]];
    }
    value += part.gain_factor[q] * linear + part.pair_factor[q] * pairs;
  }
  return value;
}

template <class Level>
double price_of(const LambdaTask<Level>& task, std::int64_t q, std::vector<Level> list,
                std::size_t a, std::size_t b) {
  const double before = value_of(task, q, list);
  std::swap(list[a], list[b]);
  return std::abs(value_of(task, q, list) - before);
}

template <class Level>
void naively(const LambdaTask<Level>& task, std::int64_t q, double* gradient, double* hessian) {
  const std::int64_t begin = task.queries.begin(q), n = task.queries.size(q);
  const std::int32_t* order = task.order + begin;
  std::vector<Level> list;
  Doubles s;
  for (std::int64_t i = 0; i < n; ++i) {
    list.push_back(task.level[begin + order[i]]);
    s.push_back(task.scores[begin + order[i]]);
    gradient[begin + i] = hessian[begin + i] = 0.0;
  }
  double total = 0.0;
  for (std::int64_t i = 0; i < std::min(n, task.truncation); ++i)
    for (std::int64_t j = i + 1; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      if (list[a] == list[b]) continue;
      const double sign = list[a] > list[b] ? 1.0 : -1.0, gap = s[a] - s[b];
      double price = price_of(task, q, list, a, b);
      if (task.norm && s.front() != s.back()) price /= static_cast<double>(0.01F) + gap;
      const double sigma = task.binned_exp.steepness;
      const double width = 50.0 / sigma / (1024 * 1024);
      const double bin = std::floor((sign * gap + 25.0 / sigma) / width) * width - 25.0 / sigma;
      const double rho = 1.0 / (1.0 + std::exp(sigma * bin));
      const double first = sigma * price * rho, second = sigma * first * (1.0 - rho);
      gradient[begin + order[i]] -= sign * first;
      gradient[begin + order[j]] += sign * first;
      hessian[begin + order[i]] += second;
      hessian[begin + order[j]] += second;
      total += 2.0 * first;
    }
  if (!task.norm || total <= 0.0) return;
  for (std::int64_t i = begin; i < begin + n; ++i) {
    gradient[i] *= std::log2(1.0 + total) / total;
    hessian[i] *= std::log2(1.0 + total) / total;
  }
}

// --- tests ---------------------------------------------------------------------------------------

void test_exp2() {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double y = std::uniform_real_distribution<double>(-40.0, 40.0)(random);
    expect(std::abs(exp2_of(y) / std::exp2(y) - 1.0) <= 3e-13, "2 to the " + std::to_string(y));
  }
  expect(exp2_of(0.0) == 1.0, "2 to the 0");
}

void test_bins() {
  const BinnedExp binned(2.0);
  expect(binned(1e300) == binned(12.6) && binned(-1e300) == binned(-12.6), "outermost bins");
  const double width = 50.0 / 2.0 / (1024 * 1024);
  expect(std::abs(binned(1.0) / std::exp(2.0) - 1.0) <= 2.0 * width, "width of a bin");
  expect(binned(0.0) == 1.0, "the bin of equal scores");
}

template <class Level>
void expect_naive(const LambdaTask<Level>& task, const std::string& what) {
  const auto n = static_cast<std::size_t>(task.queries.documents());
  Doubles gradient(n, kUnset), hessian(gradient), expected(n), expected_hessian(n);
  lambdas(task, 1, {gradient.data(), hessian.data()});
  for (std::int64_t q = 0; q < task.queries.count; ++q)
    naively(task, q, expected.data(), expected_hessian.data());
  expect(close(gradient, expected), "gradient, " + what);
  expect(close(hessian, expected_hessian), "Hessian, " + what);
}

template <class Level>
void expect_same_bits(LambdaTask<Level> task, const std::string& what) {
  const auto n = static_cast<std::size_t>(task.queries.documents());
  Doubles gradient(n, kUnset), hessian(gradient), again(gradient), hessian_again(gradient);
  lambdas(task, 1, {gradient.data(), hessian.data()});
  for (const int n_threads : {2, 3, 1000}) {
    lambdas(task, n_threads, {again.data(), hessian_again.data()});
    expect(again == gradient && hessian_again == hessian, "threads, " + what);
  }
  const auto widest = static_cast<int>(widest_registers());
  for (int registers = 0; registers <= widest; ++registers) {
    task.registers = static_cast<Registers>(registers);
    lambdas(task, 1, {again.data(), hessian_again.data()});
    expect(again == gradient && hessian_again == hessian, "registers, " + what);
  }
}

template <class Level>
void test_pairs(std::int64_t n_levels) {
  Random random(2);
  const std::vector<std::int64_t> sizes = {0, 1, 2, 3, 8, 9, 17, 40, 1, 61, 0};
  for (const double step : {0.0, 0.25, 100.0}) {
    const auto made = make_case<Level>(random, sizes, n_levels, step);
    for (const bool with_pairs : {false, true})
      for (const bool ragged : {false, true})
        for (const bool norm : {false, true})
          for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{5}, kNoCutoff})
            for (const std::int64_t truncation : {std::int64_t{1}, std::int64_t{7}, kNoCutoff}) {
              LambdaTask<Level> task = made.task(with_pairs, ragged);
              task.norm = norm;
              task.parts[0].cutoff = cutoff;
              task.truncation = truncation;
              expect_naive(task, "levels: " + std::to_string(n_levels));
              task.parts.push_back(made.task(!with_pairs, !ragged).parts[0]);
              task.parts[1].cutoff = 3;
              expect_naive(task, "two parts, levels: " + std::to_string(n_levels));
              task.parts[1].matrix = task.parts[0].matrix;
              expect_naive(task, "two parts alike, levels: " + std::to_string(n_levels));
            }
  }
}

// Queries of all kinds: short ones, and longer ones of few and of many levels.
template <class Level>
void test_factors(std::int64_t n_levels) {
  Random random(5);
  const std::vector<std::int64_t> sizes = {0, 1, 2, 3, 9, 40, 1, 61, 9, 9, 9, 30};
  for (const double step : {0.0, 0.25, 100.0}) {
    const auto made = make_case<Level>(random, sizes, n_levels, step);
    for (const std::int64_t cutoff : {std::int64_t{1}, std::int64_t{5}, kNoCutoff})
      for (const std::int64_t truncation : {std::int64_t{1}, std::int64_t{7}, kNoCutoff})
        for (const char by_query : {' ', 'f', 'h'}) {
          LambdaTask<Level> task = made.task(false, false);
          task.parts = {made.factored_part(by_query == 'h', by_query)};
          task.parts[0].cutoff = cutoff;
          task.truncation = truncation;
          SwapPrices& part = task.parts[0];
          const SwapPrices whole = part;
          const std::string what = "levels: " + std::to_string(n_levels);
          expect_naive(task, "factors, " + what);
          part.factors.f = nullptr;
          expect_naive(task, "u and gains, " + what);
          part.gain = nullptr;
          expect_naive(task, "u, " + what);
          part.factors = whole.factors;
          part.factors.u = nullptr;
          expect_naive(task, "f, " + what);
          part.gain = whole.gain;
          expect_naive(task, "f and gains, " + what);
          part = whole;
          task.parts.push_back(made.task(false, true).parts[0]);
          expect_naive(task, "factors beside gains, " + what);
          task.parts.push_back(made.task(true, false).parts[0]);
          expect_naive(task, "factors beside a matrix, " + what);
        }
  }
}

template <class Level>
void test_bits_of_factors(std::int64_t n_levels) {
  Random random(7);
  std::vector<std::int64_t> sizes(200);
  for (std::int64_t& size : sizes) size = below(random, 60);
  const auto made = make_case<Level>(random, sizes, n_levels, 0.25);
  LambdaTask<Level> task = made.task(false, false);
  task.ties = TieOrder::kMixed;
  task.parts = {made.factored_part(false)};
  SwapPrices& part = task.parts[0];
  const SwapPrices whole = part;
  expect_same_bits(task, "bits of factors");
  part.gain = nullptr;
  part.factors.u = nullptr;
  expect_same_bits(task, "bits of f");
  part.factors = whole.factors;
  part.factors.f = nullptr;
  expect_same_bits(task, "bits of u");
}

// On either side of the length from which trees sum what stands above.
void test_factors_of_long_lists() {
  Random random(6);
  const auto made =
      make_case<std::int32_t>(random, {kLongestByPairs, kLongestByPairs + 1}, 200, 0.25);
  LambdaTask<std::int32_t> task = made.task(false, false);
  task.parts = {made.factored_part(false)};
  task.truncation = 3;
  expect_naive(task, "factors of long lists");
  expect_same_bits(task, "bits of factors of long lists");
}

// Derivatives by grade and score do not change when tied rows change places.
template <class Level>
void test_ties(TieOrder ties) {
  Random random(3);
  for (const double step : {0.5, 100.0}) {
    auto made = make_case<Level>(random, {50}, 4, step);
    LambdaTask<Level> task = made.task(true, false);
    task.ties = ties;
    Doubles gradient(50), hessian(50), again(50), hessian_again(50);
    lambdas(task, 1, {gradient.data(), hessian.data()});
    const auto sorted = made.order;
    for (std::size_t first = 0, end; first < 50; first = end) {
      for (end = first + 1; end < 50 && made.tied[end] != 0;) ++end;
      std::shuffle(made.order.begin() + static_cast<std::ptrdiff_t>(first),
                   made.order.begin() + static_cast<std::ptrdiff_t>(end), random);
    }
    expect(made.order != sorted, "an order that differs");
    lambdas(task, 1, {again.data(), hessian_again.data()});
    expect(again == gradient && hessian_again == hessian, "ties do not depend on the rows");
  }
}

void test_bits() {
  Random random(4);
  std::vector<std::int64_t> sizes(600);
  for (std::int64_t& size : sizes) size = below(random, 150);
  for (const double step : {0.0, 0.25}) {
    const auto made = make_case<std::uint8_t>(random, sizes, 5, step);
    for (const bool with_pairs : {false, true})
      for (const TieOrder ties : {TieOrder::kRows, TieOrder::kMixed}) {
        LambdaTask<std::uint8_t> task = made.task(with_pairs, false);
        task.ties = ties;
        expect_same_bits(task, "bits");
        task.parts.push_back(made.task(true, true).parts[0]);
        expect_same_bits(task, "bits of two parts");
      }
  }
}

}  // namespace

int main() {
  test_exp2();
  test_bins();
  for (const std::int64_t n_levels : {1, 2, 5, 40}) test_pairs<std::uint8_t>(n_levels);
  test_pairs<std::int32_t>(3);
  for (const std::int64_t n_levels : {3, 200}) {
    test_factors<std::int32_t>(n_levels);
    test_bits_of_factors<std::int32_t>(n_levels);
  }
  test_factors<std::uint8_t>(12);
  test_factors_of_long_lists();
  for (const TieOrder ties : {TieOrder::kMixed, TieOrder::kWorstFirst, TieOrder::kBestFirst}) {
    test_ties<std::uint8_t>(ties);
    test_ties<std::int32_t>(ties);
  }
  test_bits();
  std::printf(n_failures == 0 ? "the kernel agrees\n" : "%d failures\n", n_failures);
  return n_failures == 0 ? 0 : 1;
}
