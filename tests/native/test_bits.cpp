// Bits that the kernels give on every machine: a digest of each kernel's values on fixed data.
//
// An instruction set with fused multiply-adds, another compiler, another standard library, wider
// registers or more threads must not change a value. That the values are right is shown in Python,
// by the oracles of the measures and of training. The data are drawn by exact arithmetic alone, as
// the standard's distributions differ between libraries; what calls the C library's log2 is
// computed but not recorded. Where a kernel's values change on purpose, the digests that this test
// prints replace those in kDigests. From the repository root:
//
//   g++ -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Werror -pthread
//     -I skgraded/_core tests/native/test_bits.cpp -o test_bits && ./test_bits
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cascade.hpp"
#include "cumulate.hpp"
#include "exact_sum.hpp"
#include "gain.hpp"
#include "inferred.hpp"
#include "labels.hpp"
#include "lambda_task.hpp"
#include "lambdas.hpp"
#include "levels.hpp"
#include "moments.hpp"
#include "noisy_lambdas.hpp"
#include "overlap.hpp"
#include "own_levels.hpp"
#include "pair_matrix.hpp"
#include "pair_sums.hpp"
#include "preference.hpp"
#include "prefix_values.hpp"
#include "queries.hpp"
#include "query_ids.hpp"
#include "rank.hpp"
#include "recall_shares.hpp"
#include "schedule.hpp"
#include "sort_keys.hpp"
#include "sorting_network.hpp"

namespace {

using namespace skgraded;

using Bytes = std::vector<std::uint8_t>;
using Doubles = std::vector<double>;
using Digests = std::vector<std::pair<std::string, std::uint64_t>>;

constexpr std::int64_t kLevels = 5, kManyLevels = 20;
constexpr std::int64_t kNoCutoff = INT64_MAX;
constexpr double kUnset = -7.0;  // results are written into memory that holds anything

const Digests kDigests = {
    {"rank", 0xaef91801ef373416U},
    {"discounted_gain", 0x7251d1922442b58eU},
    {"cascade", 0x811056c709cda179U},
    {"preferences", 0x6f6622af063c6424U},
    {"inferred_precisions", 0x8491dce0e1d40590U},
    {"sort_within_ties", 0xcbb5c5262dd876c5U},
    {"overlaps", 0x35d1d88240960edbU},
    {"pair_moments", 0x43d315140274832bU},
    {"own_levels", 0x38e4e7f15508d4bcU},
    {"own_expected_shares", 0x817c6f9f245079b3U},
    {"pair_sums", 0x1a8c710bbe9170b3U},
    {"pair_part", 0xf5af68a2aa1bc606U},
    {"lambdas", 0x2a855756acff1e71U},
    {"noisy_lambdas", 0x4024df99fa4d37d0U},
    {"read_grades", 0x842e1e1bbd7b61e4U},
    {"cumulate", 0xaeafb00009759d1bU},
    {"binned_exp", 0x90a15c04f4377f75U},
    {"sum_exactly", 0xd840bd3741f3b6e1U},
    {"query_ids", 0xca9ef53fedba78e4U},
    {"network", 0xd631602d68b18572U},
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
  std::vector<std::int32_t> levels(std::int64_t n, std::int64_t n_levels) {
    std::vector<std::int32_t> levels(static_cast<std::size_t>(n));
    for (std::int32_t& level : levels) level = static_cast<std::int32_t>(below(n_levels));
    return levels;
  }
};

// Queries of so many documents, whose scores are one of so many numbers, or any number for 0.
struct Data {
  using OfQuery = std::function<std::int64_t(std::int64_t)>;

  std::vector<std::int64_t> indptr{0};
  Doubles scores;
  Bytes level;
  std::vector<std::int32_t> order;
  std::vector<std::int64_t> schedule;
  Bytes tied, by_rank;

