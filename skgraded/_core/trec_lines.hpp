// Lines of TREC files: blank-separated columns, of which records are made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simd.hpp"
#include "text_marks.hpp"
#include "trec_hash.hpp"
#include "trec_numbers.hpp"

namespace skgraded::trec {

enum class Fault : int {
  none = 0,
  columns = 1,
  value = 2,
  not_finite = 3,
  not_text = 4,
  lone_return = 5,
  two_records = 6,
  too_long = 7
};

constexpr int kMostColumns = 6;

// Bytes of the longest line, without its end. A file without line ends would otherwise be held in
// memory whole, looking for one.
constexpr std::size_t kLongestLine = 1000000;

// Which column holds what. A column of -1 is not there.
struct Columns {
  int count, document, value, rank, tag;
};

constexpr Columns kQrels{4, 2, 3, -1, -1};
constexpr Columns kRun{6, 2, 4, 3, 5};

// Text that grows at its end, at the cost of little more than a copy of sixteen bytes.
class Text {
 public:
  void reserve(std::size_t n) {
    if (n + kStep > room_) move_to(n + kStep);
  }

  // As many bytes as `readable` can be read from the first one on.
  void append(std::string_view text, std::size_t readable) {
    if (size_ + text.size() + kStep > room_) move_to(2 * room_ + text.size() + kStep);
    if (text.size() <= kStep && readable >= kStep)
      std::memcpy(bytes_.get() + size_, text.data(), kStep);
    else
      std::memcpy(bytes_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }

  // Gives back memory of which less than half is in use.
  void shrink() {
    if (room_ > 2 * (size_ + kStep)) move_to(size_ + kStep);
  }

  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return room_; }
  std::unique_ptr<char[]> release() noexcept { return std::move(bytes_); }

 private:
  static constexpr std::size_t kStep = 16;

  void move_to(std::size_t room) {
    std::unique_ptr<char[]> bytes(new char[room]);  // not filled
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    room_ = room;
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, room_ = 0;
};

struct Lines {
  std::vector<std::int32_t> topic;         // number of each record's topic
  std::vector<std::int64_t> topic_extent;  // begin and end in the text of each topic
  std::vector<std::int64_t> document_end;  // ends of the document ids in `document`
  Text document;
  std::vector<double> value;
  std::vector<std::int32_t> rank;
  std::vector<std::int64_t> skipped;  // records before lines that hold none, and how many lines
  std::string tag;                    // of the first record
  std::int64_t n_lines = 0, consumed = 0;
  Fault fault = Fault::none;
  std::int64_t fault_begin = 0, fault_end = 0;
};

inline bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');  // \t \n \v \f \r
}

// Cuts a line at its blanks; returns the number of columns, of which the first kMostColumns are
// kept.
inline int cut_by_bytes(const char* line, std::size_t n, std::string_view* column) noexcept {
  int found = 0;
  for (std::size_t at = 0;;) {
    while (at < n && is_blank(line[at])) ++at;
    if (at == n) return found;
    const std::size_t first = at;
    while (at < n && !is_blank(line[at])) ++at;
    if (found < kMostColumns) column[found] = std::string_view(line + first, at - first);
    ++found;
  }
}

// The same for a line shorter than a block, whose blanks are marked.
inline int cut_by_marks(const char* line, std::size_t n, std::uint64_t blank,
                        std::string_view* column) noexcept {
  const std::uint64_t blanks = blank | ~std::uint64_t{0} << n;
  const std::uint64_t before = blanks << 1 | 1;
  std::uint64_t starts = ~blanks & before, ends = blanks & ~before;
  int found = 0;
  for (; starts != 0; starts &= starts - 1, ends &= ends - 1, ++found) {
    if (found >= kMostColumns) continue;
    const int first = lowest_bit(starts), end = lowest_bit(ends);
    column[found] = std::string_view(line + first, static_cast<std::size_t>(end - first));
  }
  return found;
}

// The same where it has just so many columns; false where it has not.
template <int kColumns>
bool cut_exactly(const char* line, std::size_t n, std::uint64_t blank,
                 std::string_view* column) noexcept {
  const std::uint64_t blanks = blank | ~std::uint64_t{0} << n;
  const std::uint64_t before = blanks << 1 | 1;
  std::uint64_t starts = ~blanks & before, ends = blanks & ~before;
  std::uint64_t last = starts;
  for (int i = 1; i < kColumns; ++i) last &= last - 1;
  if (last == 0 || (last & (last - 1)) != 0) return false;
  for (int i = 0; i < kColumns; ++i, starts &= starts - 1, ends &= ends - 1) {
    const int first = lowest_bit(starts);
    column[i] = std::string_view(line + first, static_cast<std::size_t>(lowest_bit(ends) - first));
  }
  return true;
}

inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t first = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > first) words.push_back(line.substr(first, at - first));
    ++at;
  }
  return words;
}

