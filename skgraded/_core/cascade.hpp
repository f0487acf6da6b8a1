// Cascades: a user reads from the top and stops at a document with a probability that depends on
// its grade. The value is the expected weight of the rank where the user stops, times what the
// user has found by then. Expected reciprocal rank is one, and with certain stops so are reciprocal
// rank and success; there the find is 1. The expected blended ratio is one where every document
// adds to the find.
#pragma once

#include <algorithm>
#include <cstdint>

#include "queries.hpp"
#include "scratch.hpp"
#include "simd.hpp"
#include "stop_counts.hpp"

namespace skgraded {

// How documents of a level are read: the probability to stop there, and what it adds to the find.
struct Reading {
  const double* stop;
  const double* worth;  // null: the find is 1 throughout

  double worth_of(std::int64_t level) const noexcept {
    return worth != nullptr ? worth[level] : 0.0;
  }
  double found_at_first() const noexcept { return worth != nullptr ? 0.0 : 1.0; }
};

// Where a user stands who reads from the top. Passed by value, which keeps it in registers.
struct Reader {
  double found;
  double reading = 1.0;  // probability to come this far
  double sum = 0.0;      // of the weights of the ranks where the user stopped, times the finds

  void meet(double weight, double stop, double worth) noexcept {
    found += worth;
    sum += weight * reading * stop * found;
    reading *= 1.0 - stop;
  }
};

// Ranks first .. last - 1, whose levels stand in the order in which the user reads them.
template <class Level>
Reader read_in_order(Reader reader, const RankedList<Level>& list, const double* weight,
                     const Reading& how, std::int64_t first, std::int64_t last) noexcept {
  for (std::int64_t i = first; i < last && reader.reading > 0.0; ++i)
    reader.meet(weight[i], how.stop[list.level[i]], how.worth_of(list.level[i]));
  return reader;
}

template <class Level>
bool reads_alike(const RankedList<Level>& list, const Reading& how, std::int64_t first,
                 std::int64_t end) noexcept {
  const Level level = list.level[first];
  for (std::int64_t i = first + 1; i < end; ++i)
    if (how.stop[list.level[i]] != how.stop[level] ||
        how.worth_of(list.level[i]) != how.worth_of(level))
      return false;
  return true;
}

constexpr int kCascadeArrays = 6;

// A tied block, every order of whose documents is equally likely.
//
// Let every document of the block decide in advance whether it stops its reader. If n of them do,
// they stand anywhere in the block, and the first of them is at the next rank with probability
// n / left. The number n is a sum of binomials, one a grade. So all is a sum over the likely n of
// positive terms; they fall by a factor of about 1 - n / t a rank and are dropped when nothing can
// come of them, which takes a number of steps that grows with the block's length t alone. The
// document that stops is any of the n, and those above it are any of the others.
class BlockReader {
 public:
  template <class Level>
  BlockReader(const RankedList<Level>& list, const Reading& how, std::int64_t first,
              std::int64_t end, Scratch& scratch) noexcept
      : n_tied_(end - first),
        terms_(scratch.array(2)),
        of_others_(scratch.array(5)),
        counts_({scratch.array(0), scratch.array(1), terms_,
                 how.worth != nullptr ? scratch.array(3) : nullptr, scratch.array(4)}) {
    for (std::int64_t i = first, run; i < end; i = run) {
      const Level level = list.level[i];
      for (run = i + 1; run < end && list.level[run] == level;) ++run;
      counts_.add(run - i, how.stop[level], how.worth_of(level));
      worth_ += how.worth_of(level) * static_cast<double>(run - i);
    }
    if (counts_.worth != nullptr) take_means();
  }

