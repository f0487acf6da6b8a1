// Marks in text: where its blanks and line ends are, one bit for each byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

#include "simd.hpp"

namespace skgraded {

// How blocks of bytes are compared. The marks do not depend on it.
enum class ByteBlocks : int { kPlain, kVectors, kAvx2, kAvx512 };

inline ByteBlocks byte_blocks_of_machine() noexcept {
#if SKGRADED_HAS_AVX_VARIANT
  if (__builtin_cpu_supports("avx512bw") != 0) return ByteBlocks::kAvx512;
  if (__builtin_cpu_supports("avx2") != 0) return ByteBlocks::kAvx2;
#endif
  return SKGRADED_HAS_BYTE_BLOCKS != 0 ? ByteBlocks::kVectors : ByteBlocks::kPlain;
}

// Marks of consecutive blocks; returns whether they hold a zero byte.
template <BlockMarks (*kMarksOf)(const char*)>
SKGRADED_ALWAYS_INLINE bool mark_each(const char* text, std::size_t n_blocks, std::uint64_t* blank,
                                      std::uint64_t* end) {
  bool has_zero = false;
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const BlockMarks marks = kMarksOf(text + block * kBlockBytes);
    blank[block] = marks.blank;
    end[block] = marks.end;
    has_zero |= marks.has_zero;
  }
  return has_zero;
}

#if SKGRADED_HAS_AVX_VARIANT

[[gnu::target("avx2")]] inline bool mark_in_avx2(const char* text, std::size_t n_blocks,
                                                 std::uint64_t* blank, std::uint64_t* end) {
  return mark_each<marks_in_avx2>(text, n_blocks, blank, end);
}

[[gnu::target(SKGRADED_AVX512_BYTES)]] inline bool mark_in_avx512(const char* text,
                                                                  std::size_t n_blocks,
                                                                  std::uint64_t* blank,
                                                                  std::uint64_t* end) {
  return mark_each<marks_in_avx512>(text, n_blocks, blank, end);
}

#endif

inline bool mark_blocks(const char* text, std::size_t n_blocks, std::uint64_t* blank,
                        std::uint64_t* end, [[maybe_unused]] ByteBlocks how) {
#if SKGRADED_HAS_AVX_VARIANT
  if (how == ByteBlocks::kAvx512) return mark_in_avx512(text, n_blocks, blank, end);
  if (how == ByteBlocks::kAvx2) return mark_in_avx2(text, n_blocks, blank, end);
#endif
#if SKGRADED_HAS_BYTE_BLOCKS
  if (how != ByteBlocks::kPlain) return mark_each<marks_in_vectors>(text, n_blocks, blank, end);
#endif
  return mark_each<marks_by_bytes>(text, n_blocks, blank, end);
}

// Marks of a part of the text at a time, so that they stay in the cache.
class TextMarks {
 public:
  explicit TextMarks(std::string_view text, ByteBlocks how = byte_blocks_of_machine())
      : text_(text), how_(how), blank_(kBlocks + 1), end_(kBlocks + 1) {}

  // Makes marks of the kBlockBytes bytes from `at` on, as far as the text goes. Texts are marked
  // from their beginning to their end.
  void cover(std::size_t at) noexcept {
    if (at + kBlockBytes > covered_ && covered_ < text_.size()) mark(at);
  }

  // Whether the marked part holds a zero byte.
  bool has_zero() const noexcept { return has_zero_; }

  // The marks of the bytes from `at` on.
  std::uint64_t blanks(std::size_t at) const noexcept { return bits(blank_, at); }
  std::uint64_t ends(std::size_t at) const noexcept { return bits(end_, at); }

 private:
  static constexpr std::size_t kBlocks = 256;

  std::uint64_t bits(const std::vector<std::uint64_t>& marks, std::size_t at) const noexcept {
    const std::size_t block = (at - first_) / kBlockBytes, shift = (at - first_) % kBlockBytes;
    return marks[block] >> shift | marks[block + 1] << 1 << (kBlockBytes - 1 - shift);
  }

  void mark(std::size_t at) noexcept {
    first_ = at;
    covered_ = std::min(at + kBlocks * kBlockBytes, text_.size());
    const std::size_t whole = (covered_ - at) / kBlockBytes, rest = (covered_ - at) % kBlockBytes;
    has_zero_ = mark_blocks(text_.data() + at, whole, blank_.data(), end_.data(), how_);
    std::fill(blank_.begin() + static_cast<std::ptrdiff_t>(whole), blank_.end(), 0);
    std::fill(end_.begin() + static_cast<std::ptrdiff_t>(whole), end_.end(), 0);
    if (rest == 0) return;
    char block[kBlockBytes];
    std::fill(std::begin(block), std::end(block), 'x');
    std::memcpy(block, text_.data() + at + whole * kBlockBytes, rest);
    has_zero_ |= mark_blocks(block, 1, &blank_[whole], &end_[whole], how_);
  }

  std::string_view text_;
  ByteBlocks how_;
  std::size_t first_ = 0, covered_ = 0;
  bool has_zero_ = false;
  std::vector<std::uint64_t> blank_, end_;
};

}  // namespace skgraded
