// Sort keys of eight queries at once: eight documents of each query go through the arithmetic of
// sort_keys.hpp in one register, and a transposition puts every query into its lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "simd.hpp"
#include "sort_keys.hpp"

namespace skgraded {

// The scores of the query in each lane; a lane without a query has none.
struct LaneScores {
  const double* scores[kLanes];
  std::int64_t size[kLanes];
};

#if SKGRADED_HAS_AVX_VARIANT

// The keys of documents first .. first + 7 of every lane, and the descending bits of their scores,
// of which each lane has room for `room`. Infinity stands where a lane has no document.
[[gnu::target(SKGRADED_AVX512)]] inline void wide_keys(const LaneScores& lanes,
                                                       const SortKeys& keys, std::int64_t first,
                                                       std::int64_t room, std::uint64_t* bits,
                                                       __m512i* key) noexcept {
  const __m512i all_but_sign = _mm512_set1_epi64(std::numeric_limits<std::int64_t>::max());
  const __m512i smallest_normal = _mm512_set1_epi64(std::int64_t{1} << 52);
  const __m512i index_mask = _mm512_set1_epi64(static_cast<std::int64_t>(keys.index_mask));
  const __m512i index = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0) + _mm512_set1_epi64(first);
  const __m512i none = _mm512_castpd_si512(_mm512_set1_pd(std::numeric_limits<double>::infinity()));
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::int64_t n = std::min<std::int64_t>(lanes.size[lane] - first, kLanes);
    if (n <= 0) {  // a masked access to memory that is not there would take hundreds of cycles
      key[lane] = none;
      continue;
    }
    const auto present = static_cast<__mmask8>((1 << n) - 1);
    const __m512d score = _mm512_maskz_loadu_pd(present, lanes.scores[lane] + first);
    const __m512i own = _mm512_castpd_si512(score + _mm512_setzero_pd());
    const __m512i descending = own ^ (~(own >> 63) & all_but_sign);
    _mm512_mask_storeu_epi64(bits + lane * room + first, present, descending);
    const __m512i prefix = _mm512_maskz_srli_epi64(0xff, descending, 2) & ~index_mask;
    key[lane] = _mm512_mask_mov_epi64(none, present, (prefix | index) + smallest_normal);
  }
}

[[gnu::target(SKGRADED_AVX512)]] inline void fill_lanes_in_avx512(const LaneScores& lanes,
                                                                  const SortKeys& keys,
                                                                  std::int64_t n_rows,
                                                                  std::uint64_t* bits,
                                                                  LaneRow* rows) noexcept {
  for (std::int64_t first = 0; first < n_rows; first += kLanes) {
    __m512i key[kLanes];
    wide_keys(lanes, keys, first, n_rows, bits, key);
    transpose_in_avx512(key);
    const std::int64_t n = std::min<std::int64_t>(kLanes, n_rows - first);
    for (std::int64_t i = 0; i < n; ++i)
      _mm512_store_pd(rows[first + i].lane, _mm512_castsi512_pd(key[i]));
  }
}

#endif

inline void fill_lane(const LaneScores& lanes, const SortKeys& keys, std::int64_t n_rows, int lane,
                      std::uint64_t* bits, LaneRow* rows) noexcept {
  const std::int64_t n = lanes.size[lane];
  for (std::int64_t i = 0; i < n; ++i) bits[i] = descending_bits(lanes.scores[lane][i]);
  for (std::int64_t i = 0; i < n; ++i) rows[i].lane[lane] = from_bits(keys.key(bits[i], i));
  for (std::int64_t i = n; i < n_rows; ++i)
    rows[i].lane[lane] = std::numeric_limits<double>::infinity();
}

// The keys of every lane by row, and the descending bits of its scores, n_rows for each lane.
inline void fill_lanes([[maybe_unused]] Registers registers, const LaneScores& lanes,
                       const SortKeys& keys, std::int64_t n_rows, std::uint64_t* bits,
                       LaneRow* rows) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (registers == Registers::kAvx512) return fill_lanes_in_avx512(lanes, keys, n_rows, bits, rows);
#endif
  for (int lane = 0; lane < kLanes; ++lane)
    fill_lane(lanes, keys, n_rows, lane, bits + lane * n_rows, rows);
}

}  // namespace skgraded