  Data(Draws& draws, std::int64_t n_queries, const OfQuery& size, const OfQuery& n_scores)
      : schedule(static_cast<std::size_t>(n_queries)) {
    for (std::int64_t q = 0; q < n_queries; ++q) {
      const std::int64_t most = n_scores(q);
      for (std::int64_t i = size(q); i > 0; --i) {
        scores.push_back(most == 0 ? 8.0 * draws.unit() - 4.0
                                   : 0.25 * static_cast<double>(draws.below(most)));
        level.push_back(static_cast<std::uint8_t>(draws.below(kLevels)));
      }
      indptr.push_back(static_cast<std::int64_t>(scores.size()));
    }
    order.resize(scores.size());
    tied.resize(scores.size());
    by_rank.resize(scores.size());
    schedule_queries(queries(), schedule.data());
    rank(scores.data(), queries(), schedule.data(), 1, order.data(), tied.data());
    gather_levels(level.data(), order.data(), queries(), 1, by_rank.data());
  }

  Queries queries() const { return {indptr.data(), static_cast<std::int64_t>(indptr.size()) - 1}; }
  std::int64_t n_queries() const { return queries().count; }
  std::int64_t n_documents() const { return indptr.back(); }
};

// Queries of 0 to 300 documents and a long one; every other query has many ties.
Data usual_data(Draws& draws) {
  return Data(
      draws, 200, [&](std::int64_t q) { return q == 7 ? 4000 : draws.below(301); },
      [](std::int64_t q) { return q % 2 == 0 ? 0 : 30; });
}

// Every length up to 40 in turn, and some of 300; of a quarter of them all scores are equal.
Data short_data(Draws& draws) {
  return Data(
      draws, 900, [](std::int64_t q) { return q % 99 == 50 ? 300 : q % 41; },
      [](std::int64_t q) { return q % 4 == 3 ? 1 : 4 * (q % 4); });
}

// Few blocks of tied documents, of up to 900 documents.
Data tied_data(Draws& draws) {
  return Data(
      draws, 40, [&](std::int64_t) { return draws.below(900); },
      [](std::int64_t q) { return 1 + q % 3; });
}

// --- digests -------------------------------------------------------------------------------------

class Results {
  Digests digests_;
  int n_failures_ = 0;

 public:
  // FNV-1a over the bytes of numbers, the lowest byte first, of all values of this name.
  template <class Number>
  void add(const std::string& name, const std::vector<Number>& values) {
    auto place = std::find_if(digests_.begin(), digests_.end(),
                              [&](const auto& each) { return each.first == name; });
    if (place == digests_.end()) place = digests_.insert(place, {name, 0xcbf29ce484222325U});
    std::uint64_t digest = place->second;
    for (const Number& value : values) {
      std::uint64_t bits = 0;  // the machines that are supported are little-endian
      std::memcpy(&bits, &value, sizeof(Number));
      for (std::size_t i = 0; i < sizeof(Number); ++i) {
        digest = (digest ^ (bits & 0xffU)) * 0x100000001b3U;
        bits >>= 8;
      }
    }
    place->second = digest;
  }

  void expect(bool holds, const std::string& what) {
    if (holds) return;
    ++n_failures_;
    std::printf("FAILED: %s\n", what.c_str());
  }

  // What compute(n_threads, registers) returns is the same for any of them.
  template <class Compute>
  auto same(const std::string& name, const Compute& compute) {
    const auto values = compute(1, widest_registers());
    for (const int n_threads : {3, 1000})
      expect(compute(n_threads, widest_registers()) == values, name + ", threads");
    for (int each = 0; each < static_cast<int>(widest_registers()); ++each)
      expect(compute(1, static_cast<Registers>(each)) == values, name + ", registers");
    return values;
  }

