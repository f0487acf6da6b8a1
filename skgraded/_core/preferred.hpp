// Blended ratios down to the preferred rank: that of the first document that has the highest level
// among the ranks that count.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hypergeometric.hpp"
#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

// Documents of levels above 0: how many, and the sum of what they add to the blended ratio.
struct Blended {
  double count = 0.0, sum = 0.0;

  void add(double n, double each) noexcept {
    count += n;
    sum += n * each;
  }
  double mean() const noexcept { return count > 0.0 ? sum / count : 0.0; }
};

// The value is the ratio at the preferred rank, or with `mean` the mean of the ratios of the
// documents of levels above 0 down to it.
struct PreferredRule {
  const double* blended;  // by level
  bool mean;
};

// Reads a list block by block; tied documents must stand in the order of their levels, best first.
template <class Level>
class PreferredReader {
 public:
  PreferredReader(const RankedList<Level>& list, const double* share, const PreferredRule& rule,
                  bool expected) noexcept
      : list_(list), share_(share), rule_(rule), expected_(expected) {}

  double read(std::int64_t cutoff) noexcept {
    const std::int64_t last = std::min(cutoff, list_.size);
    for (std::int64_t first = 0, end; first < last; first = end) {
      end = expected_ ? list_.block_end(first) : first + 1;
      read_block(first, end, std::min(end, last) - first);
    }
    return value_;
  }

 private:
  // The first `read` ranks of a block count.
  void read_block(std::int64_t first, std::int64_t end, std::int64_t read) noexcept {
    Blended lower;
    for (std::int64_t i = first; i < end; ++i)
      if (list_.level[i] > 0) lower.add(1.0, rule_.blended[list_.level[i]]);
    const Blended block = lower;
    // From the highest level on down: the probability that no higher one is read.
    double none_higher = 1.0, value = 0.0;
    std::int64_t i = first;
    for (std::int64_t run; i < end && list_.level[i] > best_ && none_higher > kNegligible;
         i = run) {
      const Level level = list_.level[i];
      for (run = i + 1; run < end && list_.level[run] == level;) ++run;
      const auto n = static_cast<double>(run - i);
      lower.add(-n, rule_.blended[level]);
      value += none_higher * at_first(level, n, static_cast<double>(end - i), lower, first, read);
      for (std::int64_t left = end - i; left > end - run; --left)
        none_higher *=
            static_cast<double>(std::max<std::int64_t>(left - read, 0)) / static_cast<double>(left);
    }
    value_ = value + (i < end && list_.level[i] > best_ ? 0.0 : none_higher) * value_;
    best_ = std::max(best_, list_.level[first]);
    add_ratios(block, first, end);
    above_.count += block.count;
    above_.sum += block.sum;
  }

  // The value times the probability that a document of the level is read: `n` of `all` documents
  // of this level and below, of which the first `read` are read.
  double at_first(Level level, double n, double all, const Blended& lower, std::int64_t first,
                  std::int64_t read) const noexcept {
    const double others = all - n, own = rule_.blended[level];
    double passed = 1.0, sum = 0.0, shares = 0.0, ranks = 0.0;
    for (std::int64_t place = 0; place < read && passed > kNegligible; ++place) {
      const auto j = static_cast<double>(place);
      const double share = share_[first + place];
      if (rule_.mean) {
        const Draw draw{others, lower.count, j};
        const Ratios ratios = ratios_at(j, lower.mean(), own, share, shares, ranks);
        sum += passed * (n / (all - j)) * draw.mean([&](double i) noexcept {
          return (ratios.fixed + i * (ratios.each + (i - 1.0) * ratios.pair)) /
                 (above_.count + i + 1.0);
        });
      } else {
        const double drawn = others > 0.0 ? j * (lower.sum / others) : 0.0;
        sum += passed * (n / (all - j)) * share * (above_.sum + own + drawn);
      }
      passed *= std::max(0.0, (others - j) / (all - j));
      shares += share;
      ranks += j * share;
    }
    return sum;
  }

  // Of the j documents of the block above the preferred one, i have a level above 0. The expected
  // sum of the ratios is fixed + i each + i (i - 1) pair.
  struct Ratios {
    double fixed, each, pair;
  };

  // The documents of levels above 0 add `mean` on average. `shares` and `ranks` sum the shares of
  // the j ranks, and these times their numbers.
  Ratios ratios_at(double j, double mean, double own, double share, double shares,
                   double ranks) const noexcept {
    Ratios ratios{ratios_ + share * (above_.sum + own), share * mean, 0.0};
    if (j > 0.0) ratios.each += (above_.sum + mean) * shares / j;
    if (j > 1.0) ratios.pair = mean * ranks / (j * (j - 1.0));
    return ratios;
  }

  // Adds the expected ratios of a block that was read in full.
  void add_ratios(const Blended& block, std::int64_t first, std::int64_t end) noexcept {
    const auto all = static_cast<double>(end - first);
    const double next = end - first > 1 ? (block.count - 1.0) / (all - 1.0) : 0.0;
    for (std::int64_t i = first; rule_.mean && block.count > 0.0 && i < end; ++i) {
      const double found =
          above_.sum + block.mean() * (1.0 + static_cast<double>(i - first) * next);
      ratios_ += block.count / all * share_[i] * found;
    }
  }

  const RankedList<Level>& list_;
  const double* share_;
  const PreferredRule& rule_;
  bool expected_;
  Level best_{0};        // the highest level above
  double value_ = 0.0;   // if the preferred rank is above
  double ratios_ = 0.0;  // expected sum over the documents above
  Blended above_;
};

template <class Level>
void preferred_ranks(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                     const double* share, const PreferredRule& rule, std::int64_t cutoff,
                     bool expected, std::int64_t n_threads, double* value) {
  for_query_slices(queries, n_threads, [=](std::int64_t first, std::int64_t last) noexcept {
    for (std::int64_t q = first; q < last; ++q) {
      const std::int64_t begin = queries.begin(q);
      const RankedList<Level> list{level_by_rank + begin, tied + begin, queries.size(q)};
      value[q] = PreferredReader<Level>(list, share + begin, rule, expected).read(cutoff);
    }
  });
}

}  // namespace skgraded
