// Lines of TREC files cut into their blank-separated columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simd.hpp"
#include "text_marks.hpp"
#include "trec_columns.hpp"

namespace skgraded::trec {

inline bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');  // \t \n \v \f \r
}

// Cuts a line at its blanks.
inline void read_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  const char* const end = line.data() + line.size();
  for (const char* at = line.data(); at < end; ++at) {
    const char* const first = at;
    while (at < end && !is_blank(*at)) ++at;
    if (at > first) words.emplace_back(first, static_cast<std::size_t>(at - first));
  }
}

// Consecutive lines of the usual form: short, no comments, with just as many columns as they need.
// They are cut before any of them is read: what is done with one column of many lines in a row does
// not wait for what is done with the others.
class CutLines {
 public:
  // Cuts lines from `begin` on, up to one of another form; returns where they end.
  template <int kColumns>
  std::size_t cut(std::string_view text, std::size_t begin, TextMarks& marks) noexcept {
    text_ = text.data();
    begin_ = begin;
    size_ = 0;
    std::size_t at = begin;
    for (; size_ < kMost && at < text.size(); ++size_) {
      marks.cover(at);
      const std::uint64_t ends = marks.ends(at);
      if (ends == 0 || marks.has_zero() || text[at] == '#') break;
      const int n = lowest_bit(ends);
      const auto first = static_cast<std::uint32_t>(at - begin);
      if (!cut_line<kColumns>(marks.blanks(at), n, first, edge_[size_])) break;
      at += static_cast<std::size_t>(n) + 1;
    }
    return at;
  }

  std::size_t size() const noexcept { return size_; }

  Tokens column(int number) const noexcept {
    return {text_ + begin_, begin_, edge_[0] + 2 * number, kEdges, size_};
  }

 private:
  static constexpr std::size_t kMost = 128, kEdges = 2 * std::size_t{kMostColumns};

  // Whether a line of n bytes has just so many columns; their edges, counted from `first`.
  template <int kColumns>
  static bool cut_line(std::uint64_t blank, int n, std::uint32_t first,
                       std::uint32_t* edge) noexcept {
    const std::uint64_t blanks = blank | ~std::uint64_t{0} << n;
    std::uint64_t edges = blanks ^ (blanks << 1 | 1);
    for (int i = 0; i < 2 * kColumns; i += 2) {
      if (edges == 0) return false;  // as many columns begin as end
      edge[i] = first + static_cast<std::uint32_t>(lowest_bit(edges));
      edges &= edges - 1;
      edge[i + 1] = first + static_cast<std::uint32_t>(lowest_bit(edges));
      edges &= edges - 1;
    }
    return edges == 0;
  }

  const char* text_ = nullptr;
  std::size_t begin_ = 0, size_ = 0;
  std::uint32_t edge_[kMost][kEdges];  // begin and end of each column of each line
};

}  // namespace skgraded::trec
