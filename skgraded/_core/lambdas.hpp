// LambdaMART for measures of the prefix form: first and second derivatives of a cost that sums,
// over the pairs of documents of unequal grade, what swapping the two would change in the measure
// times the logistic loss of their score difference.
//
// With levels x and y at ranks a < b, the change is one number that depends on (a, x, y) plus one
// that depends on (b, x, y). Both are tabled in one walk down the ranks; a pair costs an addition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lambda_task.hpp"
#include "queries.hpp"
#include "sigmoid.hpp"
#include "simd.hpp"
#include "threads.hpp"
#include "tie_orders.hpp"

namespace skgraded {

// The lambdas of one query after the other.
template <class Level>
class QueryLambdas {
  const LambdaTask<Level>& task_;
  LambdaSpace& space_;
  std::int64_t q_ = 0, begin_ = 0, n_ = 0, n_slots_ = 0;
  bool by_distance_ = false;

 public:
  QueryLambdas(const LambdaTask<Level>& task, LambdaSpace& space) noexcept
      : task_(task), space_(space) {}

  void compute(std::int64_t q, double* gradient, double* hessian) noexcept {
    const double factor = sum_query(q, task_.ties);
    write(task_.ties, [=](std::int64_t i, double lambda, double second) noexcept {
      gradient[i] = lambda * factor;
      hessian[i] = second * factor;
    });
  }

  // Adds a share of the derivatives to what is there.
  void add(std::int64_t q, double share, double* gradient, double* hessian) noexcept {
    // Where no scores tie, all tie orders are the same.
    const TieOrder ties = has_ties(q) ? task_.ties : TieOrder::kRows;
    const double factor = sum_query(q, ties) * share;
    write(ties, [=](std::int64_t i, double lambda, double second) noexcept {
      gradient[i] += lambda * factor;
      hessian[i] += second * factor;
    });
  }

 private:
  // Leaves the derivatives in the space, by place; returns by how much to multiply them.
  double sum_query(std::int64_t q, TieOrder ties) noexcept {
    q_ = q;
    begin_ = task_.queries.begin(q);
    n_ = task_.queries.size(q);
    read_levels();
    order_ties(ties, tied(), n_, space_.own_slot.data(), space_.slot.data());
    place_documents();
    const double sum = n_slots_ > 1 ? sum_pairs() : 0.0;
    return task_.norm && sum > 0.0 ? std::log2(1.0 + sum) / sum : 1.0;
  }

  const std::uint8_t* tied() const noexcept { return task_.tied + begin_; }
  const std::int32_t* order() const noexcept { return task_.order + begin_; }

  bool has_ties(std::int64_t q) const noexcept {
    const std::uint8_t* tied = task_.tied + task_.queries.begin(q);
    std::uint8_t any = 0;
    for (std::int64_t i = 0; i < task_.queries.size(q); ++i) any |= tied[i];
    return any != 0;
  }

  void read_levels() noexcept {
    std::int32_t* slot_of = space_.slot_of_level.data();
    std::int32_t* levels = space_.levels.data();
    const Level* level = task_.level + begin_;
    n_slots_ = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      if (slot_of[level[i]] >= 0) continue;
      slot_of[level[i]] = 0;
      levels[n_slots_++] = static_cast<std::int32_t>(level[i]);
    }
    std::sort(levels, levels + n_slots_);
    for (std::int64_t s = 0; s < n_slots_; ++s) slot_of[levels[s]] = static_cast<std::int32_t>(s);
    for (std::int64_t i = 0; i < n_; ++i) space_.own_slot[at(i)] = slot_of[level[order()[i]]];
    for (std::int64_t s = 0; s < n_slots_; ++s) slot_of[levels[s]] = -1;
  }

