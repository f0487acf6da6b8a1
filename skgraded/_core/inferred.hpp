// Inferred average precision: the precision at every relevant document as a sample of the pool
// tells it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hypergeometric.hpp"
#include "queries.hpp"
#include "scratch.hpp"

namespace skgraded {

// Codes of documents: outside the pool, in the pool but not sampled, and then the sampled ones,
// that is those that were judged, by level.
constexpr std::int32_t kOutside = 0;
constexpr std::int32_t kUnsampled = 1;

struct KindCounts {
  double all = 0.0, pooled = 0.0, sampled = 0.0, relevant = 0.0;

  void add(std::int32_t code, bool is_relevant) noexcept {
    all += 1.0;
    pooled += code > kOutside ? 1.0 : 0.0;
    sampled += code > kUnsampled ? 1.0 : 0.0;
    relevant += is_relevant ? 1.0 : 0.0;
  }
  void add(const KindCounts& other) noexcept {
    all += other.all;
    pooled += other.pooled;
    sampled += other.sampled;
    relevant += other.relevant;
  }
};

// What a relevant document of a tied block adds with `before` of the block's others above it: of
// these, any number is sampled. The sampled ones are relevant, and the others in the pool, as often
// as in the whole block.
inline double inferred_precision(const KindCounts& above, const KindCounts& block, double before,
                                 double epsilon) noexcept {
  const double sampled = block.sampled - 1.0, others = block.all - block.sampled;
  const double relevant = sampled > 0.0 ? (block.relevant - 1.0) / sampled : 0.0;
  const double pooled = others > 0.0 ? (block.pooled - block.sampled) / others : 0.0;
  const double rank = above.all + before + 1.0;
  const Draw draw{block.all - 1.0, sampled, before};
  const double found = draw.mean([&](double i) noexcept {
    return (above.pooled + i + (before - i) * pooled) *
           ((above.relevant + i * relevant + epsilon) / (above.sampled + i + 2.0 * epsilon));
  });
  return (1.0 + found) / rank;
}

inline double inferred_sum(const RankedList<std::int32_t>& list, const std::uint8_t* relevant,
                           double epsilon, std::int64_t cutoff, bool expected) noexcept {
  double sum = 0.0;
  KindCounts above;
  const std::int64_t last = std::min(cutoff, list.size);
  for (std::int64_t first = 0, end; first < last; first = end) {
    end = expected ? list.block_end(first) : first + 1;
    KindCounts block;
    for (std::int64_t i = first; i < end; ++i)
      block.add(list.level[i], relevant[list.level[i]] != 0);
    const double share = block.relevant / block.all;
    for (std::int64_t i = first; i < std::min(end, last) && share > 0.0; ++i)
      sum += share * inferred_precision(above, block, static_cast<double>(i - first), epsilon);
    above.add(block);
  }
  return sum;
}

inline void inferred_precisions(const RankedLists<std::int32_t>& codes,
                                const std::uint8_t* relevant, double epsilon, std::int64_t cutoff,
                                bool expected, std::int64_t n_threads, double* value) {
  for_lists(codes, n_threads, 0,
            [=](std::int64_t q, RankedList<std::int32_t> list, Scratch&) noexcept {
              value[q] = inferred_sum(list, relevant, epsilon, cutoff, expected);
            });
}

}  // namespace skgraded
