// Query ids: their numbers in order of first appearance, and rows grouped by query.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "id_hash.hpp"
#include "simd.hpp"

namespace skgraded {

inline void prefetch(const void* place) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(place);
#else
  static_cast<void>(place);
#endif
}

// Ids that are words, of 32 or 64 bits.
template <class Word>
class WordIds {
 public:
  static constexpr bool kAreLong = false;

  explicit WordIds(const Word* ids) : ids_(ids) {}

  std::uint64_t hash(std::int64_t row, const HashKey& key) const noexcept {
    return hash_of(static_cast<std::uint64_t>(ids_[row]), key);
  }
  bool same_as_before(std::int64_t row) const noexcept { return ids_[row] == ids_[row - 1]; }
  // Ids of different queries, kept side by side: rows are far from each other.
  void keep(std::int64_t row) { kept_.push_back(ids_[row]); }
  bool is_kept_at(std::int64_t row, std::size_t k) const noexcept { return kept_[k] == ids_[row]; }

 private:
  const Word* ids_;
  std::vector<Word> kept_;
};

// Ids that are `width` bytes each, such as NumPy's text of fixed length.
class ByteIds {
 public:
  static constexpr bool kAreLong = true;  // those kept do not fit into a near cache

  ByteIds(const unsigned char* ids, std::size_t width)
      : ids_(reinterpret_cast<const char*>(ids)), width_(width) {}

  std::uint64_t hash(std::int64_t row, const HashKey& key) const noexcept {
    return hash_of(at(row), key);
  }
  bool same_as_before(std::int64_t row) const noexcept { return same_text(at(row - 1), at(row)); }
  void keep(std::int64_t row) { kept_ += at(row); }
  bool is_kept_at(std::int64_t row, std::size_t k) const noexcept {
    return same_text({kept_.data() + k * width_, width_}, at(row));
  }
  void prefetch_kept(std::size_t k) const noexcept { prefetch(kept_.data() + k * width_); }

 private:
  std::string_view at(std::int64_t row) const noexcept {
    return {ids_ + static_cast<std::size_t>(row) * width_, width_};
  }

  const char* ids_;
  std::size_t width_;
  std::string kept_;
};

// Ids that are text, one behind the other: row i has the bytes from offset i up to offset i + 1.
class TextIds {
 public:
  static constexpr bool kAreLong = true;

  TextIds(const std::int64_t* offsets, const unsigned char* text)
      : offsets_(offsets), text_(reinterpret_cast<const char*>(text)) {}

  std::uint64_t hash(std::int64_t row, const HashKey& key) const noexcept {
    return hash_of(at(row), key);
  }
  bool same_as_before(std::int64_t row) const noexcept { return same_text(at(row - 1), at(row)); }
  void keep(std::int64_t row) {
    kept_ += at(row);
    kept_borders_.push_back(kept_.size());
  }
  bool is_kept_at(std::int64_t row, std::size_t k) const noexcept {
    const std::size_t begin = kept_borders_[k];
    return same_text({kept_.data() + begin, kept_borders_[k + 1] - begin}, at(row));
  }
  void prefetch_kept(std::size_t k) const noexcept { prefetch(kept_.data() + kept_borders_[k]); }

 private:
  std::string_view at(std::int64_t row) const noexcept {
    return {text_ + offsets_[row], static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])};
  }

  const std::int64_t* offsets_;
  const char* text_;
  std::string kept_;
  std::vector<std::size_t> kept_borders_{0};
};

// Open addressing over the ids seen so far; grows at half full.
template <class Ids>
class Numbering {
 public:
  Numbering(Ids& ids, std::uint64_t seed)
      : ids_(ids), key_(key_from(seed)), slots_(std::size_t{1} << 10, Slot{0, kFree}) {}

