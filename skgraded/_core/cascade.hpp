// Cascades: a user reads from the top and stops at a document with a probability that depends on
// its grade; the value is the expected weight of the rank where the user stops. Expected reciprocal
// rank is one, and with certain stops so are reciprocal rank and success.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// The levels stand in the order in which the user reads them.
template <class Level>
double cascade_in_order(const RankedList<Level>& list, const double* weight, const double* stop,
                        std::int64_t cutoff) noexcept {
  double sum = 0.0, reading = 1.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t i = 0; i < last && reading > 0.0; ++i) {
    const double s = stop[list.level[i]];
    sum += weight[i] * reading * s;
    reading *= 1.0 - s;
  }
  return sum;
}

// How many documents of a tied block stop every user; -1 where some stop a part of the users.
template <class Level>
std::int64_t count_certain_stops(const Level* level, std::int64_t n_tied,
                                 const double* stop) noexcept {
  std::int64_t n_stops = 0;
  for (std::int64_t i = 0; i < n_tied; ++i) {
    const double s = stop[level[i]];
    if (s != 0.0 && s != 1.0) return -1;
    n_stops += s == 1.0 ? 1 : 0;
  }
  return n_stops;
}

// pass[j], j = 0..most: probability that none of j documents drawn from the block is a stop.
inline void pass_certain_stops(std::int64_t n_stops, std::int64_t n_tied, std::int64_t most,
                               double* pass) noexcept {
  pass[0] = 1.0;
  for (std::int64_t j = 0; j < most; ++j) {
    const auto left = static_cast<double>(n_tied - j);
    pass[j + 1] = pass[j] * std::max(0.0, 1.0 - static_cast<double>(n_stops) / left);
  }
}

// pass[j], j = 0..most: probability to pass j documents drawn at random from a tied block, that is
// the mean over all j-subsets of the product of their 1 - stop. Documents that stop nobody, as most
// do, are there from the start; the others join one at a time.
template <class Level>
void pass_probabilities(const Level* level, std::int64_t n_tied, const double* stop,
                        std::int64_t most, double* pass) noexcept {
  std::int64_t n =
      std::count_if(level, level + n_tied, [stop](Level each) { return stop[each] == 0.0; });
  std::fill(pass, pass + std::min(n, most) + 1, 1.0);
  for (std::int64_t i = 0; i < n_tied; ++i) {
    if (stop[level[i]] == 0.0) continue;
    const double own = 1.0 - stop[level[i]];
    ++n;
    if (n <= most) pass[n] = 0.0;
    for (std::int64_t j = std::min(n, most); j > 0; --j) {
      const double with_own = static_cast<double>(j) / static_cast<double>(n);
      pass[j] = (1.0 - with_own) * pass[j] + with_own * own * pass[j - 1];
    }
  }
}

// Every order of a tied block is equally likely: who stops at its j-th rank has passed j - 1 of its
// documents, but not j.
template <class Level>
double cascade_expected(const RankedList<Level>& list, const double* weight, const double* stop,
                        std::int64_t cutoff, double* pass) noexcept {
  double sum = 0.0, reading = 1.0;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last && reading > 0.0; first = end) {
    end = list.block_end(first);
    const std::int64_t read = std::min(end, last) - first, n_tied = end - first;
    if (n_tied == 1) {
      const double s = stop[list.level[first]];
      sum += weight[first] * reading * s;
      reading *= 1.0 - s;
      continue;
    }
    const std::int64_t n_stops = count_certain_stops(list.level + first, n_tied, stop);
    if (n_stops < 0)
      pass_probabilities(list.level + first, n_tied, stop, read, pass);
    else  // without a square of the block's length
      pass_certain_stops(n_stops, n_tied, read, pass);
    for (std::int64_t j = 0; j < read; ++j)
      sum += weight[first + j] * reading * (pass[j] - pass[j + 1]);
    reading *= pass[read];
  }
  return sum;
}

template <class Level>
void cascade(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
             const double* weight, const double* stop, std::int64_t cutoff, bool expected,
             int n_threads, double* value) {
  for_queries_with_scratch(queries, n_threads, [=](std::int64_t q, double* scratch) noexcept {
    const std::int64_t begin = queries.begin(q);
    const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
    value[q] = expected ? cascade_expected(list, weight, stop, cutoff, scratch)
                        : cascade_in_order(list, weight, stop, cutoff);
  });
}

}  // namespace skgraded
