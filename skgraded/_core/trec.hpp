// TREC files: lines of blank-separated columns, document ids, their look-up and their order.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "queries.hpp"

namespace skgraded::trec {

// ---- Lines

enum class Fault : int {
  none = 0,
  columns = 1,
  value = 2,
  not_finite = 3,
  not_text = 4,
  lone_return = 5,
  two_records = 6
};

constexpr std::int32_t kNoRank = -1;
constexpr int kMostColumns = 6;

// Which column holds what. A column of -1 is not there.
struct Columns {
  int count, document, value, rank, tag;
};

constexpr Columns kQrels{4, 2, 3, -1, -1};
constexpr Columns kRun{6, 2, 4, 3, 5};

struct Lines {
  std::vector<std::int32_t> topic;         // number of each record's topic
  std::vector<std::int64_t> topic_extent;  // begin and end in the text of each topic
  std::vector<std::int64_t> document_end;  // ends of the document ids in `document`
  std::vector<char> document;
  std::vector<double> value;
  std::vector<std::int32_t> rank;
  std::vector<std::int64_t> skipped;  // records before each line that holds none
  std::string tag;                    // of the first record
  std::int64_t n_lines = 0, consumed = 0;
  Fault fault = Fault::none;
  std::int64_t fault_begin = 0, fault_end = 0;
};

inline bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');  // \t \n \v \f \r
}

// Numbers that from_chars does not take: a leading plus sign, and what it calls out of range.
inline bool read_rare_number(std::string_view token, double& number) {
  const std::string copy(token.substr(!token.empty() && token[0] == '+' ? 1 : 0));
  if (copy.empty() || copy.find_first_not_of("0123456789.eE+-") != std::string::npos) return false;
  char* end = nullptr;
  number = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) noexcept {
  for (; at < end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit > 9) break;
    number = 10 * number + digit;
  }
  return at;
}

// Plain decimals of few digits, by one exact division: a mantissa below 2^53 and a power of ten up
// to 10^22 are doubles without error, so that their quotient is the double nearest to the decimal.
inline bool read_short_decimal(std::string_view token, double& number) noexcept {
  constexpr double kPowers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
  constexpr std::ptrdiff_t kLongest = 17;  // sixteen digits and a point; more are rarely below 2^53
  const char* end = token.data() + token.size();
  const bool negative = !token.empty() && token[0] == '-';
  const char* first = token.data() + (negative ? 1 : 0);
  if (end - first > kLongest) return false;
  std::uint64_t mantissa = 0;
  const char* at = read_digits(first, end, mantissa);
  std::ptrdiff_t digits = at - first, decimals = 0;
  if (at < end && *at == '.') {
    const char* point = at++;
    at = read_digits(at, end, mantissa);
    decimals = at - point - 1;
    digits += decimals;
  }
  if (at != end || digits == 0 || mantissa >> 53 != 0) return false;
  number = static_cast<double>(mantissa) / kPowers[decimals];
  if (negative) number = -number;
  return true;
}

inline bool read_number(std::string_view token, double& number) {
  if (read_short_decimal(token, number)) return true;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error == std::errc() && end == token.data() + token.size()) return true;
#endif
  if (read_rare_number(token, number)) return true;
  std::string word(token.substr(!token.empty() && (token[0] == '+' || token[0] == '-') ? 1 : 0));
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  number = std::nan("");
  return word == "nan" || word == "inf" || word == "infinity";
}

inline std::int32_t read_rank(std::string_view token) noexcept {
  std::int32_t rank = kNoRank;
  const char* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, rank);
  return error == std::errc() && end == last && rank >= 0 ? rank : kNoRank;
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

#if defined(__SSE2__)
constexpr std::size_t kBlock = 64;

