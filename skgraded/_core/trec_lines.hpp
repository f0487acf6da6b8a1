// Lines of TREC files: blank-separated columns, of which records are made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "id_hash.hpp"
#include "simd.hpp"
#include "text_marks.hpp"
#include "trec_columns.hpp"
#include "trec_cut.hpp"
#include "trec_numbers.hpp"

namespace skgraded::trec {

class LineReader {
 public:
  LineReader(std::string_view text, const Columns& columns, const HashKey& key)
      : text_(text), marks_(text), columns_(columns), number_(0, KeyedHash{key}) {
    // Lines tend to be about as long as the first one. None is shorter than its columns of a byte
    // and a blank each.
    const std::size_t shortest = 2 * static_cast<std::size_t>(columns.count);
    const std::size_t first = std::min(text.find('\n'), text.size()) + 1;
    const std::size_t n = text.size() / std::max(shortest, first) * 5 / 4 + 1;
    reserve(n);
    lines_.document.reserve(text.size() / 4);
  }

  // Reads whole lines; the last one may lack its line end only where the text is the file's end. A
  // zero byte or too long a line is a fault even before its end is known.
  Lines read(bool final) {
    std::size_t begin = 0;
    while (begin < text_.size() && lines_.fault == Fault::none) {
      begin = read_usual_lines(skip_empty_lines(begin));
      if (begin == text_.size() || lines_.fault != Fault::none) break;
      const std::size_t found = text_.find('\n', begin);
      const std::size_t end = std::min(found, text_.size());
      if (refuses(begin, end)) break;
      if (found == std::string_view::npos && !final) break;
      read_line(begin, end);
      begin = std::min(end + 1, text_.size());
    }
    lines_.consumed = static_cast<std::int64_t>(begin);
    give_back_memory();
    return std::move(lines_);
  }

 private:
  void reserve(std::size_t n) {
    lines_.document_end.reserve(n);
    lines_.value.reserve(n);
    if (columns_.rank >= 0) lines_.rank.reserve(n);
  }

  // For n more records.
  void make_room(std::size_t n) {
    const std::size_t needed = lines_.value.size() + n;
    if (needed > lines_.value.capacity()) reserve(2 * needed);
  }

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
    lines_.document_end.shrink();
    lines_.document.shrink();
    lines_.value.shrink();
    lines_.rank.shrink();
    if (lines_.skipped.capacity() > 2 * lines_.skipped.size()) lines_.skipped.shrink_to_fit();
  }

  // Reads lines of the usual form; returns where the first other one begins.
  std::size_t read_usual_lines(std::size_t begin) {
    for (std::size_t end = begin; begin < text_.size(); begin = end) {
      end = columns_.count == kRun.count ? cut_.cut<kRun.count>(text_, begin, marks_)
                                         : cut_.cut<kQrels.count>(text_, begin, marks_);
      if (cut_.size() == 0) break;
      add_records();
      if (lines_.fault != Fault::none) break;
    }
    return begin;
  }

  void add_records() {
    if (columns_.tag >= 0 && lines_.value.size() == 0) lines_.tag = cut_.column(columns_.tag)[0];
    make_room(cut_.size());
    const std::size_t before = lines_.value.size(), n = add_values();
    lines_.n_lines += static_cast<std::int64_t>(n);
    if (n < cut_.size()) ++lines_.n_lines;  // the one with the fault
    const Tokens topics = cut_.column(0), documents = cut_.column(columns_.document);
    for (std::size_t i = 0; i < n; ++i) add_topic(topics[i], before + i);
    lines_.document.append(documents, n, text_.size(), lines_.document_end.room());
    lines_.document_end.grow(n);
    if (columns_.rank < 0) return;
    const Tokens ranks = cut_.column(columns_.rank);
    for (std::size_t i = 0; i < n; ++i) add_rank(ranks[i]);
  }

  // Reads the values of the lines that were cut, up to one with a fault; returns their number.
  std::size_t add_values() {
    const Tokens tokens = cut_.column(columns_.value);
    for (std::size_t i = 0; i < tokens.size; ++i)
      if (!add_value(tokens[i])) return i;
    return tokens.size;
  }

