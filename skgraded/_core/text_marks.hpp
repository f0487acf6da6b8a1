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

// Marks of a part of the text at a time, so that they stay in the cache.
class TextMarks {
 public:
  explicit TextMarks(std::string_view text) : text_(text), blank_(kBlocks + 1), end_(kBlocks + 1) {}

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
    std::size_t block = 0;
    for (; at + kBlockBytes <= covered_; at += kBlockBytes) mark_block(block++, text_.data() + at);
    if (at < covered_) {
      char rest[kBlockBytes];
      std::fill(std::begin(rest), std::end(rest), 'x');
      std::memcpy(rest, text_.data() + at, covered_ - at);
      mark_block(block++, rest);
    }
    std::fill(blank_.begin() + static_cast<std::ptrdiff_t>(block), blank_.end(), 0);
    std::fill(end_.begin() + static_cast<std::ptrdiff_t>(block), end_.end(), 0);
  }

  void mark_block(std::size_t block, const char* bytes) noexcept {
    const BlockMarks marks = marks_of(bytes);
    blank_[block] = marks.blank;
    end_[block] = marks.end;
    has_zero_ |= marks.has_zero;
  }

  std::string_view text_;
  std::size_t first_ = 0, covered_ = 0;
  bool has_zero_ = false;
  std::vector<std::uint64_t> blank_, end_;
};

}  // namespace skgraded