// One bit for each of 64 bytes: whether it is blank.
inline std::uint64_t blanks_of(const char* text) noexcept {
  const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4);
  std::uint64_t blanks = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * part));
    const __m128i above_tab = _mm_sub_epi8(c, tab);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(above_tab, four), above_tab);
    const int bits = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(c, space), control));
    blanks |= static_cast<std::uint64_t>(static_cast<unsigned>(bits)) << (16 * part);
  }
  return blanks;
}

// The same for a line shorter than a block, of which a whole block can be read.
inline int cut_block(const char* line, std::size_t n, std::string_view* column) noexcept {
  const std::uint64_t blanks = blanks_of(line) | ~std::uint64_t{0} << n;
  const std::uint64_t before = blanks << 1 | 1;
  std::uint64_t starts = ~blanks & before, ends = blanks & ~before;
  int found = 0;
  for (; starts != 0; starts &= starts - 1, ends &= ends - 1, ++found) {
    if (found >= kMostColumns) continue;
    const int first = __builtin_ctzll(starts), end = __builtin_ctzll(ends);
    column[found] = std::string_view(line + first, static_cast<std::size_t>(end - first));
  }
  return found;
}
#endif

// `room` bytes can be read from the line's first one on.
inline int cut_line(const char* line, std::size_t n, [[maybe_unused]] std::size_t room,
                    std::string_view* column) noexcept {
#if defined(__SSE2__)
  if (n < kBlock && room >= kBlock) return cut_block(line, n, column);
#endif
  return cut_by_bytes(line, n, column);
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

class LineReader {
 public:
  LineReader(std::string_view text, const Columns& columns) : text_(text), columns_(columns) {
    // Lines tend to be about as long as the first one.
    const std::size_t n = text.size() / (std::min(text.find('\n'), text.size()) + 1) * 5 / 4 + 1;
    lines_.topic.reserve(n);
    lines_.document_end.reserve(n);
    lines_.value.reserve(n);
    if (columns.rank >= 0) lines_.rank.reserve(n);
    lines_.document.reserve(text.size() / 4);
  }

  // Reads whole lines; the last one may lack its line end only where the text is the file's end.
  Lines read(bool final) {
    std::size_t begin = 0;
    while (begin < text_.size() && lines_.fault == Fault::none) {
      const std::size_t found = text_.find('\n', begin);
      if (found == std::string_view::npos && !final) break;
      const std::size_t end = std::min(found, text_.size());
      read_line(begin, end);
      begin = std::min(end + 1, text_.size());
    }
    lines_.consumed = static_cast<std::int64_t>(begin);
    return std::move(lines_);
  }

 private:
  void read_line(std::size_t begin, std::size_t end) {
    ++lines_.n_lines;
    std::string_view column[kMostColumns];
    const int n = cut_line(text_.data() + begin, end - begin, text_.size() - begin, column);
    const bool is_comment = n > 0 && text_[begin] == '#';
    // Only these take in what stands behind: lines of another file's or another system's making.
    if ((is_comment || n > columns_.count) && holds_more(begin, end, is_comment)) return;
    if (n == 0 || is_comment) return skip_line();
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
    const std::string_view near = text_.substr(begin, kNear);
    return near.find('\0') == std::string_view::npos ? fault : Fault::not_text;
  }

  void skip_line() { lines_.skipped.push_back(static_cast<std::int64_t>(lines_.value.size())); }

  void add_record(const std::string_view* column) {
    double value = 0;
    const std::string_view number = column[columns_.value];
    if (!read_number(number, value)) return fail_at(Fault::value, number);
    if (!std::isfinite(value)) return fail_at(Fault::not_finite, number);
    const std::string_view document = column[columns_.document];
    if (columns_.tag >= 0 && lines_.value.empty()) lines_.tag = column[columns_.tag];
    lines_.topic.push_back(number_of(column[0]));
    lines_.document.insert(lines_.document.end(), document.begin(), document.end());
    lines_.document_end.push_back(static_cast<std::int64_t>(lines_.document.size()));
    lines_.value.push_back(value);
    if (columns_.rank >= 0) lines_.rank.push_back(read_rank(column[columns_.rank]));
  }

  std::int32_t number_of(std::string_view topic) {
    if (topic == last_topic_) return last_number_;
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
    const auto begin = static_cast<std::size_t>(token.data() - text_.data());
    fail(fault, begin, begin + token.size());
  }

  void fail(Fault fault, std::size_t begin, std::size_t end) {
    lines_.fault = fault;
    lines_.fault_begin = static_cast<std::int64_t>(begin);
    lines_.fault_end = static_cast<std::int64_t>(end);
  }

  std::string_view text_;
  Columns columns_;
  Lines lines_;
  std::unordered_map<std::string_view, std::int32_t> number_;
  std::string_view last_topic_;
  std::int32_t last_number_ = -1;
};

// ---- Documents

// Ids one after the other in `bytes`; id i ends where id i + 1 begins.
struct Documents {
  const std::int64_t* end;
  const char* bytes;

  std::string_view operator[](std::int64_t i) const noexcept {
    const std::int64_t begin = i == 0 ? 0 : end[i - 1];
    return {bytes + begin, static_cast<std::size_t>(end[i] - begin)};
  }
};

inline std::uint64_t mix(std::uint64_t h) noexcept {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ULL;
  return h ^ (h >> 32);
}

inline std::uint64_t hash_of(std::string_view id) noexcept {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ id.size();
  const char* at = id.data();
  std::size_t left = id.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    h = mix(h ^ word);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, left);
  return mix(h ^ word);
}

