// Bits that the kernels give on every machine: a digest of each kernel's values on fixed data.
//
// An instruction set with fused multiply-adds, another compiler or another standard library must
// not change a value. The data are drawn by exact arithmetic alone, as the standard's distributions
// differ between libraries; kernels that call the C library's log2 are left out. Where a kernel's
// values change on purpose, the digests that this test prints replace those in kDigests. From the
// repository root:
//
//   g++ -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_bits.cpp -o test_bits && ./test_bits
#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cascade.hpp"
#include "cumulate.hpp"
#include "exact_sum.hpp"
#include "gain.hpp"
#include "inferred.hpp"
#include "lambda_task.hpp"
#include "lambdas.hpp"
#include "levels.hpp"
#include "moments.hpp"
#include "overlap.hpp"
#include "own_levels.hpp"
#include "pair_matrix.hpp"
#include "pair_sums.hpp"
#include "preference.hpp"
#include "prefix_values.hpp"
#include "queries.hpp"
#include "rank.hpp"
#include "schedule.hpp"

namespace {

using namespace skgraded;

using Doubles = std::vector<double>;
using Digests = std::vector<std::pair<std::string, std::uint64_t>>;

constexpr std::int64_t kLevels = 5;
constexpr std::int64_t kCutoff = 20;
constexpr std::int64_t kNoCutoff = INT64_MAX;

const Digests kDigests = {
    {"scores", 0xad5fa93377bfffe1U},
    {"rank", 0x36a9b1fdb09b456fU},
    {"tied", 0x9b72a5af26c65dd6U},
    {"discounted_gain, ties in order", 0xcd920b4a7de4f4a7U},
    {"cascade, ties in order", 0x2418d7bbf75ef915U},
    {"blended_cascade, ties in order", 0x87bb75658b1d1cd6U},
    {"preferences, ties in order", 0x189c4ca9a595ca02U},
    {"inferred_precisions, ties in order", 0xf706c797dd25d74fU},
    {"overlaps, ties in order", 0xfe1729f7d31e3addU},
    {"pair_moments, ties in order", 0x7ad00714dd58f9abU},
    {"pair_part, ties in order", 0xeeedcb38e206e833U},
    {"discounted_gain, ties expected", 0xe5a9bac262f42a4bU},
    {"cascade, ties expected", 0x071d158e2bff9a34U},
    {"blended_cascade, ties expected", 0xeb3258d9da3220d0U},
    {"preferences, ties expected", 0x15c9e42c46c82d95U},
    {"inferred_precisions, ties expected", 0xfaf2963a6f2a71ffU},
    {"pair_moments, ties expected", 0x0e6dfcd1e38dfe9dU},
    {"pair_part, ties expected", 0x3929fe1c1bd2053eU},
    {"discounted_gain, ties in order, cut off", 0x97e4cfadbd1c6826U},
    {"cascade, ties in order, cut off", 0x3c81680c994bac37U},
    {"blended_cascade, ties in order, cut off", 0x74600a6873c38ae2U},
    {"preferences, ties in order, cut off", 0x50e7caa79a39ac3dU},
    {"inferred_precisions, ties in order, cut off", 0x53c97509bbd5be3aU},
    {"overlaps, ties in order, cut off", 0xb6355eb4b94fbb4aU},
    {"pair_moments, ties in order, cut off", 0x3a93890d6620563fU},
    {"pair_part, ties in order, cut off", 0xc46a7059896fd89fU},
    {"discounted_gain, ties expected, cut off", 0x9c3dc77b071f63a9U},
    {"cascade, ties expected, cut off", 0x1e810eff5b07ca15U},
    {"blended_cascade, ties expected, cut off", 0x788259915378e361U},
    {"preferences, ties expected, cut off", 0x74be5eab426101ceU},
    {"inferred_precisions, ties expected, cut off", 0x79ac788a11891c8aU},
    {"pair_moments, ties expected, cut off", 0x947160414c410151U},
    {"pair_part, ties expected, cut off", 0x5e57e9ffe78bd868U},
    {"lambdas, tie order 0, gradient", 0x713d39ca86f88c34U},
    {"lambdas, tie order 0, hessian", 0x2e4c94e01847e5e5U},
    {"lambdas, tie order 0, of gains, gradient", 0x25e2ee6cc801c2cfU},
    {"lambdas, tie order 0, of gains, hessian", 0xddb050f48537f030U},
    {"lambdas, tie order 1, gradient", 0xa6a2ee9beba2ab85U},
    {"lambdas, tie order 1, hessian", 0x97b6f43cfee4219cU},
    {"lambdas, tie order 1, of gains, gradient", 0x2f975d905cdd6b42U},
    {"lambdas, tie order 1, of gains, hessian", 0x7ba9f6eca778c056U},
    {"lambdas, tie order 2, gradient", 0x0a34a17901556dafU},
    {"lambdas, tie order 2, hessian", 0x39e4824745b2aa14U},
    {"lambdas, tie order 2, of gains, gradient", 0x9aceaab175a8692bU},
    {"lambdas, tie order 2, of gains, hessian", 0x9618f6b2266ead03U},
    {"pair_sums of f, ties in order", 0x90c3a485efac4dbcU},
    {"pair_sums of f, ties expected", 0x0c13df5405ae7a32U},
    {"pair_sums of f, ties in order, cut off", 0x096ecbefa831784aU},
    {"pair_sums of f, ties expected, cut off", 0x5eb03dac5956695aU},
    {"pair_sums of u, ties in order", 0xb68e42f1848e1aadU},
    {"pair_sums of u, ties expected", 0xa8787643e8e44933U},
    {"pair_sums of u, ties in order, cut off", 0xb2b601b656d85fbaU},
    {"pair_sums of u, ties expected, cut off", 0x2221107b8e451adcU},
    {"pair_sums of f and u, ties in order", 0x6c4056e1f907fc5aU},
    {"pair_sums of f and u, ties expected", 0x203382d2fb223cffU},
    {"pair_sums of f and u, ties in order, cut off", 0x7ae35750980fb769U},
    {"pair_sums of f and u, ties expected, cut off", 0xe1d08683e6d3c05fU},
    {"lambdas of f, gradient", 0x4538c5865d565f03U},
    {"lambdas of f, hessian", 0x064540ce58b3f28dU},
    {"lambdas of u, gradient", 0xeba5e6d190938fb9U},
    {"lambdas of u, hessian", 0xeb4dbdfecd41ea02U},
    {"lambdas of f and u, gradient", 0x79d060e856c51dc7U},
    {"lambdas of f and u, hessian", 0xf34e870c4fe6588aU},
    {"cumulate", 0xaeafb00009759d1bU},
    {"binned_exp", 0x90a15c04f4377f75U},
    {"sum_exactly", 0xd840bd3741f3b6e1U},
};

// --- data by exact arithmetic --------------------------------------------------------------------

class Draws {
  std::mt19937_64 random_;  // whose numbers the standard fixes

 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  Doubles units(std::int64_t n) {
    Doubles values(static_cast<std::size_t>(n));
    for (double& value : values) value = unit();
    return values;
  }
};

// Queries of 0 to 300 documents and a long one; every other query has many ties.
struct Data {
  std::vector<std::int64_t> indptr{0};
  Doubles scores;
  std::vector<std::uint8_t> level;
  std::vector<std::int32_t> order;
  std::vector<std::uint8_t> tied, by_rank;