// Gives back memory of which less than half is in use.
template <class T>
void shrink(std::vector<T>& column) {
  if (column.capacity() > 2 * column.size()) column.shrink_to_fit();
}

class LineReader {
 public:
  LineReader(std::string_view text, const Columns& columns, const HashKey& key)
      : text_(text), marks_(text), columns_(columns), number_(0, KeyedHash{key}) {
    // Lines tend to be about as long as the first one. None is shorter than its columns of a byte
    // and a blank each.
    const std::size_t shortest = 2 * static_cast<std::size_t>(columns.count);
    const std::size_t first = std::min(text.find('\n'), text.size()) + 1;
    const std::size_t n = text.size() / std::max(shortest, first) * 5 / 4 + 1;
    lines_.topic.reserve(n);
    lines_.document_end.reserve(n);
    lines_.value.reserve(n);
    if (columns.rank >= 0) lines_.rank.reserve(n);
    lines_.document.reserve(text.size() / 4);
  }

  // Reads whole lines; the last one may lack its line end only where the text is the file's end. A
  // zero byte or too long a line is a fault even before its end is known.
  Lines read(bool final) {
    std::size_t begin = 0;
    while (begin < text_.size() && lines_.fault == Fault::none) {
      begin = skip_empty_lines(begin);
      if (begin == text_.size()) break;
      marks_.cover(begin);
      if (const std::uint64_t ends = marks_.ends(begin); ends != 0 && !marks_.has_zero()) {
        const auto n = static_cast<std::size_t>(lowest_bit(ends));
        read_short_line(begin, n, marks_.blanks(begin));
        begin += n + 1;
        continue;
      }
      const std::size_t found = text_.find('\n', begin);
      const std::size_t end = std::min(found, text_.size());
      if (refuses(begin, end)) break;
      if (found == std::string_view::npos && !final) break;
      std::string_view column[kMostColumns];
      read_line(begin, end, column, cut_by_bytes(text_.data() + begin, end - begin, column));
      begin = std::min(end + 1, text_.size());
    }
    lines_.consumed = static_cast<std::int64_t>(begin);
    give_back_memory();
    return std::move(lines_);
  }

 private:
  bool refuses(std::size_t begin, std::size_t end) {
    if (text_.substr(begin, end - begin).find('\0') != std::string_view::npos)
      fail(Fault::not_text, begin, end);
    else if (end - begin > kLongestLine)
      fail(Fault::too_long, begin, end);
    else
      return false;
    ++lines_.n_lines;
    return true;
  }

  void give_back_memory() {
    shrink(lines_.topic);
    shrink(lines_.document_end);
    lines_.document.shrink();
    shrink(lines_.value);
    shrink(lines_.rank);
    shrink(lines_.skipped);
  }

  void read_short_line(std::size_t begin, std::size_t n, std::uint64_t blanks) {
    const char* line = text_.data() + begin;
    std::string_view column[kMostColumns];
    const bool is_usual = columns_.count == kRun.count
                              ? cut_exactly<kRun.count>(line, n, blanks, column)
                              : cut_exactly<kQrels.count>(line, n, blanks, column);
    if (!is_usual || *line == '#')
      return read_line(begin, begin + n, column, cut_by_marks(line, n, blanks, column));
    ++lines_.n_lines;
    add_record(column);
  }

  void read_line(std::size_t begin, std::size_t end, const std::string_view* column, int n) {
    ++lines_.n_lines;
    const bool is_comment = n > 0 && text_[begin] == '#';
    // Only these take in what stands behind: lines of another file's or another system's making.
    if ((is_comment || n > columns_.count) && holds_more(begin, end, is_comment)) return;
    if (n == 0 || is_comment) return skip_lines(1);
    const bool too_many = n > columns_.count && columns_.tag < 0;  // a tag is a line's rest
    if (n < columns_.count || too_many) return fail(in_text(Fault::columns, begin), begin, end);
    add_record(column);
  }

