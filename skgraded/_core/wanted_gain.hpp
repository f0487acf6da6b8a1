// Mean gain down to the rank where a user has found the gain that is wanted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hypergeometric.hpp"
#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// Sets of gains that are added up one by one; where a tied block has more, the value is NaN.
constexpr std::int64_t kMostSums = std::int64_t{1} << 22;

constexpr int kWantedArrays = 9;

// A tied block whose documents stand best first, of which 0, 1, 2, ... are drawn without putting
// back until the sum of their gains reaches a limit.
//
// Every set of drawn gains below the limit is met once, as how many documents of each gain it
// holds, by adding documents in the order of their gains. No shorter way is known: to count the
// sets is the counting problem of the knapsack.
class SumsBelow {
 public:
  SumsBelow(double limit, Scratch& scratch) noexcept
      : limit_(limit),
        gain_(scratch.array(0)),
        size_(scratch.array(1)),
        weight_(scratch.array(2)),
        sum_(scratch.array(3)),
        probability_(scratch.array(4)),
        mean_(scratch.array(5)),
        run_(scratch.array(6)),
        taken_(scratch.array(7)),
        scale_(scratch.array(8)) {}

  template <class Level>
  void add_block(const RankedList<Level>& list, const double* gain, std::int64_t first,
                 std::int64_t end) noexcept {
    all_ = static_cast<double>(end - first);
    for (std::int64_t i = end - 1; i >= first; --i) {
      const double own = gain[list.level[i]];
      if (!(own > 0.0)) continue;
      if (n_runs_ == 0 || own > gain_[n_runs_ - 1]) {
        gain_[n_runs_] = own;
        size_[n_runs_++] = 0.0;
      }
      size_[n_runs_ - 1] += 1.0;
      with_gain_ += 1.0;
    }
  }

  // Whether there were few enough sets to add them up.
  bool add_up() noexcept {
    most_ = 0;
    probability_[0] = 1.0;
    mean_[0] = 0.0;
    sum_[0] = 0.0;
    weight_[0] = 1.0;
    scale_[0] = 0.0;
    // A set of `depth` documents: run_[i] and taken_[i] say what the i-th one is, and how many of
    // these there are so far. `next` is the run that is tried next.
    for (std::int64_t depth = 0, next = 0, n_sums = 0;;) {
      if (next == n_runs_ || !(sum_[depth] + gain_[next] < limit_)) {  // nor do larger gains fit
        if (depth == 0) return true;
        next = run_at(depth--) + 1;
        continue;
      }
      const double taken = depth > 0 && next == run_at(depth) ? taken_[depth] : 0.0;
      if (taken >= size_[next]) {
        ++next;
        continue;
      }
      if (++n_sums > kMostSums) return false;
      set_weight(depth, (size_[next] - taken) / (taken + 1.0));
      ++depth;
      run_[depth] = static_cast<double>(next);
      taken_[depth] = taken + 1.0;
      sum_[depth] = sum_[depth - 1] + gain_[next];
      for (; most_ < depth; ++most_) probability_[most_ + 1] = mean_[most_ + 1] = 0.0;
      if (scale_[depth] > 0.0) continue;
      probability_[depth] += weight_[depth];
      mean_[depth] += weight_[depth] * sum_[depth];
    }
  }

  // The probability that the sum of j drawn documents is below the limit, and the mean of the sum
  // where it is, times this probability.
  double probability(std::int64_t j) const noexcept { return of(probability_, j); }
  double mean(std::int64_t j) const noexcept { return of(mean_, j); }

 private:
  std::int64_t run_at(std::int64_t depth) const noexcept {
    return static_cast<std::int64_t>(run_[depth]);
  }

  // The probability of a set with one document more. It may be too small for a double, and that of
  // a larger set is not: so it stands beside a power of kScale that it is multiplied by.
  void set_weight(std::int64_t depth, double choices) noexcept {
    constexpr double kScale = 0x1p500;
    const auto drawn = static_cast<double>(depth);
    double weight = weight_[depth] * choices * ((drawn + 1.0) / (with_gain_ - drawn));
    double scale = scale_[depth];
    if (weight < 1.0 / kScale) {
      weight *= kScale;
      scale += 1.0;
    } else if (weight > 1.0 && scale > 0.0) {
      weight /= kScale;
      scale -= 1.0;
    }
    weight_[depth + 1] = weight;
    scale_[depth + 1] = scale;
  }

  double of(const double* values, std::int64_t j) const noexcept {
    const Draw draw{all_, with_gain_, static_cast<double>(j)};
    const auto most = static_cast<double>(most_);
    return draw.mean(
        [=](double i) noexcept { return i > most ? 0.0 : values[static_cast<std::int64_t>(i)]; });
  }

  double limit_, all_ = 0.0, with_gain_ = 0.0;
  double *gain_, *size_, *weight_, *sum_, *probability_, *mean_, *run_, *taken_, *scale_;
  std::int64_t n_runs_ = 0, most_ = 0;
};

template <class Level>
double wanted_gain_of(const RankedList<Level>& list, const double* gain, double wanted, double last,
                      Scratch& scratch) noexcept {
  double found = 0.0;
  for (std::int64_t first = 0, end; first < list.size && static_cast<double>(first) < last;
       first = end) {
    end = list.block_end(first);
    double in_block = 0.0;
    for (std::int64_t i = first; i < end; ++i) in_block += gain[list.level[i]];
    const bool whole = static_cast<double>(end) <= last;
    if (whole && found + in_block < wanted) {
      found += in_block;
      continue;
    }
    const std::int64_t read = whole ? end - first : static_cast<std::int64_t>(last) - first;
    SumsBelow sums(wanted - found, scratch);
    sums.add_block(list, gain, first, end);
    if (!sums.add_up()) return std::numeric_limits<double>::quiet_NaN();
    double value = 0.0, going = 1.0, with = 0.0;  // at rank j - 1: not satisfied, and the gain then
    for (std::int64_t j = 1; j <= read && going > kNegligible; ++j) {
      const double left = static_cast<double>(end - first - (j - 1));
      const double arriving = found * going + with + (in_block * going - with) / left;
      const bool stops = j == read;
      going = stops ? 0.0 : sums.probability(j);
      with = stops ? 0.0 : sums.mean(j);
      value += (arriving - found * going - with) / static_cast<double>(first + j);
    }
    return value;
  }
  return last > 0.0 ? found / last : 0.0;
}

// last[q] is the last rank that a user views. Tied documents must stand best first.
template <class Level>
void wanted_gain(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                 const double* gain, double wanted, const double* last, std::int64_t n_threads,
                 double* value) {
  for_queries_with_scratch(
      queries, n_threads, kWantedArrays, [=](std::int64_t q, Scratch& scratch) noexcept {
        const std::int64_t begin = queries.begin(q);
        const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
        value[q] = wanted_gain_of(list, gain, wanted, last[q], scratch);
      });
}

}  // namespace skgraded