  bool add_value(std::string_view number) {
    double value = 0;
    const bool is_number = read_number(number, value);
    if (!is_number || !std::isfinite(value)) {
      fail_at(is_number ? Fault::not_finite : Fault::value, number);
      return false;
    }
    lines_.value.push(value);
    return true;
  }

  void add_rank(std::string_view rank) { lines_.rank.push(read_rank(rank)); }

  void read_line(std::size_t begin, std::size_t end) {
    ++lines_.n_lines;
    read_words(text_.substr(begin, end - begin), words_);
    const auto n = static_cast<int>(words_.size());
    const bool is_comment = n > 0 && text_[begin] == '#' && !is_topic_with_hash();
    // Only these take in what stands behind: lines of another file's or another system's making.
    if ((is_comment || n > columns_.count) && holds_more(begin, end, is_comment)) return;
    if (n == 0 || is_comment) return skip_lines(1);
    const bool too_many = n > columns_.count && columns_.tag < 0;  // a tag is a line's rest
    if (n < columns_.count || too_many) return fail(in_text(Fault::columns, begin), begin, end);
    // A blank inside an id shifts all columns behind it, as one inside a tag does not.
    if (n > columns_.count && read_rank(words_[kRankOfRuns]) == kNoRank)
      return fail(in_text(Fault::shifted, begin), begin, end);
    add_record();
  }

  // Whether a line that begins with '#' is a record of a topic such as "#2pencils": it has just as
  // many columns as a record, and numbers where they belong.
  bool is_topic_with_hash() const {
    if (words_.size() != static_cast<std::size_t>(columns_.count)) return false;
    if (words_[0].size() == 1) return false;
    double value = 0;
    if (!read_number(words_[static_cast<std::size_t>(columns_.value)], value)) return false;
    return columns_.tag < 0 || read_rank(words_[kRankOfRuns]) != kNoRank;
  }

  // Whether a line goes on after a carriage return, or holds a second record because a line end
  // was lost, as when files are concatenated of which one lacks its last line end.
  bool holds_more(std::size_t begin, std::size_t end, bool is_comment) {
    const std::size_t last = place_of(words_.back());
    if (text_.substr(begin, last - begin).find('\r') != std::string_view::npos) {
      fail(in_text(Fault::lone_return, begin), begin, end);
      return true;
    }
    if (is_comment || columns_.tag < 0) return false;
    // What follows the tag and the topic: Q0, document, rank, score and tag.
    for (std::size_t at = kMostColumns; at + 4 < words_.size(); ++at) {
      double score = 0;
      if (words_[at] != words_[1] || read_rank(words_[at + 2]) == kNoRank) continue;
      if (!read_number(words_[at + 3], score)) continue;
      fail(Fault::two_records, place_of(words_[at - 1]), end);
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

  void add_record() {
    const std::string_view* column = words_.data();
    if (columns_.tag >= 0 && lines_.value.size() == 0) lines_.tag = column[columns_.tag];
    make_room(1);
    if (!add_value(column[columns_.value])) return;
    add_topic(column[0], lines_.value.size() - 1);
    lines_.document.append(column[columns_.document]);
    lines_.document_end.push(static_cast<std::int64_t>(lines_.document.size()));
    if (columns_.rank >= 0) add_rank(column[columns_.rank]);
  }

  std::size_t place_of(std::string_view token) const noexcept {
    return static_cast<std::size_t>(token.data() - text_.data());
  }

  void add_topic(std::string_view topic, std::size_t record) {
    if (!same_text(topic, last_topic_)) start_span(topic, record);
  }

  SKGRADED_NEVER_INLINE void start_span(std::string_view topic, std::size_t record) {
    const auto [place, is_new] = number_.emplace(topic, static_cast<std::int32_t>(number_.size()));
    if (is_new) {
      const auto begin = static_cast<std::int64_t>(place_of(topic));
      lines_.topic_extent.push_back(begin);
      lines_.topic_extent.push_back(begin + static_cast<std::int64_t>(topic.size()));
    }
    last_topic_ = topic;
    lines_.span_topic.push_back(place->second);
    lines_.span_begin.push_back(static_cast<std::int64_t>(record));
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
  CutLines cut_;
  std::vector<std::string_view> words_;  // of a line of another form
  std::string_view last_topic_;
};

}  // namespace skgraded::trec