  explicit Data(Draws& draws) {
    constexpr std::int64_t kQueries = 200, kLong = 4000;
    for (std::int64_t q = 0; q < kQueries; ++q) {
      const std::int64_t size = q == 7 ? kLong : draws.below(301);
      for (std::int64_t i = 0; i < size; ++i) {
        const double score =
            q % 2 == 0 ? 8.0 * draws.unit() - 4.0 : 0.25 * static_cast<double>(draws.below(30));
        scores.push_back(score);
        level.push_back(static_cast<std::uint8_t>(draws.below(kLevels)));
      }
      indptr.push_back(static_cast<std::int64_t>(scores.size()));
    }
    order.resize(scores.size());
    tied.resize(scores.size());
    by_rank.resize(scores.size());
    std::vector<std::int64_t> schedule(static_cast<std::size_t>(kQueries));
    schedule_queries(queries(), schedule.data());
    rank(scores.data(), queries(), schedule.data(), 1, order.data(), tied.data());
    gather_levels(level.data(), order.data(), queries(), 1, by_rank.data());
  }

  Queries queries() const { return {indptr.data(), static_cast<std::int64_t>(indptr.size()) - 1}; }
  std::int64_t n_queries() const { return queries().count; }
  std::int64_t n_documents() const { return indptr.back(); }
};

// --- digests -------------------------------------------------------------------------------------

class Results {
  Digests digests_;