  int compare() const {
    int n_failures = n_failures_ + (digests_.size() == kDigests.size() ? 0 : 1);
    for (std::size_t i = 0; i < digests_.size(); ++i) {
      const bool same = i < kDigests.size() && digests_[i] == kDigests[i];
      if (!same) ++n_failures;
      std::printf("%s    {\"%s\", 0x%016" PRIx64 "U},\n", same ? "      " : "FAILED",
                  digests_[i].first.c_str(), digests_[i].second);
    }
    std::printf(n_failures == 0 ? "the bits are as recorded\n" : "%d failures\n", n_failures);
    return n_failures == 0 ? 0 : 1;
  }
};

// --- query ids and ranks -------------------------------------------------------------------------

// Words from a short range and from a long one, bytes, and text, which is empty for one id.
void add_ids(Draws& draws, Results& results) {
  constexpr std::int64_t kRows = 5000, kAll = INT64_MAX, kSeed = 7;
  for (const std::int64_t spread : {std::int64_t{1}, std::int64_t{1} << 40}) {
    std::vector<std::int64_t> ids, offsets = {0};
    std::string text;
    for (std::int64_t row = 0; row < kRows; ++row) {
      const std::int64_t id = draws.below(2000);
      ids.push_back((id - 1000) * spread);
      if (id != 0) text += std::string(static_cast<std::size_t>(id % 40), 'q') + std::to_string(id);
      offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
    std::vector<std::int32_t> words(ids.size()), number(ids.size());
    const NumberedRows rows = number_words(ids.data(), kRows, kSeed, kAll, words.data());
    const auto* bytes = reinterpret_cast<const unsigned char*>(ids.data());
    number_rows(ByteIds(bytes, 8), kRows, kSeed, kAll, number.data());
    results.expect(number == words, "numbers of bytes");
    const auto* letters = reinterpret_cast<const unsigned char*>(text.data());
    number_rows(TextIds(offsets.data(), letters), kRows, kSeed, kAll, number.data());
    results.expect(number == words, "numbers of text");
    const auto n_queries = static_cast<std::int64_t>(rows.first_rows.size());
    std::vector<std::int64_t> indptr(rows.first_rows.size() + 1), places(ids.size());
    place_rows(words.data(), kRows, n_queries, indptr.data(), places.data());
    results.add("query_ids", words);
    for (const auto& each : {rows.first_rows, indptr, places}) results.add("query_ids", each);
  }
}

void add_ranks(const Data& data, Results& results) {
  const auto ranked = results.same("rank", [&](int n_threads, Registers) {
    std::vector<std::int32_t> order(data.order.size(), -7);
    Bytes tied(order.size(), 7);
    rank(data.scores.data(), data.queries(), data.schedule.data(), n_threads, order.data(),
         tied.data());
    return std::make_pair(order, tied);
  });
  results.add("rank", ranked.first);
  results.add("rank", ranked.second);
}

void add_network(Draws& draws, Results& results) {
  const double largest = std::numeric_limits<double>::max();
  for (const double score : {-largest, -1.0, 0.0, 1.0, largest}) {
    const double key = from_bits(SortKeys(1 << 30).key(descending_bits(score), (1 << 30) - 1));
    results.expect(std::isnormal(key) && key > 0.0, "keys are positive normal doubles");
  }
  for (std::int64_t n = 0; n < 256; ++n) {
    const Doubles keys = draws.units(kLanes * n);
    results.add("network", results.same("network", [&](int, Registers registers) {
      std::vector<LaneRow> rows(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < keys.size(); ++i) rows[i / kLanes].lane[i % kLanes] = keys[i];
      sort_lanes(rows.data(), n, registers);
      Doubles sorted;
      for (const LaneRow& row : rows) sorted.insert(sorted.end(), row.lane, row.lane + kLanes);
      return sorted;
    }));
  }
}

// --- values of rankings --------------------------------------------------------------------------

// The values of a kernel by query, which are the same for levels in more bytes.
template <class Kernel>
void add_by_query(const std::string& name, const Data& data, const Bytes& by_rank, Results& results,
                  const Kernel& kernel) {
  const std::vector<std::int32_t> wide(by_rank.begin(), by_rank.end());
  const RankedLists<std::uint8_t> lists{by_rank.data(), data.tied.data(), data.queries()};
  const RankedLists<std::int32_t> wide_lists{wide.data(), data.tied.data(), data.queries()};
  const auto values = results.same(name, [&](int n_threads, Registers) {
    Doubles value(static_cast<std::size_t>(data.n_queries()), kUnset);
    kernel(lists, n_threads, value.data());
    return value;
  });
  Doubles again(values.size(), kUnset);
  kernel(wide_lists, 1, again.data());
  results.expect(again == values, name + ", levels in more bytes");
  results.add(name, values);
}

struct Rule {
  std::int64_t cutoff;
  bool expected;
};

constexpr Rule kRules[] = {{kNoCutoff, false}, {kNoCutoff, true}, {20, false}, {20, true}};

void add_gains(Draws& draws, const Data& data, Results& results) {
  const Doubles discount = draws.units(data.n_documents()), gain = draws.units(kLevels);
  const Doubles whole = {0.0, 1.0, 3.0, 7.0, 15.0};  // which add up without rounding
  for (const Rule& rule : kRules)
    for (const bool ragged : {false, true})
      for (const Doubles& each : {gain, whole})
        add_by_query("discounted_gain", data, data.by_rank, results,
                     [&](const auto& lists, int n_threads, double* value) {
                       discounted_gain(lists, {discount.data(), ragged},
                                       Gains{each.data(), kLevels}, rule.cutoff, rule.expected,
                                       n_threads, value);
                     });
}

void add_cascades(Draws& draws, const Data& data, Results& results) {
  const Doubles weight = draws.units(data.n_documents()), worth = draws.units(kLevels);
  const std::vector<Doubles> stops = {draws.units(kLevels),
                                      {0.0, 1.0 / 16, 3.0 / 16, 7.0 / 16, 15.0 / 16},
                                      {0.0, 0x1p-10, 0x1p-9, 0x1p-30, 1.0},
                                      {0.0, 1.0, 0.0, 1.0, 1.0}};
  Bytes by_grade(data.by_rank.size());  // as measures pass them, with many equal ones in a row
  sort_within_ties(data.by_rank.data(), data.tied.data(), data.queries(), true, 1, by_grade.data());
  for (const Rule& rule : kRules)
    for (const Doubles& stop : stops)
      for (const double* of_level : {static_cast<const double*>(nullptr), worth.data()})
        add_by_query("cascade", data, by_grade, results,
                     [&](const auto& lists, int n_threads, double* value) {
                       cascade(lists, {weight.data(), false}, Reading{stop.data(), of_level},
                               rule.cutoff, rule.expected, n_threads, value);
                     });
}

void add_preferences(Draws& draws, const Data& data, Results& results) {
  const Bytes relevant = {0, 0, 1, 1, 1};
  std::vector<Penalty> penalties;
  for (std::int64_t q = 0; q < data.n_queries(); ++q)
    penalties.push_back({9.0 * draws.unit(), static_cast<double>(draws.below(9))});
  const auto penalty_of = [&](std::int64_t q) noexcept {
    return penalties[static_cast<std::size_t>(q)];
  };
  for (const Rule& rule : kRules)
    add_by_query("preferences", data, data.by_rank, results,
                 [&](const auto& lists, int n_threads, double* value) {
                   preferences(lists, relevant.data(), penalty_of, rule.cutoff, rule.expected,
                               n_threads, value);
                 });
  const std::vector<std::int32_t> codes(data.by_rank.begin(), data.by_rank.end());
  for (const Rule& rule : kRules)
    results.add(
        "inferred_precisions", results.same("inferred_precisions", [&](int n_threads, Registers) {
          Doubles value(static_cast<std::size_t>(data.n_queries()), kUnset);
          inferred_precisions({codes.data(), data.tied.data(), data.queries()}, relevant.data(),
                              1e-5, rule.cutoff, rule.expected, n_threads, value.data());
          return value;
        }));
}

// Orders within ties, and what lists have in common with the best ones.
void add_orders(Draws& draws, const Data& data, Results& results) {
  const Doubles weight = draws.units(data.n_documents());
  const Bytes whole(data.by_rank.size(), 1);
  for (const bool descending : {false, true})
    results.add("sort_within_ties", results.same("sort_within_ties", [&](int n_threads, Registers) {
      Bytes sorted(data.by_rank.size());
      sort_within_ties(data.by_rank.data(), data.tied.data(), data.queries(), descending, n_threads,
                       sorted.data());
      return sorted;
    }));
  Bytes best_first(data.by_rank.size());
  sort_within_ties(data.by_rank.data(), whole.data(), data.queries(), true, 1, best_first.data());
  for (const std::int64_t cutoff : {kNoCutoff, std::int64_t{20}}) {
    std::vector<std::int64_t> depth;
    for (std::int64_t q = 0; q < data.n_queries(); ++q)
      depth.push_back(std::min(cutoff, data.queries().size(q)));
    add_by_query("overlaps", data, data.by_rank, results,
                 [&](const auto& lists, int n_threads, double* value) {
                   using Level = std::decay_t<decltype(*lists.level)>;
                   const std::vector<Level> best(best_first.begin(), best_first.end());
                   overlaps(lists.level, data.queries(), best.data(), data.queries(), weight.data(),
                            depth.data(), kLevels, n_threads, value);
                 });
  }
}

// Numbers of levels from registers of their own to tables.
void add_moments(Draws& draws, const Data& data, Results& results) {
  const Doubles weight = draws.units(data.n_documents());
  for (const std::int64_t n_levels : {1, 2, 3, 4, 5, 6, 7, 8, 9, 20}) {
    const std::vector<std::int32_t> levels = draws.levels(data.n_documents(), n_levels);
    const Bytes bytes(levels.begin(), levels.end());
    for (const Rule& rule : kRules)
      for (const bool ragged : {false, true}) {
        const auto compute = [&](const auto& of_type) {
          using Level = typename std::decay_t<decltype(of_type)>::value_type;
          return [&](int n_threads, Registers registers) {
            Doubles moments(static_cast<std::size_t>(data.n_queries() * n_levels * n_levels));
            pair_moments<Level>({{of_type.data(), data.tied.data(), data.queries()},
                                 {weight.data(), ragged},
                                 n_levels,
                                 rule.cutoff,
                                 rule.expected,
                                 registers},
                                n_threads, moments.data());
            return moments;
          };
        };
        const Doubles moments = results.same("pair_moments", compute(bytes));
        results.expect(compute(levels)(1, Registers::kPlain) == moments, "moments, int32");
        results.add("pair_moments", moments);
      }
  }
}

void add_pair_parts(Draws& draws, Results& results) {
  constexpr std::int64_t kCells = kLevels * kLevels, kQueries = 203;
  const Doubles base = draws.units(kCells), factor = draws.units(2 * kQueries);
  const Doubles moments = draws.units(kQueries * kCells);
  std::vector<std::int32_t> column;
  for (std::int32_t cell = 0; cell < kCells; ++cell)
    column.push_back(static_cast<std::int32_t>(cell % 2));
  Doubles value(kQueries, kUnset);
  pair_part({base.data(), factor.data(), column.data(), 2}, moments.data(), kQueries, kCells,
            value.data());
  results.add("pair_part", value);
}

// --- levels that queries have of their own, as of grades between the whole ones ------------------

struct FineLevels {
  std::vector<std::int32_t> level, by_rank;
  std::vector<std::int64_t> borders;
  Doubles f, h, u, w;  // by level; f rises within each query

  // Pools that are given lack what every third list holds, and have a document of grade 3 more.
  FineLevels(Draws& draws, const Data& data, bool pools_are_given, Results& results)
      : level(data.level.size()), by_rank(data.level.size()), borders(data.indptr.size()) {
    constexpr std::int64_t kFineLevels = 250;
    Doubles graded, pool;
    for (std::int64_t i = 0; i < data.n_documents(); ++i)
      graded.push_back(
          std::max(static_cast<double>(draws.below(kFineLevels) - 9), kUnsampledGrade));
    std::vector<std::int32_t> order(graded.size()), pooled(2 * graded.size());
    Bytes tied(graded.size());
    rank(graded.data(), data.queries(), data.schedule.data(), 1, order.data(), tied.data());
    std::vector<std::int64_t> pool_indptr{0};
    for (std::int64_t q = 0; q < data.n_queries(); ++q) {
      const auto first = static_cast<std::ptrdiff_t>(pool.size());
      for (std::int64_t i = data.queries().begin(q); i < data.queries().begin(q + 1); ++i) {
        const double grade = graded[static_cast<std::size_t>(i)];
        if (q % 3 != 0 && grade >= 0.0) pool.push_back(grade);
      }
      pool.push_back(3.0);
      std::sort(pool.begin() + first, pool.end(), std::greater<>());
      pool_indptr.push_back(static_cast<std::int64_t>(pools_are_given ? pool.size() : 0));
    }
    const Queries pools{pool_indptr.data(), data.n_queries()};
    own_levels({graded.data(), order.data(), data.queries()}, {pool.data(), pools}, borders.data(),
               level.data(), pooled.data());
    const std::int64_t n_levels = borders.back();
    Doubles grades(static_cast<std::size_t>(n_levels));
    own_grades(graded.data(), level.data(), data.n_documents(), grades.size(), grades.data());
    own_grades(pool.data(), pooled.data(), pools.documents(), grades.size(), grades.data());
    if (!pools_are_given)
      own_pools(level.data(), data.queries(), borders.data(), pooled.data(), pool_indptr.data());
    pooled.resize(static_cast<std::size_t>(pool_indptr.back()));
    for (const auto* each : {&level, &pooled}) results.add("own_levels", *each);
    for (const auto* each : {&borders, &pool_indptr}) results.add("own_levels", *each);
    results.add("own_levels", grades);
    for (std::int32_t& each : level) each = each < n_levels ? each : 0;
    gather_levels(level.data(), data.order.data(), data.queries(), 1, by_rank.data());
    for (const double grade : grades) f.push_back(grade / kFineLevels);
    h = draws.units(n_levels);
    u = draws.units(n_levels);
    w = draws.units(n_levels);
    for (const bool divided : {false, true})
      results.add("own_expected_shares", results.same("shares", [&](int, Registers registers) {
        Doubles shares(f.size(), kUnset);
        own_expected_shares(f.data(), pooled.data(), pools, borders.data(), divided, shares.data(),
                            registers);
        return shares;
      }));
  }

  std::int64_t n_levels() const { return static_cast<std::int64_t>(f.size()); }

  // The factors of K of either product, of both, and of f without h.
  std::vector<PairFactors> factors() const {
    return {{f.data(), h.data(), nullptr, nullptr},
            {nullptr, nullptr, u.data(), w.data()},
            {f.data(), h.data(), u.data(), w.data()},
            {f.data(), nullptr, nullptr, nullptr}};
  }
};

void add_pair_sums(Draws& draws, const Data& data, bool pools_are_given, Results& results) {
  const FineLevels fine(draws, data, pools_are_given, results);
  const Doubles weight = draws.units(data.n_documents());
  for (const PairFactors& K : fine.factors())
    for (const Rule& rule : kRules)
      results.add("pair_sums", results.same("pair_sums", [&](int n_threads, Registers registers) {
        Doubles value(static_cast<std::size_t>(data.n_queries()), kUnset);
        pair_sums({{fine.by_rank.data(), data.tied.data(), data.queries()},
                   {weight.data(), true},
                   fine.borders.data(),
                   K,
                   rule.cutoff,
                   rule.expected,
                   registers},
                  n_threads, value.data());
        return value;
      }));
}

// --- training ------------------------------------------------------------------------------------

// Numbers by rank, by level and by query, of which the parts of a measure consist.
struct Numbers {
  std::int64_t n_levels;
  Doubles by_document, others, gain, by_query, base, factor, f, h, u, w;
  std::vector<std::int32_t> column;

  Numbers(Draws& draws, const Data& data, std::int64_t levels)
      : n_levels(levels),
        by_document(draws.units(data.n_documents() + 1)),  // one a document serves as one a rank
        others(draws.units(data.n_documents() + 1)),
        gain(draws.units(n_levels)),
        by_query(draws.units(data.n_queries())),
        base(draws.units(kManyLevels * kManyLevels)),
        factor(draws.units(2 * data.n_queries())),
        h(draws.units(n_levels * n_own(data))),
        u(draws.units(n_levels)),
        w(draws.units(n_levels)) {
    for (std::size_t cell = 0; cell < base.size(); ++cell)
      column.push_back(static_cast<std::int32_t>(cell % 2));
    for (std::int64_t q = 0; q < n_own(data); ++q)
      for (std::int64_t level = 0; level < n_levels; ++level)
        f.push_back(0.125 * static_cast<double>((q + 1) * (level * level / 3)));
  }

  // Factors of K differ between queries, unless each has levels of its own.
  bool are_own() const { return n_levels > kManyLevels; }
  std::int64_t n_own(const Data& data) const { return are_own() ? 1 : data.n_queries(); }

  SwapPrices part(bool ragged, bool has_gains) const {
    return {{by_document.data(), ragged},
            has_gains ? gain.data() : nullptr,
            by_query.data(),
            {others.data(), ragged},
            {},
            {},
            by_query.data(),
            kNoCutoff};
  }

  SwapPrices with_matrix(bool ragged) const {
    SwapPrices made = part(ragged, true);
    made.matrix = {base.data(), factor.data(), column.data(), 2};
    return made;
  }

  SwapPrices with_factors(bool ragged, bool has_gains, const PairFactors& K) const {
    SwapPrices made = part(ragged, has_gains);
    made.factors = K;
    return made;
  }

  // Measures by their parts, with gains, with factors of K or with both.
  std::vector<std::vector<SwapPrices>> measures() const {
    const PairFactors lower{f.data(), h.data()}, product{nullptr, nullptr, u.data(), w.data()};
    PairFactors both{f.data(), h.data(), u.data(), w.data()}, f_by_query = both, h_by_query = both;
    f_by_query.f_stride = h_by_query.h_stride = n_levels;
    std::vector<std::vector<SwapPrices>> made = {
        {part(false, true)},
        {part(true, true)},
        {with_factors(false, false, lower)},
        {with_factors(false, true, lower)},
        {with_factors(false, false, product)},
        {with_factors(true, true, product)},
        {with_factors(true, true, both)},
        {with_factors(false, true, both), part(true, true)}};
    if (are_own()) return made;
    made.push_back({with_factors(false, true, f_by_query)});
    made.push_back({with_factors(false, true, h_by_query)});
    made.push_back({with_matrix(false)});
    made.push_back({with_matrix(true), part(false, true)});
    made.push_back({with_matrix(true), with_matrix(false)});
    made.push_back({with_factors(false, true, both), with_matrix(true)});
    return made;
  }
};

template <class Level>
LambdaTask<Level> task_of(const Data& data, const std::vector<Level>& level,
                          const std::vector<SwapPrices>& parts, std::int64_t n_levels) {
  LambdaTask<Level> task;
  task.level = level.data();
  task.order = data.order.data();
  task.tied = data.tied.data();
  task.scores = data.scores.data();
  task.queries = data.queries();
  task.n_levels = n_levels;
  task.parts = parts;
  task.binned_exp = BinnedExp(1.5);
  return task;
}

// The gradient and behind it the Hessian, by one call or another.
template <class Compute>
Doubles derivatives(const Data& data, const Compute& compute) {
  const auto n = static_cast<std::size_t>(data.n_documents());
  Doubles both(2 * n, kUnset);
  compute(Derivatives{both.data(), both.data() + n});
  return both;
}

struct Training {
  TieOrder ties;
  std::int64_t cutoff, truncation;
  bool norm;
};

constexpr Training kTrainings[] = {{TieOrder::kRows, kNoCutoff, 30, false},
                                   {TieOrder::kMixed, kNoCutoff, 60, false},
                                   {TieOrder::kWorstFirst, 5, 30, false},
                                   {TieOrder::kBestFirst, kNoCutoff, 1, false},
                                   {TieOrder::kMixed, 5, 30, true}};

template <class Level>
void add_lambdas(Draws& draws, const Data& data, const std::vector<Level>& level,
                 std::int64_t n_levels, Results& results) {
  const Numbers numbers(draws, data, n_levels);
  for (const std::vector<SwapPrices>& measure : numbers.measures())
    for (const Training& training : kTrainings) {
      LambdaTask<Level> task = task_of(data, level, measure, n_levels);
      task.parts[0].cutoff = training.cutoff;
      task.truncation = training.truncation;
      task.ties = training.ties;
      task.norm = training.norm;
      const auto values = results.same("lambdas", [&](int n_threads, Registers registers) {
        task.registers = registers;
        return derivatives(data, [&](const Derivatives& out) { lambdas(task, n_threads, out); });
      });
      if (!task.norm) results.add("lambdas", values);
    }
}

void add_noisy_lambdas(Draws& draws, const Data& data, Results& results) {
  const Numbers numbers(draws, data, kLevels);
  const Doubles grades = {0.0, 1.0, 2.0, 3.0, 4.0};
  for (const auto& measure : {numbers.measures().front(), numbers.measures().back()})
    for (const NoiseKind kind : {NoiseKind::kGumbel, NoiseKind::kLogistic}) {
      LambdaTask<std::uint8_t> task = task_of(data, data.level, measure, kLevels);
      task.truncation = 20;
      task.ties = TieOrder::kMixed;
      const Noise noise{kind, 0.5, 2, 5};
      results.add("noisy_lambdas", results.same("noise", [&](int n_threads, Registers registers) {
        task.registers = registers;
        return derivatives(data, [&](const Derivatives& out) {
          noisy_lambdas(task, noise, grades.data(), data.schedule.data(), n_threads, out);
        });
      }));
    }
}

// --- labels and sums -----------------------------------------------------------------------------

// A row of lanes and the rest, with what is no grade at any place of them.
void add_labels(Results& results) {
  using Limits = std::numeric_limits<double>;
  const double smallest = Limits::min();
  for (const double label : {0.0, -0.0, 2.5, 300.0, 0x1p52 + 1.0, 0x1p53, 0x1p53 + 2.0, smallest,
                             smallest / 2.0, -0.5, Limits::quiet_NaN(), Limits::infinity()})
    for (std::size_t place = 0; place < 19; ++place)
      results.add("read_grades", results.same("read_grades", [&](int, Registers registers) {
        Doubles labels(19, 1.0), grades(20, kUnset);
        labels[place] = label;
        const GradeFacts facts = read_grades(labels.data(), 19, grades.data(), registers);
        grades[19] = facts.top + 0.25 * facts.any_unjudged + 0.5 * facts.any_fractional;
        return facts.are_grades ? grades : Doubles();
      }));
}

void add_sums(const Data& data, Results& results) {
  Doubles sums(data.scores.size());
  cumulate(data.scores.data(), data.queries(), sums.data());
  results.add("cumulate", sums);
  Doubles exponentials;
  const BinnedExp binned(0.7);
  for (const double score : data.scores) exponentials.push_back(binned(score));
  results.add("binned_exp", exponentials);
  MeanSums mean = sum_exactly(data.scores.data(), 1, exponentials.data(), data.scores.size());
  const auto words = mean.values.words();
  results.add("sum_exactly", std::vector<std::uint64_t>(words.begin(), words.end()));
}

}  // namespace

int main() {
  Draws draws(20);
  Results results;
  const Data usual = usual_data(draws), brief = short_data(draws), tied = tied_data(draws);
  for (const Data* data : {&usual, &brief, &tied}) {
    add_ranks(*data, results);
    add_gains(draws, *data, results);
    add_cascades(draws, *data, results);
    add_preferences(draws, *data, results);
    add_orders(draws, *data, results);
    add_moments(draws, *data, results);
    for (const bool pools_are_given : {false, true})
      add_pair_sums(draws, *data, pools_are_given, results);
  }
  add_pair_parts(draws, results);
  add_lambdas(draws, brief, brief.level, kLevels, results);
  const auto many = draws.levels(brief.n_documents(), kManyLevels);
  add_lambdas(draws, brief, many, kManyLevels, results);
  for (const Data* data : {&usual, &brief}) {
    const FineLevels fine(draws, *data, false, results);
    add_lambdas(draws, *data, fine.level, fine.n_levels(), results);
  }
  add_noisy_lambdas(draws, brief, results);
  add_labels(results);
  add_sums(usual, results);
  add_ids(draws, results);
  add_network(draws, results);
  return results.compare();
}
