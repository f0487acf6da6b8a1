// The input of the lambdas, and the memory of one thread. lambdas.hpp defines the words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lane_swaps.hpp"
#include "pair_matrix.hpp"
#include "queries.hpp"
#include "sigmoid.hpp"
#include "simd.hpp"
#include "tie_orders.hpp"

namespace skgraded {

// v, d, p and K of a measure, from which the change by every swap follows.
struct SwapPrices {
  RankWeights discount{nullptr, false};  // d
  const double* gain = nullptr;          // v by level; null where a measure has no gains
  const double* gain_factor = nullptr;   // by query
  RankWeights position{nullptr, false};  // p
  PairMatrix matrix;                     // K, by level above and level below, or
  PairFactors factors;                   // the factors of K
  const double* pair_factor = nullptr;   // by query
  std::int64_t cutoff = 0;

  bool has_gains() const noexcept { return gain != nullptr; }
  bool has_matrix() const noexcept { return matrix.base != nullptr; }
  bool has_factors() const noexcept { return factors.f != nullptr || factors.u != nullptr; }
  bool has_pairs() const noexcept { return has_matrix() || has_factors(); }

  // K at level a above level b.
  double pair(std::int64_t q, std::int32_t a, std::int32_t b,
              std::int64_t n_levels) const noexcept {
    return pair_factor[q] * (has_matrix() ? matrix.at(q, a * n_levels + b) : factors.at(q, a, b));
  }
};

// The arguments that are the same for every query.
template <class Level>
struct LambdaTask {
  const Level* level = nullptr;         // by document
  const std::int32_t* order = nullptr;  // by rank
  const std::uint8_t* tied = nullptr;   // by rank
  const double* scores = nullptr;       // by document
  Queries queries{nullptr, 0};
  std::int64_t n_levels = 0;
  std::vector<SwapPrices> parts;  // of the measure, which is their sum
  std::int64_t truncation = 0;    // a pair counts if its upper rank is above this one
  TieOrder ties = TieOrder::kRows;
  bool norm = false;
  BinnedExp binned_exp{1.0};
  double farthest = 1e290;  // larger differences of scores count as this one: products stay finite
  Registers registers = widest_registers();

  // Number of upper ranks; pairs below the cut-offs of all parts change nothing.
  std::int64_t upper_ranks(std::int64_t n) const noexcept {
    std::int64_t cutoff = 0;
    for (const SwapPrices& part : parts) cutoff = std::max(cutoff, part.cutoff);
    return std::min({n, truncation, cutoff});
  }

  // Whether changes are sums, which are tabulated by slots, and not products of a gain and a
  // discount.
  bool has_tables() const noexcept { return parts.size() > 1 || parts[0].has_pairs(); }

  // Whether tables are for few slots alone, as factors of K serve any number of them.
  bool has_factors() const noexcept {
    const auto has_matrix = [](const SwapPrices& part) { return part.has_matrix(); };
    const auto has_pairs = [](const SwapPrices& part) { return part.has_pairs(); };
    return std::any_of(parts.begin(), parts.end(), has_pairs) &&
           std::none_of(parts.begin(), parts.end(), has_matrix);
  }
};

// Memory for one query at a time, allocated before the threads start.
struct LambdaSpace {
  static constexpr std::int64_t kOverrun = kLanes;  // lanes reach beyond the last place

  std::vector<std::int32_t> slot_of_level;
  std::vector<std::int32_t> levels;          // by slot, ascending
  std::vector<std::int32_t> own_slot;        // by rank: of the document that stands there
  std::vector<std::int32_t> slot;            // by rank: what counts there, with ties in order
  std::vector<std::int32_t> place;           // by rank
  std::vector<std::int64_t> next;            // by slot: first place of those further down
  std::vector<std::int64_t> end;             // by slot
  std::vector<double> gain;                  // by slot
  std::vector<double> K;                     // by slots
  std::vector<double> F, H;                  // by slot: sums over the ranks so far
  LaneSwaps swaps;                           // where there are few slots
  std::vector<double> upper;                 // by upper rank and lower slot
  std::vector<double> lower;                 // by upper slot and lower place
  std::vector<double> score;                 // by place
  std::vector<double> lambda, hessian;       // by place
  std::vector<double> change;                // by swaps of one upper rank, by lower rank
  std::vector<double> rank_slot, rank_gain;  // by rank
  std::vector<double> sums;                  // of a tied block: count, lambda, hessian by slot
  std::vector<double> ones;                  // and kOverrun zeros
  std::int64_t stride;                       // of `lower`

  // `tabulated` is the largest number of slots of which changes are tabulated.
  LambdaSpace(std::int64_t longest, std::int64_t n_levels, std::int64_t upper_ranks,
              std::int64_t tabulated)
      : slot_of_level(static_cast<std::size_t>(n_levels), -1), stride(longest + kOverrun) {
    const std::int64_t slots = std::min(longest, n_levels);
    const std::int64_t in_tables = std::min(slots, tabulated);
    for (auto* each : {&levels, &own_slot, &slot, &place}) grow(*each, longest);
    for (auto* each : {&next, &end}) grow(*each, slots);
    for (auto* each : {&gain, &F, &H}) grow(*each, slots);
    for (auto* each : {&score, &lambda, &hessian, &change}) grow(*each, stride);
    for (auto* each : {&rank_slot, &rank_gain}) grow(*each, stride);
    grow(sums, 3 * slots);
    grow(lower, std::max(in_tables, std::int64_t{1}) * stride);
    grow(K, in_tables * in_tables);
    grow(upper, upper_ranks * in_tables);
    grow(ones, stride);
    std::fill_n(ones.begin(), longest, 1.0);
  }

  // n ones, followed by zeros for the lanes beyond the last document.
  const double* ones_for(std::int64_t n) const noexcept {
    return ones.data() + (stride - kOverrun - n);
  }

 private:
  template <class T>
  static void grow(std::vector<T>& values, std::int64_t n) {
    values.resize(static_cast<std::size_t>(n));
  }
};

}  // namespace skgraded