 public:
  // FNV-1a over the bytes of numbers, the lowest byte first.
  template <class Number>
  void add(const std::string& name, const std::vector<Number>& values) {
    std::uint64_t digest = 0xcbf29ce484222325U;
    for (const Number& value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value,
                  sizeof(Number));  // the machines that are supported are little-endian
      for (std::size_t i = 0; i < sizeof(Number); ++i) {
        digest = (digest ^ (bits & 0xffU)) * 0x100000001b3U;
        bits >>= 8;
      }
    }
    digests_.emplace_back(name, digest);
  }

  int compare() const {
    int n_failures = digests_.size() == kDigests.size() ? 0 : 1;
    for (std::size_t i = 0; i < digests_.size(); ++i) {
      const bool same = i < kDigests.size() && digests_[i] == kDigests[i];
      if (!same) ++n_failures;
      std::printf("%s    {\"%s\", 0x%016" PRIx64 "U},\n", same ? "      " : "FAILED",
                  digests_[i].first.c_str(), digests_[i].second);
    }
    std::printf(n_failures == 0 ? "the bits are as recorded\n" : "%d digests differ\n", n_failures);
    return n_failures == 0 ? 0 : 1;
  }
};

std::string named(const char* kernel, bool expected, std::int64_t cutoff) {
  return std::string(kernel) + (expected ? ", ties expected" : ", ties in order") +
         (cutoff == kNoCutoff ? "" : ", cut off");
}

void add_values(Draws& draws, const Data& data, bool expected, std::int64_t cutoff,
                Results& results) {
  const Queries queries = data.queries();
  const std::int64_t n = data.n_documents(), nq = data.n_queries();
  const std::uint8_t *level = data.by_rank.data(), *tied = data.tied.data();
  const Doubles weight = draws.units(n), gain = draws.units(kLevels), stop = draws.units(kLevels);
  Doubles value(static_cast<std::size_t>(nq));
  const RankedLists<std::uint8_t> lists{level, tied, queries};
  discounted_gain(lists, {weight.data(), true}, Gains{gain.data(), kLevels}, cutoff, expected, 1,
                  value.data());
  results.add(named("discounted_gain", expected, cutoff), value);
  const RankWeights weights{weight.data(), false};
  cascade(lists, weights, Reading{stop.data(), nullptr}, cutoff, expected, 1, value.data());
  results.add(named("cascade", expected, cutoff), value);
  cascade(lists, weights, Reading{stop.data(), gain.data()}, cutoff, expected, 1, value.data());
  results.add(named("blended_cascade", expected, cutoff), value);

  const std::vector<std::uint8_t> relevant = {0, 0, 1, 1, 1};
  const Doubles most = draws.units(nq), divisor = draws.units(nq);
  const auto penalty = [&](std::int64_t q) noexcept {
    return Penalty{most[static_cast<std::size_t>(q)], divisor[static_cast<std::size_t>(q)]};
  };
  preferences(lists, relevant.data(), penalty, cutoff, expected, 1, value.data());
  results.add(named("preferences", expected, cutoff), value);

  const std::vector<std::int32_t> codes(level, level + n);
  inferred_precisions({codes.data(), tied, queries}, relevant.data(), 1e-5, cutoff, expected, 1,
                      value.data());
  results.add(named("inferred_precisions", expected, cutoff), value);
  std::vector<std::uint8_t> best_first(static_cast<std::size_t>(n));
  const std::vector<std::uint8_t> whole(static_cast<std::size_t>(n), 1);
  sort_within_ties(level, whole.data(), queries, true, 1, best_first.data());
  std::vector<std::int64_t> depth(static_cast<std::size_t>(nq));
  for (std::int64_t q = 0; q < nq; ++q)
    depth[static_cast<std::size_t>(q)] = std::min(cutoff, queries.size(q));
  if (!expected) {
    overlaps(level, queries, best_first.data(), queries, weight.data(), depth.data(), kLevels, 1,
             value.data());
    results.add(named("overlaps", expected, cutoff), value);
  }

  Doubles moments(static_cast<std::size_t>(nq * kLevels * kLevels));
  pair_moments<std::uint8_t>({lists, {weight.data(), true}, kLevels, cutoff, expected}, 1,
                             moments.data());
  results.add(named("pair_moments", expected, cutoff), moments);
  const Doubles base = draws.units(kLevels * kLevels), factor = draws.units(2 * nq);
  std::vector<std::int32_t> column;
  for (std::int32_t cell = 0; cell < kLevels * kLevels; ++cell) column.push_back(cell % 2);
  pair_part({base.data(), factor.data(), column.data(), 2}, moments.data(), nq, kLevels * kLevels,
            value.data());
  results.add(named("pair_part", expected, cutoff), value);
}