  // Ranks 0 .. read - 1 of the block, which have these weights.
  Reader read(Reader reader, const double* weight, std::int64_t read) noexcept {
    const double least = counts_.negligible();
    auto active = static_cast<std::int32_t>(counts_.size);
    const double found = reader.found;
    reader.sum += reader.reading * run_in(widest_registers(), [&]() SKGRADED_INLINE_BODY {
                    double sum = 0.0;
                    for (std::int64_t j = 0; j < read && active > 0; ++j) {
                      // The largest numbers fall fastest.
                      while (active > 0 && counts_.probability[active - 1] < least) --active;
                      stop_at(j, active);
                      if (counts_.worth != nullptr)
                        multiply_by_finds(found, static_cast<double>(j), active);
                      sum += weight[j] * sum_in_lanes(terms_, active);
                    }
                    return sum;
                  });
    reader.reading *= sum_in_lanes(counts_.probability, active);
    reader.found += worth_;
    return reader;
  }

 private:
  // From now on, worth[i] is the mean worth of the documents that stop if first + i of them do.
  void take_means() noexcept {
    for (std::int64_t i = 0; i < counts_.size; ++i) {
      const auto n = static_cast<double>(counts_.first + i);
      const double others = static_cast<double>(n_tied_) - n, p = counts_.probability[i];
      double& mean = counts_.worth[i];
      mean = n > 0.0 && p > 0.0 ? mean / (n * p) : 0.0;
      of_others_[i] = others > 0.0 ? std::max(0.0, worth_ - n * mean) / others : 0.0;
    }
  }

  // terms[i]: the probability that first + i documents stop, and the first of them at rank j.
  SKGRADED_ALWAYS_INLINE void stop_at(std::int64_t j, std::int32_t active) noexcept {
    double* probability = counts_.probability;
    const double left = static_cast<double>(n_tied_ - j);
    const auto first = static_cast<double>(counts_.first);
    for (std::int32_t i = 0; i < active; ++i) {  // 32 bits, which vector registers convert
      const double share = std::min(1.0, (first + static_cast<double>(i)) / left);
      terms_[i] = probability[i] * share;
      probability[i] *= 1.0 - share;
    }
  }

  SKGRADED_ALWAYS_INLINE void multiply_by_finds(double found, double above,
                                                std::int32_t active) noexcept {
    for (std::int32_t i = 0; i < active; ++i)
      terms_[i] *= found + counts_.worth[i] + above * of_others_[i];
  }

  std::int64_t n_tied_;
  double worth_ = 0.0;  // of all documents of the block
  double *terms_, *of_others_;
  StopCounts counts_;
};

template <class Level>
double cascade_in_order(const RankedList<Level>& list, const double* weight, const Reading& how,
                        std::int64_t cutoff) noexcept {
  const Reader reader{how.found_at_first()};
  return read_in_order(reader, list, weight, how, 0, std::min(cutoff, list.size)).sum;
}

template <class Level>
double cascade_expected(const RankedList<Level>& list, const double* weight, const Reading& how,
                        std::int64_t cutoff, Scratch& scratch) noexcept {
  Reader reader{how.found_at_first()};
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last && reader.reading > 0.0; first = end) {
    end = list.block_end(first);
    const std::int64_t read = std::min(end, last);
    if (reads_alike(list, how, first, end))
      reader = read_in_order(reader, list, weight, how, first, read);
    else
      reader =
          BlockReader(list, how, first, end, scratch).read(reader, weight + first, read - first);
  }
  return reader.sum;
}

template <class Level>
void cascade(const RankedLists<Level>& lists, RankWeights weights, const Reading& how,
             std::int64_t cutoff, bool expected, std::int64_t n_threads, double* value) {
  const Queries queries = lists.queries;
  for_lists(lists, n_threads, expected ? kCascadeArrays : 0,
            [=](std::int64_t q, RankedList<Level> list, Scratch& scratch) noexcept {
              const double* weight = weights.of(queries, q);
              value[q] = expected ? cascade_expected(list, weight, how, cutoff, scratch)
                                  : cascade_in_order(list, weight, how, cutoff);
            });
}

}  // namespace skgraded
