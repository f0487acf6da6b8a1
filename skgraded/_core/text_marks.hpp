// Marks in text: where its blanks and line ends are, one bit for each byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "simd.hpp"

namespace skgraded {

// How blocks of bytes are compared. The marks do not depend on it.
enum class ByteBlocks { kPlain, kVectors };

#if SKGRADED_HAS_BYTE_BLOCKS
constexpr ByteBlocks kByteBlocks = ByteBlocks::kVectors;
#else
constexpr ByteBlocks kByteBlocks = ByteBlocks::kPlain;
#endif

inline BlockMarks marks_of(const char* block, [[maybe_unused]] ByteBlocks how) noexcept {
#if SKGRADED_HAS_BYTE_BLOCKS
  if (how == ByteBlocks::kVectors) return marks_in_vectors(block);
#endif
  return marks_by_bytes(block);
}

// Marks of a part of the text at a time, so that they stay in the cache.
class TextMarks {
 public:
  explicit TextMarks(std::string_view text, ByteBlocks how = kByteBlocks)
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
    has_zero_ = false;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const std::size_t begin = at + block * kBlockBytes;
      const BlockMarks marks = begin < text_.size() ? marks_from(begin) : BlockMarks{};
      blank_[block] = marks.blank;
      end_[block] = marks.end;
      has_zero_ |= marks.has_zero;
    }
  }

  BlockMarks marks_from(std::size_t begin) const noexcept {
    if (text_.size() - begin >= kBlockBytes) return marks_of(text_.data() + begin, how_);
    char block[kBlockBytes];
    std::fill(std::begin(block), std::end(block), 'x');
    std::memcpy(block, text_.data() + begin, text_.size() - begin);
    return marks_of(block, how_);
  }

  std::string_view text_;
  ByteBlocks how_;
  std::size_t first_ = 0, covered_ = 0;
  bool has_zero_ = false;
  std::vector<std::uint64_t> blank_, end_;
};

}  // namespace skgraded