void add_lambdas(Draws& draws, const Data& data, TieOrder ties, Results& results) {
  const std::int64_t n = data.n_documents(), nq = data.n_queries();
  const Doubles discount = draws.units(n), position = draws.units(n), gain = draws.units(kLevels);
  const Doubles gain_factor = draws.units(nq), pair_factor = draws.units(nq);
  const Doubles base = draws.units(kLevels * kLevels), factor = draws.units(2 * nq);
  std::vector<std::int32_t> column;
  for (std::int32_t cell = 0; cell < kLevels * kLevels; ++cell) column.push_back(cell % 2);

  LambdaTask<std::uint8_t> task;
  task.level = data.level.data();
  task.order = data.order.data();
  task.tied = data.tied.data();
  task.scores = data.scores.data();
  task.queries = data.queries();
  task.n_levels = kLevels;
  task.parts = {{{discount.data(), true},
                 gain.data(),
                 gain_factor.data(),
                 {position.data(), true},
                 {base.data(), factor.data(), column.data(), 2},
                 {},
                 pair_factor.data(),
                 kNoCutoff}};
  task.truncation = 30;
  task.ties = ties;
  task.binned_exp = BinnedExp(1.5);
  Doubles gradient(static_cast<std::size_t>(n)), hessian(static_cast<std::size_t>(n));
  lambdas(task, 1, Derivatives{gradient.data(), hessian.data()});
  const std::string name = "lambdas, tie order " + std::to_string(static_cast<int>(ties));
  results.add(name + ", gradient", gradient);
  results.add(name + ", hessian", hessian);
  task.parts[0].matrix = {};
  lambdas(task, 1, Derivatives{gradient.data(), hessian.data()});
  results.add(name + ", of gains, gradient", gradient);
  results.add(name + ", of gains, hessian", hessian);
}

// Queries that have levels of their own, as those of grades between the whole ones.
struct FineLevels {
  std::vector<std::int32_t> level, by_rank;
  Doubles grades;
  std::vector<std::int64_t> borders;
  Doubles f, h, u, w;  // by level; f rises within each query

  FineLevels(Draws& draws, const Data& data) {
    constexpr std::int64_t kFineLevels = 250;
    Doubles graded;
    for (std::int64_t i = 0; i < data.n_documents(); ++i)
      graded.push_back(static_cast<double>(draws.below(kFineLevels)));
    const std::size_t n = graded.size(), n_queries = static_cast<std::size_t>(data.n_queries());
    std::vector<std::int64_t> schedule(n_queries), pool_indptr(n_queries + 1);
    schedule_queries(data.queries(), schedule.data());
    std::vector<std::int32_t> order(n), pool(n);
    std::vector<std::uint8_t> tied(n);
    rank(graded.data(), data.queries(), schedule.data(), 1, order.data(), tied.data());
    grades.resize(n + 2);
    borders.resize(n_queries + 1);
    level.resize(n);
    by_rank.resize(n);
    const std::int64_t n_levels =
        own_levels({graded.data(), order.data(), data.queries()}, {grades.data(), borders.data()},
                   level.data(), pool.data(), pool_indptr.data());
    grades.resize(static_cast<std::size_t>(n_levels));
    gather_levels(level.data(), data.order.data(), data.queries(), 1, by_rank.data());
    for (const double grade : grades) f.push_back(grade / kFineLevels);
    h = draws.units(n_levels);
    u = draws.units(n_levels);
    w = draws.units(n_levels);
  }