  // Whether a line goes on after a carriage return, or holds a second record because a line end
  // was lost, as when files are concatenated of which one lacks its last line end.
  bool holds_more(std::size_t begin, std::size_t end, bool is_comment) {
    const std::vector<std::string_view> words = words_of(text_.substr(begin, end - begin));
    const auto last = static_cast<std::size_t>(words.back().data() - text_.data());
    if (text_.substr(begin, last - begin).find('\r') != std::string_view::npos) {
      fail(in_text(Fault::lone_return, begin), begin, end);
      return true;
    }
    if (is_comment || columns_.tag < 0) return false;
    // What follows the tag and the topic: Q0, document, rank, score and tag.
    for (std::size_t at = kMostColumns; at + 4 < words.size(); ++at) {
      double score = 0;
      if (words[at] != words[1] || read_rank(words[at + 2]) == kNoRank) continue;
      if (!read_number(words[at + 3], score)) continue;
      fail(Fault::two_records, static_cast<std::size_t>(words[at - 1].data() - text_.data()), end);
      return true;
    }
    return false;
  }

  // Where a zero byte is near, this was never meant to be read as lines.
  Fault in_text(Fault fault, std::size_t begin) const {
    constexpr std::size_t kNear = 4096;
    const bool is_near = text_.find('\0') <= begin + kNear;
    return is_near ? Fault::not_text : fault;
  }

  // A compressed file of some kilobytes can hold a billion of them.
  std::size_t skip_empty_lines(std::size_t begin) {
    const std::size_t end = std::min(text_.find_first_not_of('\n', begin), text_.size());
    if (end > begin) {
      lines_.n_lines += static_cast<std::int64_t>(end - begin);
      skip_lines(static_cast<std::int64_t>(end - begin));
    }
    return end;
  }

  void skip_lines(std::int64_t n) {
    const auto before = static_cast<std::int64_t>(lines_.value.size());
    std::vector<std::int64_t>& skipped = lines_.skipped;
    if (!skipped.empty() && skipped[skipped.size() - 2] == before) {
      skipped.back() += n;
    } else {
      skipped.push_back(before);
      skipped.push_back(n);
    }
  }

  SKGRADED_ALWAYS_INLINE void add_record(const std::string_view* column) {
    double value = 0;
    const std::string_view number = column[columns_.value];
    if (!read_number(number, value, place_of(number))) return fail_at(Fault::value, number);
    if (!std::isfinite(value)) return fail_at(Fault::not_finite, number);
    const std::string_view document = column[columns_.document];
    if (columns_.tag >= 0 && lines_.value.empty()) lines_.tag = column[columns_.tag];
    lines_.topic.push_back(number_of(column[0]));
    lines_.document.append(document, text_.size() - place_of(document));
    lines_.document_end.push_back(static_cast<std::int64_t>(lines_.document.size()));
    lines_.value.push_back(value);
    if (columns_.rank < 0) return;
    const std::string_view rank = column[columns_.rank];
    lines_.rank.push_back(read_rank(rank, place_of(rank)));
  }

  std::size_t place_of(std::string_view token) const noexcept {
    return static_cast<std::size_t>(token.data() - text_.data());
  }

  std::int32_t number_of(std::string_view topic) {
    if (same_text(topic, last_topic_)) return last_number_;
    const auto [place, is_new] = number_.emplace(topic, static_cast<std::int32_t>(number_.size()));
    if (is_new) {
      const auto begin = topic.data() - text_.data();
      lines_.topic_extent.push_back(begin);
      lines_.topic_extent.push_back(begin + static_cast<std::int64_t>(topic.size()));
    }
    last_topic_ = topic;
    last_number_ = place->second;
    return last_number_;
  }

  void fail_at(Fault fault, std::string_view token) {
    fail(fault, place_of(token), place_of(token) + token.size());
  }

  void fail(Fault fault, std::size_t begin, std::size_t end) {
    lines_.fault = fault;
    lines_.fault_begin = static_cast<std::int64_t>(begin);
    lines_.fault_end = static_cast<std::int64_t>(end);
  }

  std::string_view text_;
  TextMarks marks_;
  Columns columns_;
  Lines lines_;
  std::unordered_map<std::string_view, std::int32_t, KeyedHash> number_;
  std::string_view last_topic_;
  std::int32_t last_number_ = -1;
};

}  // namespace skgraded::trec
