// Gains discounted by 1 / log2(2 + x), where x is the gain that the ranks so far have missed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"
#include "simd.hpp"

namespace skgraded {

// 1 / log2(2 + x) as a sum of exponentials, sum_k weight[k] exp(-rate[k] (2 + x)), rate >= 0. Table
// i has the terms begin[i] .. begin[i + 1] - 1, whose number kLanes divides, and holds for
// 0 <= x <= reach[i]; the reaches rise.
struct LogTables {
  const double* rate;
  const double* weight;
  const std::int64_t* begin;
  const double* reach;
  std::int64_t count;

  // The first table that reaches so far, or the last one.
  std::int64_t table_for(double farthest) const noexcept {
    std::int64_t i = 0;
    while (i + 1 < count && reach[i] < farthest) ++i;
    return i;
  }
  std::int64_t size(std::int64_t i) const noexcept { return begin[i + 1] - begin[i]; }
  std::int64_t largest() const noexcept {
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, size(i));
    return most;
  }
};

inline double discount_of_missed(double missed) noexcept { return 1.0 / std::log2(2.0 + missed); }

// What the ranks so far have missed: sums of gains that differ by many powers of two, whose
// difference may be small. Two doubles hold it: what rounding takes from `high_` goes to `low_`.
class Missed {
  double high_ = 0.0, low_ = 0.0;

 public:
  void add(double term) noexcept {
    const double sum = high_ + term, of_term = sum - high_;
    low_ += (high_ - (sum - of_term)) + (term - of_term);
    high_ = sum;
  }
  double value() const noexcept { return std::max(high_ + low_, 0.0); }
};

// A tied block whose documents stand best first, of which 0, 1, 2, ... are drawn without putting
// back. S is the sum of the gains of j drawn documents and M that of the j best ones. As the last
// drawn one is any of the j, the mean of its gain times f(S) is that of S f(S) / j.
//
// The mean of exp(rate S) over all draws is an elementary symmetric polynomial of the numbers
// exp(rate gain) over their count, which grows by one document at a time, for every j at once. All
// is divided by exp(rate M), so that no number exceeds 1 and all terms are positive.
template <class Level>
class DrawnGains {
 public:
  // `room` holds 2 (n_drawn + 1) + n numbers for every rate.
  DrawnGains(const Level* level, std::int64_t n, const double* gain, const double* rate,
             std::int64_t n_rates, std::int64_t n_drawn, double* room) noexcept
      : level_(level),
        gain_(gain),
        rate_(rate),
        n_rates_(n_rates),
        n_drawn_(n_drawn),
        power_(room),
        found_(power_ + (n_drawn + 1) * n_rates),
        step_(found_ + (n_drawn + 1) * n_rates) {
    std::fill_n(power_, n_rates, 1.0);
    std::fill_n(found_, n_rates, 0.0);
    for (std::int64_t m = 1; m <= n; ++m) add(m);
  }

  // The means of S exp(-rate (M - S)) for j drawn documents, by rate.
  const double* found(std::int64_t j) const noexcept { return found_ + j * n_rates_; }

 private:
  // Adds the document at place m - 1. The j-th best one is at place j - 1.
  void add(std::int64_t m) noexcept {
    const std::int64_t most = std::min(m, n_drawn_);
    if (m <= n_drawn_) {
      std::fill_n(power_ + m * n_rates_, n_rates_, 0.0);
      std::fill_n(found_ + m * n_rates_, n_rates_, 0.0);
    }
    set_steps(m, most);
    const double gain = gain_[level_[m - 1]];
    const auto all = static_cast<double>(m);
    run_in(widest_registers(Registers::kAvx2), [&]() SKGRADED_INLINE_BODY {
      for (std::int64_t j = most; j > 0; --j) {
        const double with = static_cast<double>(j) / all,
                     without = (all - static_cast<double>(j)) / all;
        double *power = power_ + j * n_rates_, *found = found_ + j * n_rates_;
        const double *power_before = power - n_rates_, *found_before = found - n_rates_;
        const double* step = step_ + (j - 1) * n_rates_;
        for (std::int64_t k = 0; k < n_rates_; ++k) {
          const double share = with * step[k];
          found[k] = without * found[k] + share * (found_before[k] + gain * power_before[k]);
          power[k] = without * power[k] + share * power_before[k];
        }
      }
    });
  }