  void place_documents() noexcept {
    std::int64_t* end = space_.end.data();
    std::int64_t* next = space_.next.data();
    std::fill_n(end, n_slots_, 0);
    for (std::int64_t i = 0; i < n_; ++i) ++end[space_.slot[at(i)]];
    std::int64_t before = 0;
    for (std::int64_t s = 0; s < n_slots_; ++s) {
      next[s] = before;
      before = end[s] += before;
    }
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::int64_t place = space_.place[at(i)] = next[space_.slot[at(i)]]++;
      space_.score[at(place)] = task_.scores[begin_ + order()[i]];
    }
    for (std::int64_t s = 0; s < n_slots_; ++s) next[s] = s == 0 ? 0 : end[s - 1];
    std::fill_n(space_.lambda.data(), n_, 0.0);
    std::fill_n(space_.hessian.data(), n_, 0.0);
  }

  // Where all scores are equal, distances say nothing.
  bool scores_differ() const noexcept {
    return space_.score[at(space_.place[0])] != space_.score[at(space_.place[at(n_ - 1)])];
  }

  double sum_pairs() noexcept {
    by_distance_ = task_.norm && scores_differ();
    for (std::int64_t s = 0; s < n_slots_; ++s)
      space_.gain[at(s)] = task_.prices.gain[space_.levels[at(s)]] * task_.prices.gain_factor[q_];
    if (task_.prices.pairs.base != nullptr)
      table_swaps();
    else
      table_discounts();
    return run_in(task_.registers, [this]() SKGRADED_INLINE_BODY { return add_pairs(); });
  }

  void table_discounts() noexcept {
    const double* d = task_.prices.discount.of(task_.queries, q_);
    for (std::int64_t i = 0; i < n_; ++i)
      space_.lower[at(space_.place[at(i)])] = i < task_.cutoff ? d[i] : 0.0;
  }

  void read_pairs() noexcept {
    for (std::int64_t a = 0; a < n_slots_; ++a)
      for (std::int64_t b = 0; b < n_slots_; ++b)
        space_.K[at(a * n_slots_ + b)] =
            task_.prices.pair_factor[q_] *
            task_.prices.pairs.at(q_, space_.levels[at(a)] * task_.n_levels + space_.levels[at(b)]);
  }

  // One walk down the ranks. On the way, F and H hold the sums over the ranks above.
  void table_swaps() noexcept {
    read_pairs();
    std::fill_n(space_.F.data(), n_slots_, 0.0);
    std::fill_n(space_.H.data(), n_slots_, 0.0);
    const double* d = task_.prices.discount.of(task_.queries, q_);
    const double* p = task_.prices.position.of(task_.queries, q_);
    const std::int64_t upper_ranks = task_.upper_ranks(n_);
    for (std::int64_t i = 0; i < n_; ++i) {
      const bool counts = i < task_.cutoff;
      const double d_i = counts ? d[i] : 0.0, p_i = counts ? p[i] : 0.0;
      table_lower(i, d_i, p_i);
      count_document(space_.slot[at(i)], p_i);
      if (i < upper_ranks) table_upper(i, d_i, p_i);
    }
  }

  // What a swap of this rank, the lower one, with one of level x above changes.
  void table_lower(std::int64_t i, double d, double p) noexcept {
    const std::int64_t y = space_.slot[at(i)];
    const double *v = space_.gain.data(), *F = space_.F.data(), *H = space_.H.data();
    const double* K = space_.K.data() + y * n_slots_;
    double* lower = space_.lower.data() + space_.place[at(i)];
    for (std::int64_t x = 0; x < n_slots_; ++x)
      lower[x * space_.stride] =
          (v[x] - v[y]) * d + (H[y] - H[x]) + p * ((F[x] - F[y]) + (K[x] - K[y]));
  }

  void count_document(std::int64_t s, double p) noexcept {
    const double* K = space_.K.data();
    for (std::int64_t u = 0; u < n_slots_; ++u) {
      space_.F[at(u)] += K[s * n_slots_ + u];
      space_.H[at(u)] += p * K[u * n_slots_ + s];
    }
  }

  // What a swap of this rank, the upper one, with one of level y below changes. F and H hold the
  // rank itself by now.
  void table_upper(std::int64_t i, double d, double p) noexcept {
    const std::int64_t x = space_.slot[at(i)];
    const double *v = space_.gain.data(), *F = space_.F.data(), *H = space_.H.data();
    const double* K = space_.K.data();
    double* upper = space_.upper.data() + i * n_slots_;
    for (std::int64_t y = 0; y < n_slots_; ++y) {
      const double above = (F[y] - K[x * n_slots_ + y]) - (F[x] - K[x * n_slots_ + x]);
      const double self = K[y * n_slots_ + y] - K[x * n_slots_ + x];
      upper[y] = (v[y] - v[x]) * d + p * (above + self) - (H[y] - H[x]);
    }
  }

  // A run of pairs: one upper rank, and all lower ranks of one slot.
  struct Run {
    std::int64_t upper_place;
    std::int64_t first, end;  // lower places
    double upper_score;
    double sign;              // 1 where the upper document is the better one, else -1
    double constant, factor;  // change = constant + factor * lower
    const double* lower;
  };

  Run run_of(std::int64_t i, std::int64_t y) const noexcept {
    const std::int64_t x = space_.slot[at(i)], place = space_.place[at(i)];
    Run run{place,
            space_.next[at(y)],
            space_.end[at(y)],
            space_.score[at(place)],
            x > y ? 1.0 : -1.0,
            0.0,
            1.0,
            space_.lower.data()};
    if (task_.prices.pairs.base != nullptr) {
      run.constant = space_.upper[at(i * n_slots_ + y)];
      run.lower += x * space_.stride;
    } else {
      run.factor = space_.gain[at(x)] - space_.gain[at(y)];
      run.constant = -run.factor * task_.prices.discount.of(task_.queries, q_)[i];
    }
    return run;
  }

  SKGRADED_ALWAYS_INLINE void price_pairs(const Run& run) const noexcept {
    const BinnedExp exp = task_.binned_exp;
    const double steepness = exp.steepness, bins = run.sign * exp.bins_per_unit;
    const double farthest = task_.farthest;
    const double nearest = by_distance_ ? static_cast<double>(0.01F) : 1.0;  // as in LightGBM
    const double farther = by_distance_ ? 1.0 : 0.0;
    const double* score = space_.score.data() + run.first;
    const double* lower = run.lower + run.first;
    const double* real = space_.ones_for(run.end - run.first);
    double* lambda = space_.pair_lambda.data();
    double* hessian = space_.pair_hessian.data();
    for (std::int64_t i = 0; i < in_lanes(run.end - run.first); ++i) {
      const double gap = std::abs(run.upper_score - score[i]);  // below 0 beyond the run alone
      const double e = exp.of(gap, bins);
      const double spread = nearest + farther * (gap < farthest ? gap : farthest);
      const double inverse = 1.0 / (spread * (1.0 + e));
      const double price = std::abs(run.constant + run.factor * lower[i]) * (steepness * real[i]);
      const double first = price * inverse;
      lambda[i] = first;
      hessian[i] = (steepness * first) * (e * inverse * spread);
    }
  }

  static std::int64_t in_lanes(std::int64_t n) noexcept {
    return (n + kLanes - 1) / kLanes * kLanes;
  }

  struct Pair {
    double lambda, hessian;
  };

  // In lanes, so that the bits do not depend on the width of the machine's registers.
  SKGRADED_ALWAYS_INLINE Pair add_to_lower(const Run& run) const noexcept {
    double* lambda = space_.lambda.data() + run.first;
    double* hessian = space_.hessian.data() + run.first;
    LaneRow first{}, second{};
    for (std::int64_t i = 0; i < run.end - run.first; i += kLanes)
      for (std::int64_t j = 0; j < kLanes; ++j) {
        const double l = space_.pair_lambda[at(i + j)], h = space_.pair_hessian[at(i + j)];
        lambda[i + j] += run.sign * l;
        hessian[i + j] += h;
        first.lane[j] += l;
        second.lane[j] += h;
      }
    Pair sum{0.0, 0.0};
    for (int j = 0; j < kLanes; ++j)
      sum = {sum.lambda + first.lane[j], sum.hessian + second.lane[j]};
    return sum;
  }

  // The sum of all |lambda|, of both documents of a pair.
  SKGRADED_ALWAYS_INLINE double add_pairs() const noexcept {
    double total = 0.0;
    const std::int64_t upper_ranks = task_.upper_ranks(n_);
    for (std::int64_t i = 0; i < upper_ranks; ++i) {
      ++space_.next[at(space_.slot[at(i)])];
      for (std::int64_t y = 0; y < n_slots_; ++y) {
        if (y == space_.slot[at(i)] || space_.next[at(y)] == space_.end[at(y)]) continue;
        const Run run = run_of(i, y);
        price_pairs(run);
        const Pair sum = add_to_lower(run);
        space_.lambda[at(run.upper_place)] -= run.sign * sum.lambda;
        space_.hessian[at(run.upper_place)] += sum.hessian;
        total += 2.0 * sum.lambda;
      }
    }
    return total;
  }

  // Calls put(document, lambda, hessian).
  template <class Put>
  void write(TieOrder ties, const Put& put) const noexcept {
    if (ties == TieOrder::kRows)
      write_ranks(put);
    else
      write_blocks(put);
  }

  template <class Put>
  void write_ranks(const Put& put) const noexcept {
    for (std::int64_t i = 0; i < n_; ++i) {
      const std::size_t place = at(space_.place[at(i)]);
      put(begin_ + order()[i], space_.lambda[place], space_.hessian[place]);
    }
  }

  // Documents of one grade in a tied block are interchangeable: each gets their mean.
  template <class Put>
  void write_blocks(const Put& put) const noexcept {
    const RankedList<std::int32_t> list{space_.own_slot.data(), tied(), n_};
    for (std::int64_t first = 0, end; first < n_; first = end) {
      end = list.block_end(first);
      sum_block(first, end);
      const double *count = space_.sums.data(), *lambda = count + n_slots_,
                   *second = lambda + n_slots_;
      for (std::int64_t i = first; i < end; ++i) {
        const std::int32_t s = space_.own_slot[at(i)];
        put(begin_ + order()[i], lambda[s] / count[s], second[s] / count[s]);
      }
    }
  }

  void sum_block(std::int64_t first, std::int64_t end) const noexcept {
    double *count = space_.sums.data(), *lambda = count + n_slots_, *second = lambda + n_slots_;
    for (std::int64_t i = first; i < end; ++i) {
      const std::int32_t s = space_.slot[at(i)];
      count[s] = lambda[s] = second[s] = 0.0;
    }
    for (std::int64_t i = first; i < end; ++i) {
      const std::int32_t s = space_.slot[at(i)];
      const std::size_t place = at(space_.place[at(i)]);
      count[s] += 1.0;
      lambda[s] += space_.lambda[place];
      second[s] += space_.hessian[place];
    }
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }
};