  // The hash of a row's id, whose place in the table is fetched meanwhile.
  std::uint64_t announce(std::int64_t row) const noexcept {
    const std::uint64_t hash = ids_.hash(row, key_);
    prefetch(&slots_[hash & (slots_.size() - 1)]);
    return hash;
  }

  // Fetches the id that a row's is mostly equal to.
  void announce_kept(std::uint64_t hash) const noexcept {
    const std::int32_t number = slots_[hash & (slots_.size() - 1)].number;
    if (number != kFree) ids_.prefetch_kept(static_cast<std::size_t>(number));
  }

  // The number of a row's id; a new one if no row before had it.
  std::int32_t number(std::int64_t row, std::uint64_t hash) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot].number != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
      const Slot& known = slots_[slot];
      if (known.tag == tag && ids_.is_kept_at(row, static_cast<std::size_t>(known.number)))
        return known.number;
    }
    const auto fresh = static_cast<std::int32_t>(first_rows_.size());
    slots_[slot] = {tag, fresh};
    first_rows_.push_back(row);
    hashes_.push_back(hash);
    ids_.keep(row);
    if (2 * first_rows_.size() > slots_.size()) grow();
    return fresh;
  }

  std::size_t count() const noexcept { return first_rows_.size(); }
  std::vector<std::int64_t> take_first_rows() { return std::move(first_rows_); }

 private:
  struct Slot {
    std::uint32_t tag;  // the upper half of the hash
    std::int32_t number;
  };
  static constexpr std::int32_t kFree = -1;

  void grow() {
    slots_.assign(slots_.size() * 4, Slot{0, kFree});
    for (std::size_t k = 0; k < hashes_.size(); ++k) {
      std::size_t slot = hashes_[k] & (slots_.size() - 1);
      while (slots_[slot].number != kFree) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = {static_cast<std::uint32_t>(hashes_[k] >> 32), static_cast<std::int32_t>(k)};
    }
  }

  Ids& ids_;
  HashKey key_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> first_rows_;
  std::vector<std::uint64_t> hashes_;
};

struct NumberedRows {
  std::vector<std::int64_t> first_rows;  // by query
  bool is_grouped;                       // whether the rows of every query stand together
};

// Numbers ids by first appearance. The ids of one row after another are mostly the same. Stops soon
// after more than `most` different ones.
template <class Ids>
NumberedRows number_rows(Ids ids, std::int64_t n_rows, std::uint64_t seed, std::size_t most,
                         std::int32_t* query_of_row) {
  constexpr std::int64_t kAtATime = 32;
  Numbering<Ids> numbering(ids, seed);
  std::uint64_t hash[kAtATime];
  std::int32_t newest = -1;
  bool is_grouped = true;
  for (std::int64_t first = 0; first < n_rows && numbering.count() <= most; first += kAtATime) {
    const std::int64_t end = std::min(first + kAtATime, n_rows);
    for (std::int64_t row = first; row < end; ++row) {
      query_of_row[row] = row > 0 && ids.same_as_before(row) ? -1 : 0;
      if (query_of_row[row] == 0) hash[row - first] = numbering.announce(row);
    }
    if constexpr (Ids::kAreLong)
      for (std::int64_t row = first; row < end; ++row)
        if (query_of_row[row] == 0) numbering.announce_kept(hash[row - first]);
    for (std::int64_t row = first; row < end; ++row) {
      if (query_of_row[row] < 0) {
        query_of_row[row] = query_of_row[row - 1];
        continue;
      }
      const std::int32_t query = numbering.number(row, hash[row - first]);
      is_grouped = is_grouped && query > newest;
      newest = std::max(query, newest);
      query_of_row[row] = query;
    }
  }
  return {numbering.take_first_rows(), is_grouped};
}

// ---- Words from a short range, such as 0, 1, ...

template <class Word>
struct WordRange {
  Word least;
  std::uint64_t width;  // the largest word less the least one
};

