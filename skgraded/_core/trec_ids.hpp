// Document ids of TREC files: flat columns of text, and hash tables that find ids in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "queries.hpp"
#include "trec_hash.hpp"

namespace skgraded::trec {

// Ids one after the other in `bytes`; id i ends where id i + 1 begins.
struct Documents {
  const std::int64_t* end;
  const char* bytes;

  std::string_view operator[](std::int64_t i) const noexcept {
    const std::int64_t begin = i == 0 ? 0 : end[i - 1];
    return {bytes + begin, static_cast<std::size_t>(end[i] - begin)};
  }
};

// Rows of a list of queries: query q takes the rows from start[q] on, as many as queries says.
struct Rows {
  const std::int64_t* start;
  Queries queries;
};

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
        same_text(documents[static_cast<std::int64_t>(slot & 0xffffffffU) - 1], id))
      return &slot;
  }
}

inline std::int64_t number_in(std::uint64_t slot) noexcept {
  return static_cast<std::int64_t>(slot & 0xffffffffU) - 1;
}

// Fills one query's table; calls again(i, first) for every id i that stood there before.
template <class Again>
void fill_table(const Documents& documents, std::int64_t begin, std::int64_t end,
                const HashKey& key, std::uint64_t* slots, std::int64_t n_slots,
                const Again& again) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::string_view id = documents[i];
    const std::uint64_t hash = hash_of(id, key);
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

inline Table index_documents(const Documents& documents, const Queries& queries,
                             const HashKey& key) {
  Table table;
  table.indptr.push_back(0);
  for (std::int64_t q = 0; q < queries.count; ++q)
    table.indptr.push_back(table.indptr.back() + slots_for(queries.size(q)));
  table.slots.resize(static_cast<std::size_t>(table.indptr.back()));
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::int64_t first = table.indptr[static_cast<std::size_t>(q)];
    const std::int64_t n_slots = table.indptr[static_cast<std::size_t>(q) + 1] - first;
    fill_table(documents, queries.begin(q), queries.begin(q) + queries.size(q), key,
               table.slots.data() + first, n_slots, [](std::int64_t, std::int64_t) {});
  }
  return table;
}

// Bits of hashes that were seen. A hash sets two bits of a word, so that a word of several hashes
// rarely holds both bits of another one.
class SeenHashes {
 public:
  void start(std::int64_t n) {
    std::size_t words = 1;
    while (words < static_cast<std::size_t>(n)) words *= 2;
    words_.assign(words, 0);
  }

  // Whether the bits of the hash were set before, most likely by an equal hash.
  bool add(std::uint64_t hash) noexcept {
    const std::uint64_t bits = std::uint64_t{1} << (hash >> 58) | std::uint64_t{1}
                                                                      << (hash >> 52 & 63);
    std::uint64_t& word = words_[static_cast<std::size_t>(hash) & (words_.size() - 1)];
    const bool seen = (word & bits) == bits;
    word |= bits;
    return seen;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Documents that repeat an id of their query. Nearly all queries have none, which bits of hashes
// show at a fraction of the cost of a table.
class DuplicateFinder {
 public:
  DuplicateFinder(const Documents& documents, const HashKey& key)
      : documents_(documents), key_(key) {}

  void search(std::int64_t begin, std::int64_t end) {
    const std::int64_t n = end - begin;
    if (n > kMostDocuments || !search_by_bits(begin, n)) search_by_table(begin, end);
  }

  // Pairs (a document, the first one of the query with the same id).
  std::vector<std::int64_t> pairs;

 private:
  // Suspects are compared with all documents before them.
  static constexpr std::int64_t kMostDocuments = 1 << 16;
  static constexpr std::size_t kMostSuspects = 16;

  bool search_by_bits(std::int64_t begin, std::int64_t n) {
    seen_.start(n);
    hash_.resize(static_cast<std::size_t>(n));
    std::size_t n_suspects = 0;
    std::int64_t suspect[kMostSuspects + 1];
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t hash = hash_of(documents_[begin + i], key_);
      hash_[static_cast<std::size_t>(i)] = hash;
      suspect[n_suspects] = i;
      n_suspects += seen_.add(hash) ? 1 : 0;
      if (n_suspects > kMostSuspects) return false;
    }
    for (std::size_t each = 0; each < n_suspects; ++each) compare(begin, suspect[each]);
    return true;
  }

  void compare(std::int64_t begin, std::int64_t i) {
    const std::uint64_t hash = hash_[static_cast<std::size_t>(i)];
    for (std::int64_t first = 0; first < i; ++first) {
      if (hash_[static_cast<std::size_t>(first)] != hash) continue;
      if (!same_text(documents_[begin + first], documents_[begin + i])) continue;
      pairs.push_back(begin + i);
      pairs.push_back(begin + first);
      return;
    }
  }

  void search_by_table(std::int64_t begin, std::int64_t end) {
    slots_.assign(static_cast<std::size_t>(slots_for(end - begin)), 0);
    fill_table(documents_, begin, end, key_, slots_.data(),
               static_cast<std::int64_t>(slots_.size()), [&](std::int64_t i, std::int64_t first) {
                 pairs.push_back(i);
                 pairs.push_back(first);
               });
  }

  Documents documents_;
  HashKey key_;
  SeenHashes seen_;
  std::vector<std::uint64_t> hash_, slots_;
};

inline std::vector<std::int64_t> find_duplicates(const Documents& documents, const Queries& queries,
                                                 const HashKey& key) {
  DuplicateFinder finder(documents, key);
  for (std::int64_t q = 0; q < queries.count; ++q)
    finder.search(queries.begin(q), queries.begin(q) + queries.size(q));
  return std::move(finder.pairs);
}

// Number in the table of every document, or -1.
inline void look_up(const Documents& documents, const Rows& rows, const Documents& known,
                    const HashKey& key, const std::uint64_t* slots, const std::int64_t* slot_indptr,
                    std::int32_t* found) noexcept {
  for (std::int64_t q = 0; q < rows.queries.count; ++q) {
    const std::int64_t first = slot_indptr[q], n_slots = slot_indptr[q + 1] - first;
    std::int32_t* out = found + rows.queries.begin(q);
    for (std::int64_t i = 0; i < rows.queries.size(q); ++i) {
      const std::string_view id = documents[rows.start[q] + i];
      out[i] = static_cast<std::int32_t>(
          number_in(*find_slot(slots + first, n_slots, known, id, hash_of(id, key))));
    }
  }
}

}  // namespace skgraded::trec