template <class Level>
std::vector<LambdaSpace> make_lambda_spaces(const LambdaTask<Level>& task, int n_slices) {
  std::int64_t longest = 0;
  for (std::int64_t q = 0; q < task.queries.count; ++q)
    longest = std::max(longest, task.queries.size(q));
  std::vector<LambdaSpace> spaces;
  spaces.reserve(static_cast<std::size_t>(n_slices));
  for (int slice = 0; slice < n_slices; ++slice)
    spaces.emplace_back(longest, task.n_levels, task.upper_ranks(longest),
                        task.prices.pairs.base != nullptr);
  return spaces;
}

template <class Level>
void lambdas(const LambdaTask<Level>& task, std::int64_t n_threads, double* gradient,
             double* hessian) {
  const Queries& queries = task.queries;
  const int n_slices = slices_for(queries, n_threads);
  std::vector<LambdaSpace> spaces = make_lambda_spaces(task, n_slices);
  run_slices(n_slices, [&](int slice) noexcept {
    QueryLambdas<Level> query(task, spaces[static_cast<std::size_t>(slice)]);
    const std::int64_t last = slice_begin(queries, slice + 1, n_slices);
    for (std::int64_t q = slice_begin(queries, slice, n_slices); q < last; ++q)
      query.compute(q, gradient, hessian);
  });
}

}  // namespace skgraded
