// Query ids: numbers in order of first appearance, and rows put together by query.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace skgraded {

// Mixes all bits of two words: the halves of their product, which differ by all bits of both.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t x = (a ^ 0x9e3779b97f4a7c15U) * (b | 1U);
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
  return x ^ (x >> 32);
}

// Ids that are 64-bit words.
class WordIds {
 public:
  explicit WordIds(const std::int64_t* ids) : ids_(ids) {}

  std::uint64_t hash(std::int64_t row, std::uint64_t seed) const noexcept {
    return mix(static_cast<std::uint64_t>(ids_[row]), seed);
  }
  bool same_as_before(std::int64_t row) const noexcept { return ids_[row] == ids_[row - 1]; }
  // Ids of different queries, kept side by side: rows are far from each other.
  void keep(std::int64_t row) { kept_.push_back(ids_[row]); }
  bool is_kept_at(std::int64_t row, std::size_t k) const noexcept { return kept_[k] == ids_[row]; }

 private:
  const std::int64_t* ids_;
  std::vector<std::int64_t> kept_;
};

// Ids that are `width` bytes each, such as NumPy's text of fixed length.
class ByteIds {
 public:
  ByteIds(const unsigned char* ids, std::size_t width) : ids_(ids), width_(width) {}

  std::uint64_t hash(std::int64_t row, std::uint64_t seed) const noexcept {
    const unsigned char* id = at(row);
    std::uint64_t state = seed;
    std::size_t i = 0;
    // Two words at a time: the two products do not wait for each other.
    for (; i + 16 <= width_; i += 16)
      state = mix(word(id + i, 8) ^ state, seed) + mix(word(id + i + 8, 8), state + i);
    if (i + 8 <= width_) {
      state = mix(word(id + i, 8) ^ state, seed);
      i += 8;
    }
    return i < width_ ? mix(word(id + i, width_ - i) ^ state, seed) : state;
  }
  bool same_as_before(std::int64_t row) const noexcept {
    return std::memcmp(at(row - 1), at(row), width_) == 0;
  }
  void keep(std::int64_t row) { kept_.insert(kept_.end(), at(row), at(row) + width_); }
  bool is_kept_at(std::int64_t row, std::size_t k) const noexcept {
    return std::memcmp(kept_.data() + k * width_, at(row), width_) == 0;
  }

 private:
  const unsigned char* at(std::int64_t row) const noexcept {
    return ids_ + static_cast<std::size_t>(row) * width_;
  }
  static std::uint64_t word(const unsigned char* bytes, std::size_t n) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, n);
    return value;
  }

  const unsigned char* ids_;
  std::size_t width_;
  std::vector<unsigned char> kept_;
};

inline void prefetch(const void* place) noexcept {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(place);
#else
  static_cast<void>(place);
#endif
}

// Open addressing over the ids seen so far; grows at half full.
template <class Ids>
class Numbering {
 public:
  Numbering(Ids& ids, std::uint64_t seed)
      : ids_(ids), seed_(seed), slots_(std::size_t{1} << 10, Slot{0, kFree}) {}

  // The hash of a row's id, whose place in the table is fetched meanwhile.
  std::uint64_t announce(std::int64_t row) const noexcept {
    const std::uint64_t hash = ids_.hash(row, seed_);
    prefetch(&slots_[hash & (slots_.size() - 1)]);
    return hash;
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
  std::uint64_t seed_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> first_rows_;
  std::vector<std::uint64_t> hashes_;
};

struct NumberedRows {
  std::vector<std::int64_t> first_rows;  // by query
  bool is_grouped;                       // whether the rows of every query stand together
};

// Numbers ids by first appearance. The ids of one row after another are mostly the same.
template <class Ids>
NumberedRows number_rows(Ids ids, std::int64_t n_rows, std::uint64_t seed,
                         std::int32_t* query_of_row) {
  constexpr std::int64_t kAtATime = 32;
  Numbering<Ids> numbering(ids, seed);
  std::uint64_t hash[kAtATime];
  std::int32_t newest = -1;
  bool is_grouped = true;
  for (std::int64_t first = 0; first < n_rows; first += kAtATime) {
    const std::int64_t end = std::min(first + kAtATime, n_rows);
    for (std::int64_t row = first; row < end; ++row) {
      query_of_row[row] = row > 0 && ids.same_as_before(row) ? -1 : 0;
      if (query_of_row[row] == 0) hash[row - first] = numbering.announce(row);
    }
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

// Extents of the queries, and the rows of each in their order.
inline void group_rows(const std::int32_t* query_of_row, std::int64_t n_rows,
                       std::int64_t n_queries, std::int64_t* indptr, std::int64_t* row_order) {
  for (std::int64_t q = 0; q <= n_queries; ++q) indptr[q] = 0;
  for (std::int64_t row = 0; row < n_rows; ++row) ++indptr[query_of_row[row] + 1];
  for (std::int64_t q = 0; q < n_queries; ++q) indptr[q + 1] += indptr[q];
  std::vector<std::int64_t> next(indptr, indptr + n_queries);
  for (std::int64_t row = 0; row < n_rows; ++row)
    row_order[next[static_cast<std::size_t>(query_of_row[row])]++] = row;
}

}  // namespace skgraded