  // step[j - 1]: exp(-rate (gain of the j-th best document - gain of the new one)).
  void set_steps(std::int64_t m, std::int64_t most) noexcept {
    const double own = gain_[level_[m - 1]];
    const double fallen = m > 1 ? gain_[level_[m - 2]] - own : 0.0;
    if (m <= n_drawn_) std::fill_n(step_ + (m - 1) * n_rates_, n_rates_, 1.0);
    if (!(fallen > 0.0)) return;
    const std::int64_t before = std::min(m - 1, most);
    for (std::int64_t k = 0; k < n_rates_; ++k) {
      const double factor = std::exp(-rate_[k] * fallen);
      for (std::int64_t j = 0; j < before; ++j) step_[j * n_rates_ + k] *= factor;
    }
  }

  const Level* level_;
  const double* gain_;
  const double* rate_;
  std::int64_t n_rates_, n_drawn_;
  double *power_, *found_, *step_;
};

// What a list is measured by: the gain by level, and the gain that could have been found, by rank.
struct Missable {
  const double* gain;
  const double* ideal;
};

template <class Level>
class MissedGainReader {
 public:
  MissedGainReader(const RankedList<Level>& list, const Missable& missable, const LogTables& tables,
                   bool expected, double* room) noexcept
      : list_(list), of_(missable), tables_(tables), expected_(expected), room_(room) {}

  double read(std::int64_t cutoff) noexcept {
    const std::int64_t last = std::min(cutoff, list_.size);
    for (std::int64_t first = 0, end; first < last; first = end) {
      end = expected_ ? list_.block_end(first) : first + 1;
      const std::int64_t read = std::min(end, last);
      // Best first: the gains of all documents are equal if those of the first and the last are.
      if (gain_at(first) > gain_at(end - 1))
        read_block(first, end, read);
      else
        for (std::int64_t i = first; i < read; ++i) meet(i);
    }
    return sum_;
  }

 private:
  double gain_at(std::int64_t i) const noexcept { return of_.gain[list_.level[i]]; }

  void pass(std::int64_t i) noexcept {
    missed_.add(of_.ideal[i]);
    missed_.add(-gain_at(i));
  }

  void meet(std::int64_t i) noexcept {
    pass(i);
    if (gain_at(i) > 0.0) sum_ += gain_at(i) * discount_of_missed(missed_.value());
  }

  void read_block(std::int64_t first, std::int64_t end, std::int64_t read) noexcept {
    const std::int64_t table = tables_.table_for(farthest());
    const double *rate = tables_.rate + tables_.begin[table],
                 *weight = tables_.weight + tables_.begin[table];
    const DrawnGains<Level> drawn(list_.level + first, end - first, of_.gain, rate,
                                  tables_.size(table), read - first, room_);
    for (std::int64_t i = first; i < read; ++i) {
      pass(i);  // with the best documents above
      const double missed = 2.0 + missed_.value();
      const double* mean = drawn.found(i - first + 1);
      double sum = 0.0;
      for (std::int64_t k = 0; k < tables_.size(table); ++k)
        sum += weight[k] * std::exp(-rate[k] * missed) * mean[k];
      sum_ += sum / static_cast<double>(i - first + 1);
    }
  }

  double farthest() const noexcept {
    double sum = 0.0;
    for (std::int64_t i = 0; i < list_.size; ++i) sum += of_.ideal[i];
    return sum;
  }

  const RankedList<Level>& list_;
  Missable of_;
  const LogTables& tables_;
  bool expected_;
  double* room_;
  Missed missed_;
  double sum_ = 0.0;
};

// With `expected`, tied documents must stand best first.
template <class Level>
void missed_gain(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                 const double* gain, const double* ideal, const LogTables& tables,
                 std::int64_t cutoff, bool expected, std::int64_t n_threads, double* value) {
  std::int64_t longest = 0;
  for (std::int64_t q = 0; expected && q < queries.count; ++q) {
    const std::int64_t begin = queries.begin(q);
    const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
    for (std::int64_t first = 0, end; first < list.size; first = end) {
      end = list.block_end(first);
      longest = std::max(longest, end - first);
    }
  }
  const std::int64_t drawn = std::min(longest, cutoff);
  for_queries_with_scratch(
      queries, n_threads, 1,
      [=, &tables](std::int64_t q, Scratch& scratch) noexcept {
        const std::int64_t begin = queries.begin(q);
        const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
        const Missable missable{gain, ideal + begin};
        value[q] = MissedGainReader<Level>(list, missable, tables, expected, scratch.array(0))
                       .read(cutoff);
      },
      3 * (drawn + 1) * tables.largest());
}

}  // namespace skgraded