  PairFactors factors(bool lower, bool product) const {
    PairFactors K;
    if (lower) K.f = f.data(), K.h = h.data();
    if (product) K.u = u.data(), K.w = w.data();
    return K;
  }
};

void add_fine_levels(const Data& data, Results& results) {
  Draws draws(21);
  const FineLevels fine(draws, data);
  const std::int64_t n = data.n_documents(), nq = data.n_queries();
  const Doubles weight = draws.units(n), discount = draws.units(n), factor = draws.units(nq);
  const PairFactors factors[] = {fine.factors(true, false), fine.factors(false, true),
                                 fine.factors(true, true)};
  Doubles value(static_cast<std::size_t>(nq));
  for (const PairFactors& K : factors)
    for (const std::int64_t cutoff : {kNoCutoff, kCutoff})
      for (const bool expected : {false, true}) {
        pair_sums({{fine.by_rank.data(), data.tied.data(), data.queries()},
                   {weight.data(), true},
                   fine.borders.data(),
                   K,
                   cutoff,
                   expected},
                  1, value.data());
        const char* parts = K.u == nullptr ? "f" : K.f == nullptr ? "u" : "f and u";
        results.add(named((std::string("pair_sums of ") + parts).c_str(), expected, cutoff), value);
      }
  Doubles gradient(static_cast<std::size_t>(n)), hessian(static_cast<std::size_t>(n));
  for (const PairFactors& K : factors) {
    LambdaTask<std::int32_t> task;
    task.level = fine.level.data();
    task.order = data.order.data();
    task.tied = data.tied.data();
    task.scores = data.scores.data();
    task.queries = data.queries();
    task.n_levels = static_cast<std::int64_t>(fine.grades.size());
    task.parts = {{{discount.data(), true},
                   K.f != nullptr && K.u != nullptr ? fine.u.data() : nullptr,
                   factor.data(),
                   {weight.data(), true},
                   {},
                   K,
                   factor.data(),
                   kNoCutoff}};
    task.truncation = 30;
    task.ties = TieOrder::kMixed;
    task.binned_exp = BinnedExp(1.5);
    lambdas(task, 1, Derivatives{gradient.data(), hessian.data()});
    const char* parts = K.u == nullptr ? "f" : K.f == nullptr ? "u" : "f and u";
    results.add(std::string("lambdas of ") + parts + ", gradient", gradient);
    results.add(std::string("lambdas of ") + parts + ", hessian", hessian);
  }
}

void add_sums(const Data& data, Results& results) {
  Doubles sums(data.scores.size());
  cumulate(data.scores.data(), data.queries(), sums.data());
  results.add("cumulate", sums);
  Doubles exponentials;
  const BinnedExp binned(0.7);
  for (const double score : data.scores) exponentials.push_back(binned(score));
  results.add("binned_exp", exponentials);
  MeanSums mean;
  sum_exactly(data.scores.data(), exponentials.data(), data.n_documents(), mean);
  const auto bytes = mean.values.bytes();
  results.add("sum_exactly", std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}
}  // namespace

int main() {
  Draws draws(20);
  const Data data(draws);
  Results results;
  results.add("scores", data.scores);
  results.add("rank", data.order);
  results.add("tied", data.tied);
  for (const std::int64_t cutoff : {kNoCutoff, kCutoff})
    for (const bool expected : {false, true}) add_values(draws, data, expected, cutoff, results);
  for (const TieOrder ties : {TieOrder::kRows, TieOrder::kMixed, TieOrder::kWorstFirst})
    add_lambdas(draws, data, ties, results);
  add_fine_levels(data, results);
  add_sums(data, results);
  return results.compare();
}