// Open addressing: a slot holds 32 bits of the hash and 1 + the id's number; 0 is a free slot.
inline std::int64_t slots_for(std::int64_t n) noexcept {
  std::int64_t slots = 4;
  while (slots < 2 * n) slots *= 2;
  return slots;
}

// Slot of an id, or the free one where it belongs.
template <class Slot>
Slot* find_slot(Slot* slots, std::int64_t n_slots, const Documents& documents, std::string_view id,
                std::uint64_t hash) noexcept {
  const auto mask = static_cast<std::uint64_t>(n_slots - 1);
  for (std::uint64_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots[at];
    if (slot == 0) return &slot;
    if (slot >> 32 == hash >> 32 &&
        documents[static_cast<std::int64_t>(slot & 0xffffffffU) - 1] == id)
      return &slot;
  }
}

inline std::int64_t number_in(std::uint64_t slot) noexcept {
  return static_cast<std::int64_t>(slot & 0xffffffffU) - 1;
}

// Fills one query's table; calls again(i, first) for every id i that stood there before.
template <class Again>
void fill_table(const Documents& documents, std::int64_t begin, std::int64_t end,
                std::uint64_t* slots, std::int64_t n_slots, const Again& again) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::string_view id = documents[i];
    const std::uint64_t hash = hash_of(id);
    std::uint64_t* slot = find_slot(slots, n_slots, documents, id, hash);
    if (*slot == 0)
      *slot = (hash >> 32 << 32) | static_cast<std::uint64_t>(i + 1);
    else
      again(i, number_in(*slot));
  }
}

struct Table {
  std::vector<std::uint64_t> slots;
  std::vector<std::int64_t> indptr;  // slots of query q: indptr[q]..indptr[q + 1]
};

inline Table index_documents(const Documents& documents, const Queries& queries) {
  Table table;
  table.indptr.push_back(0);
  for (std::int64_t q = 0; q < queries.count; ++q)
    table.indptr.push_back(table.indptr.back() + slots_for(queries.size(q)));
  table.slots.resize(static_cast<std::size_t>(table.indptr.back()));
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::int64_t first = table.indptr[static_cast<std::size_t>(q)];
    const std::int64_t n_slots = table.indptr[static_cast<std::size_t>(q) + 1] - first;
    fill_table(documents, queries.begin(q), queries.begin(q) + queries.size(q),
               table.slots.data() + first, n_slots, [](std::int64_t, std::int64_t) {});
  }
  return table;
}

