// Pair moments of a short scale in registers of eight lanes, one a level: the same sums as in
// moments.hpp, in the same order and so with the same bits, and with few branches on how many
// documents tie.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "block_weights.hpp"
#include "queries.hpp"
#include "simd.hpp"

#if SKGRADED_HAS_AVX_VARIANT

namespace skgraded {

// What a short tied block needs by its size: the shares of 0, 1, ... of its documents; and by rank
// 1 and the share of the other documents above. 0 beyond the block.
struct ShortBlocks {
  static constexpr std::int64_t kLongest = 4;
  LaneRow share[kLongest + 1];
  double factor[kLongest + 1][kLongest][2];
};

constexpr ShortBlocks short_blocks() noexcept {
  ShortBlocks table{};
  for (std::int64_t size = 2; size <= ShortBlocks::kLongest; ++size) {
    for (std::int64_t n = 0; n <= size; ++n)
      table.share[size].lane[n] = static_cast<double>(n) / static_cast<double>(size);
    for (std::int64_t i = 0; i < size; ++i) {
      table.factor[size][i][0] = 1.0;
      table.factor[size][i][1] = static_cast<double>(i) / static_cast<double>(size - 1);
    }
  }
  return table;
}

// The sums of one query.
template <std::int64_t kLevels>
class WideMoments {
  static constexpr ShortBlocks kShort = short_blocks();

  LaneRow row_[kLevels] = {};   // by level of the lower document
  LaneRow unit_[kLevels] = {};  // by level: 1 in its lane

  // A tied block.
  struct Block {
    __m512d documents;  // by level
    __m512d share;      // of each level in the documents
    __m512d p0, p1;     // as BlockWeights
  };

 public:
  static_assert(kLevels <= kLanes);

  WideMoments() noexcept {
    for (std::int64_t s = 0; s < kLevels; ++s) unit_[s].lane[s] = 1.0;
  }

  // Ranks from `last` on have no weight. Where ties are not expected, they are in order.
  template <class Level>
  [[gnu::target(SKGRADED_AVX512)]] void walk(const RankedList<Level>& list, const double* weight,
                                             std::int64_t last, bool expected) noexcept {
    __m512d above = _mm512_setzero_pd();
    for (std::int64_t first = 0; first < last;) {
      if (!(expected && list.is_tied(first + 1))) {
        add_document(above, list.level[first], weight[first]);
        ++first;
        continue;
      }
      const std::int64_t end = block_end(list, first);
      const bool is_short = end - first <= kShort.kLongest && first + kShort.kLongest <= last;
      add_block(above, is_short ? short_block(list.level + first, weight + first, end - first)
                                : long_block(list.level, weight, first, end, last));
      first = end;
    }
  }

  double at(std::int64_t above, std::int64_t below) const noexcept {
    return row_[below].lane[above];
  }

 private:
  [[gnu::target(SKGRADED_AVX512), gnu::always_inline]] void add_document(__m512d& above,
                                                                         std::int64_t level,
                                                                         double p) noexcept {
    double* row = row_[level].lane;
    above = _mm512_add_pd(above, _mm512_load_pd(unit_[level].lane));
    _mm512_store_pd(row,
                    _mm512_add_pd(_mm512_load_pd(row), _mm512_mul_pd(_mm512_set1_pd(p), above)));
  }

  // The first of eight flags that is 0, without a branch: how many documents tie cannot be
  // predicted.
  template <class Level>
  [[gnu::always_inline]] static std::int64_t block_end(const RankedList<Level>& list,
                                                       std::int64_t first) noexcept {
    constexpr std::uint64_t kAllTied = 0x0101010101010101;
    std::uint64_t flags;
    if (first + 1 + static_cast<std::int64_t>(sizeof flags) > list.size)
      return list.block_end(first);
    std::memcpy(&flags, list.tied + first + 1, sizeof flags);
    if (flags == kAllTied) return list.block_end(first);
    return first + 1 + lowest_bit(flags ^ kAllTied) / 8;
  }

  // All ranks of it and of the longest short block have a weight.
  template <class Level>
  [[gnu::target(SKGRADED_AVX512), gnu::always_inline]] Block short_block(
      const Level* level, const double* weight, std::int64_t size) const noexcept {
    __m128d p = _mm_setzero_pd();
    __m512d documents = _mm512_setzero_pd();
    for (std::int64_t i = 0; i < kShort.kLongest; ++i) {
      const auto belongs = static_cast<__mmask8>(i < size ? 0xff : 0);
      documents = _mm512_add_pd(documents, _mm512_maskz_load_pd(belongs, unit_[level[i]].lane));
      p = _mm_add_pd(p, _mm_mul_pd(_mm_loadu_pd(kShort.factor[size][i]), _mm_set1_pd(weight[i])));
    }
    const __m512d shares = _mm512_load_pd(kShort.share[size].lane);
    return {documents, _mm512_maskz_permutexvar_pd(0xff, _mm512_cvtpd_epi64(documents), shares),
            _mm512_set1_pd(p[0]), _mm512_set1_pd(p[1])};
  }

  template <class Level>
  [[gnu::target(SKGRADED_AVX512), gnu::noinline]] Block long_block(
      const Level* level, const double* weight, std::int64_t first, std::int64_t end,
      std::int64_t last) const noexcept {
    const auto size = static_cast<double>(end - first);
    const BlockWeights p = block_weights(weight, first, end, last);
    __m512d documents = _mm512_setzero_pd();
    for (std::int64_t i = first; i < end; ++i)
      documents = _mm512_add_pd(documents, _mm512_load_pd(unit_[level[i]].lane));
    return {documents, _mm512_div_pd(documents, _mm512_set1_pd(size)), _mm512_set1_pd(p.p0),
            _mm512_set1_pd(p.p1)};
  }

  // as add_block in moments.hpp. A level that the block lacks adds 0.
  [[gnu::target(SKGRADED_AVX512), gnu::always_inline]] void add_block(__m512d& above,
                                                                      const Block& block) noexcept {
    const __m512d one = _mm512_set1_pd(1.0);
    const __m512d of_others =
        _mm512_add_pd(_mm512_mul_pd(above, block.p0), _mm512_mul_pd(block.documents, block.p1));
    const __m512d of_own =
        _mm512_add_pd(_mm512_mul_pd(_mm512_add_pd(above, one), block.p0),
                      _mm512_mul_pd(_mm512_sub_pd(block.documents, one), block.p1));
    for (std::int64_t s = 0; s < kLevels; ++s) {
      const __m512d share = _mm512_set1_pd(block.share[s]);
      const __m512d sums = _mm512_mask_mov_pd(of_others, static_cast<__mmask8>(1 << s), of_own);
      double* row = row_[s].lane;
      _mm512_store_pd(row, _mm512_add_pd(_mm512_load_pd(row), _mm512_mul_pd(share, sums)));
    }
    above = _mm512_add_pd(above, block.documents);
  }
};

template <std::int64_t kLevels, class Level>
void wide_moments(const RankedList<Level>& list, const double* weight, std::int64_t cutoff,
                  bool expected, double* moments) noexcept {
  WideMoments<kLevels> sums;
  sums.walk(list, weight, std::min(cutoff, list.size), expected);
  for (std::int64_t a = 0; a < kLevels; ++a)
    for (std::int64_t b = 0; b < kLevels; ++b) moments[a * kLevels + b] = sums.at(a, b);
}

}  // namespace skgraded

#endif
