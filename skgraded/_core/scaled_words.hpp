// Scaled words: random words of 64 bits, turned into numbers below bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd.hpp"
#include "wide_product.hpp"

namespace skgraded {

// Words that are scaled side by side.
constexpr std::size_t kScaledWords = 8;

// One number below each of first_bound, first_bound - 1, ..., `count` of them: the upper half of
// the product of bound and word, whose lower half is the word for the next bound. The numbers
// stand kScaledWords apart.
inline void scale_word(std::uint64_t& word, std::uint32_t first_bound, std::uint32_t count,
                       std::uint32_t* scaled) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    const WideProduct product = multiply_wide(word, first_bound - i);
    scaled[i * kScaledWords] = static_cast<std::uint32_t>(product.high);
    word = product.low;
  }
}

#if SKGRADED_HAS_AVX_VARIANT

// Returns the words times a bound, shifted down by 32 bits, and keeps their lower 64 bits.
[[gnu::target("avx2")]] inline __m256i multiply_in_avx2(__m256i& words, __m256i bound) noexcept {
  const __m256i low = _mm256_mul_epu32(words, bound);
  const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(words, 32), bound);
  words = _mm256_add_epi64(low, _mm256_slli_epi64(high, 32));
  return _mm256_add_epi64(high, _mm256_srli_epi64(low, 32));
}

[[gnu::target("avx2")]] inline void scale_words_in_avx2(std::uint64_t* word,
                                                        std::uint32_t first_bound,
                                                        std::uint32_t count,
                                                        std::uint32_t* scaled) noexcept {
  __m256i* const words = reinterpret_cast<__m256i*>(word);
  __m256i one = _mm256_loadu_si256(words), other = _mm256_loadu_si256(words + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const __m256i bound = _mm256_set1_epi64x(first_bound - i);
    const __m256i of_one = multiply_in_avx2(one, bound), of_other = multiply_in_avx2(other, bound);
    // The upper halves of all products: 0 1 4 5 2 3 6 7, then in their order.
    const __m256 upper =
        _mm256_shuffle_ps(_mm256_castsi256_ps(of_one), _mm256_castsi256_ps(of_other), 0xdd);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(scaled + i * kScaledWords),
                        _mm256_permute4x64_epi64(_mm256_castps_si256(upper), 0xd8));
  }
  _mm256_storeu_si256(words, one);
  _mm256_storeu_si256(words + 1, other);
}

#endif

// Scales kScaledWords words, whose numbers stand side by side.
inline void scale_words(std::uint64_t* word, std::uint32_t first_bound, std::uint32_t count,
                        std::uint32_t* scaled, [[maybe_unused]] Registers registers) noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (registers >= Registers::kAvx2) return scale_words_in_avx2(word, first_bound, count, scaled);
#endif
  for (std::size_t i = 0; i < kScaledWords; ++i)
    scale_word(word[i], first_bound, count, scaled + i);
}

}  // namespace skgraded