// Whether the range of the words, which is found meanwhile, is narrower than their number.
template <class Word>
bool is_in_short_range(const Word* words, std::int64_t n, WordRange<Word>& range) noexcept {
  constexpr std::int64_t kAtATime = 4096;
  Word least = std::numeric_limits<Word>::max(), most = std::numeric_limits<Word>::min();
  for (std::int64_t first = 0; first < n; first += kAtATime) {
    const std::int64_t end = std::min(first + kAtATime, n);
    run_in(widest_registers(), [&]() SKGRADED_INLINE_BODY {
      Word low = least, high = most;
      for (std::int64_t i = first; i < end; ++i) {
        low = std::min(low, words[i]);
        high = std::max(high, words[i]);
      }
      least = low;
      most = high;
    });
    range = {least, static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least)};
    if (range.width >= static_cast<std::uint64_t>(n)) return false;
  }
  return n > 0;
}

// As number_rows, by a table with a place for every word of the range. It is to hold all words, but
// whoever holds them may write to them meanwhile: words beyond it count as its last one.
template <class Word>
NumberedRows number_in_range(const Word* ids, std::int64_t n_rows, const WordRange<Word>& range,
                             std::int32_t* query_of_row) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(range.width) + 1, -1);
  std::vector<std::int64_t> first_rows;
  first_rows.reserve(number.size() + 1);  // bindings add the number of rows
  std::int32_t newest = -1;
  bool is_grouped = true;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    const std::uint64_t place =
        static_cast<std::uint64_t>(ids[row]) - static_cast<std::uint64_t>(range.least);
    std::int32_t& query = number[static_cast<std::size_t>(std::min(place, range.width))];
    if (query < 0) {
      query = ++newest;
      first_rows.push_back(row);
    }
    is_grouped &= query == newest;
    query_of_row[row] = query;
  }
  return {std::move(first_rows), is_grouped};
}

template <class Word>
NumberedRows number_words(const Word* ids, std::int64_t n_rows, std::uint64_t seed,
                          std::size_t most, std::int32_t* query_of_row) {
  WordRange<Word> range{};
  if (is_in_short_range(ids, n_rows, range))
    return number_in_range(ids, n_rows, range, query_of_row);
  return number_rows(WordIds<Word>(ids), n_rows, seed, most, query_of_row);
}

// ---- Rows by query

// Extents of the queries, and the place of every row after grouping by query.
inline void place_rows(const std::int32_t* query_of_row, std::int64_t n_rows,
                       std::int64_t n_queries, std::int64_t* indptr, std::int64_t* places) {
  std::fill_n(indptr, n_queries + 1, std::int64_t{0});
  for (std::int64_t row = 0; row < n_rows; ++row) ++indptr[query_of_row[row] + 1];
  std::partial_sum(indptr, indptr + n_queries + 1, indptr);
  std::vector<std::int64_t> next(indptr, indptr + n_queries);
  for (std::int64_t row = 0; row < n_rows; ++row)
    places[row] = next[static_cast<std::size_t>(query_of_row[row])]++;
}

// The borders of queries of these sizes, without queries of no rows; -1 behind them where a size is
// not an integer from 0 on.
inline std::vector<std::int64_t> borders_of_groups(const double* sizes, std::int64_t n) {
  std::vector<std::int64_t> borders = {0};
  double n_rows = 0.0;
  for (std::int64_t i = 0; i < n && borders.back() >= 0; ++i) {
    const bool is_size = sizes[i] >= 0.0 && sizes[i] == std::floor(sizes[i]);
    n_rows = is_size ? std::min(n_rows + sizes[i], 0x1p53) : -1.0;
    if (sizes[i] != 0.0) borders.push_back(static_cast<std::int64_t>(n_rows));
  }
  return borders;
}

template <class Value>
void put_in_places(const Value* values, const std::int64_t* places, std::int64_t n,
                   Value* placed) noexcept {
  for (std::int64_t row = 0; row < n; ++row) placed[places[row]] = values[row];
}

}  // namespace skgraded