// Pairs (a document, the first one of the query with the same id).
inline std::vector<std::int64_t> find_duplicates(const Documents& documents,
                                                 const Queries& queries) {
  std::vector<std::int64_t> pairs;
  std::vector<std::uint64_t> slots;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    slots.assign(static_cast<std::size_t>(slots_for(queries.size(q))), 0);
    fill_table(documents, queries.begin(q), queries.begin(q) + queries.size(q), slots.data(),
               static_cast<std::int64_t>(slots.size()), [&](std::int64_t i, std::int64_t first) {
                 pairs.push_back(i);
                 pairs.push_back(first);
               });
  }
  return pairs;
}

// Rows of a list of queries: query q takes the rows from start[q] on, as many as queries says.
struct Rows {
  const std::int64_t* start;
  Queries queries;
};

// Number in the table of every document, or -1.
inline void look_up(const Documents& documents, const Rows& rows, const Documents& known,
                    const std::uint64_t* slots, const std::int64_t* slot_indptr,
                    std::int32_t* found) noexcept {
  for (std::int64_t q = 0; q < rows.queries.count; ++q) {
    const std::int64_t first = slot_indptr[q], n_slots = slot_indptr[q + 1] - first;
    std::int32_t* out = found + rows.queries.begin(q);
    for (std::int64_t i = 0; i < rows.queries.size(q); ++i) {
      const std::string_view id = documents[rows.start[q] + i];
      out[i] = static_cast<std::int32_t>(
          number_in(*find_slot(slots + first, n_slots, known, id, hash_of(id))));
    }
  }
}

// Score descending, then document id descending by its bytes. Scores are compared as `Score`.
template <class Score>
class TrecOrder {
 public:
  TrecOrder(const double* scores, const Documents& documents, std::int64_t start)
      : scores_(scores + start), documents_(documents), start_(start) {}

  Score score(std::int32_t i) const noexcept { return static_cast<Score>(scores_[i]); }

  bool operator()(std::int32_t a, std::int32_t b) const noexcept {
    const Score of_a = score(a), of_b = score(b);
    if (of_a != of_b) return of_a > of_b;
    return documents_[start_ + a] > documents_[start_ + b];
  }

 private:
  const double* scores_;
  const Documents& documents_;
  std::int64_t start_;
};

template <class Score>
void order_documents(const double* scores, const Documents& documents, const Rows& rows,
                     std::int32_t* order, std::uint8_t* tied) {
  for (std::int64_t q = 0; q < rows.queries.count; ++q) {
    const TrecOrder<Score> before(scores, documents, rows.start[q]);
    std::int32_t* first = order + rows.queries.begin(q);
    std::uint8_t* flags = tied + rows.queries.begin(q);
    const auto n = static_cast<std::int32_t>(rows.queries.size(q));
    bool in_order = true;  // as most files are
    for (std::int32_t i = 0; i < n; ++i) {
      first[i] = i;
      flags[i] = i > 0 && before.score(i) == before.score(i - 1) ? 1 : 0;
      in_order = in_order && (i == 0 || before(i - 1, i));
    }
    if (in_order) continue;
    std::sort(first, first + n, before);
    for (std::int32_t i = 1; i < n; ++i)
      flags[i] = before.score(first[i]) == before.score(first[i - 1]) ? 1 : 0;
  }
}

// The ids at some rows, one after the other.
inline void take_documents(const Documents& documents, const std::int64_t* rows, std::int64_t n,
                           std::vector<std::int64_t>& end, std::vector<char>& bytes) {
  end.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::string_view id = documents[rows[i]];
    bytes.insert(bytes.end(), id.begin(), id.end());
    end.push_back(static_cast<std::int64_t>(bytes.size()));
  }
}

}  // namespace skgraded::trec
