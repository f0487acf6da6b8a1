// Document ids of TREC files: flat columns of text, and hash tables that find ids in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "id_hash.hpp"
#include "queries.hpp"

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

// Bits of hashes, two in a word each, so that a word of several hashes rarely holds both bits of
// another one. The number of words is a power of two.
struct HashBits {
  std::uint64_t word, bits;

  HashBits(std::uint64_t hash, std::int64_t n_words) noexcept
      : word(hash & static_cast<std::uint64_t>(n_words - 1)),
        bits(std::uint64_t{1} << (hash >> 58) | std::uint64_t{1} << (hash >> 52 & 63)) {}

  bool are_in(const std::uint64_t* words) const noexcept { return (words[word] & bits) == bits; }
  void add_to(std::uint64_t* words) const noexcept { words[word] |= bits; }
};

// Open addressing: a slot holds 32 bits of the hash and 1 + the id's number; 0 is a free slot.
// Half of the slots are free or more. Behind them an eighth as many words hold the bits of the
// hashes, which nearly always show that an id is not there.
inline std::int64_t slots_for(std::int64_t n) noexcept {
  std::int64_t slots = 8;
  while (slots < 2 * n) slots *= 2;
  return slots;
}

constexpr std::int64_t bit_words_of(std::int64_t n_slots) noexcept { return n_slots / 8; }
constexpr std::int64_t words_for(std::int64_t n_slots) noexcept {
  return n_slots + bit_words_of(n_slots);
}
constexpr std::int64_t slots_in(std::int64_t n_words) noexcept { return n_words / 9 * 8; }

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
  std::vector<std::int64_t> indptr;  // slots and bits of query q: indptr[q]..indptr[q + 1]
};

inline Table index_documents(const Documents& documents, const Queries& queries,
                             const HashKey& key) {
  Table table;
  table.indptr.push_back(0);
  for (std::int64_t q = 0; q < queries.count; ++q)
    table.indptr.push_back(table.indptr.back() + words_for(slots_for(queries.size(q))));
  table.slots.resize(static_cast<std::size_t>(table.indptr.back()));
  for (std::int64_t q = 0; q < queries.count; ++q) {
    std::uint64_t* slots = table.slots.data() + table.indptr[static_cast<std::size_t>(q)];
    const std::int64_t begin = queries.begin(q), end = begin + queries.size(q);
    const std::int64_t n_slots = slots_for(queries.size(q));
    fill_table(documents, begin, end, key, slots, n_slots, [](std::int64_t, std::int64_t) {});
    for (std::int64_t i = begin; i < end; ++i)
      HashBits(hash_of(documents[i], key), bit_words_of(n_slots)).add_to(slots + n_slots);
  }
  return table;
}

// Whether bits of the hashes show that no id repeats, at half the cost of a table. They nearly
// always do where none does.
inline bool all_differ(const Documents& documents, std::int64_t begin, std::int64_t end,
                       const HashKey& key, std::vector<std::uint64_t>& words) {
  const std::int64_t n_words = 2 * slots_for(end - begin);
  words.assign(static_cast<std::size_t>(n_words), 0);
  for (std::int64_t i = begin; i < end; ++i) {
    const HashBits bits(hash_of(documents[i], key), n_words);
    if (bits.are_in(words.data())) return false;
    bits.add_to(words.data());
  }
  return true;
}

// Pairs of a document and the first one of its query with the same id.
inline std::vector<std::int64_t> find_duplicates(const Documents& documents, const Queries& queries,
                                                 const HashKey& key) {
  std::vector<std::int64_t> pairs;
  std::vector<std::uint64_t> words;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    const std::int64_t begin = queries.begin(q), end = queries.begin(q + 1);
    if (all_differ(documents, begin, end, key, words)) continue;
    const std::int64_t n_slots = slots_for(end - begin);
    words.assign(static_cast<std::size_t>(n_slots), 0);
    fill_table(documents, begin, end, key, words.data(), n_slots,
               [&](std::int64_t again, std::int64_t first) {
                 pairs.push_back(again);
                 pairs.push_back(first);
               });
  }
  return pairs;
}

// Documents that are in a table: where each stands among those that were asked for, and its number
// in the table.
struct Found {
  std::vector<std::int64_t> place, number;
};

// Finds documents in the tables of their queries.
class LookUp {
 public:
  LookUp(const Documents& documents, const Documents& known, const HashKey& key)
      : documents_(documents), known_(known), key_(key) {}

  // Looks for the documents from `start` on in a table of so many words; `place` is that of the
  // first one. Whether a document is there is hard to foretell: no branch depends on it before
  // those are known that nearly always are.
  void search(std::int64_t start, std::int64_t n, const std::uint64_t* slots, std::int64_t n_words,
              std::int64_t place) {
    for (std::int64_t begin = 0; begin < n; begin += kStep)
      search_step(start + begin, std::min(n - begin, kStep), slots, slots_in(n_words),
                  place + begin);
  }

  Found found;

 private:
  static constexpr std::int64_t kStep = 512;

  void search_step(std::int64_t start, std::int64_t n, const std::uint64_t* slots,
                   std::int64_t n_slots, std::int64_t place) {
    const std::uint64_t* seen = slots + n_slots;
    const std::int64_t n_bit_words = bit_words_of(n_slots);
    std::size_t n_taken = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t hash = hash_of(documents_[start + i], key_);
      hash_[n_taken] = hash;
      taken_[n_taken] = i;
      n_taken += HashBits(hash, n_bit_words).are_in(seen) ? 1 : 0;
    }
    for (std::size_t each = 0; each < n_taken; ++each) {
      const std::int64_t i = taken_[each];
      const std::uint64_t slot =
          *find_slot(slots, n_slots, known_, documents_[start + i], hash_[each]);
      if (slot == 0) continue;
      found.place.push_back(place + i);
      found.number.push_back(number_in(slot));
    }
  }

  Documents documents_, known_;
  HashKey key_;
  std::uint64_t hash_[kStep];
  std::int64_t taken_[kStep];
};

inline Found look_up(const Documents& documents, const Rows& rows, const Documents& known,
                     const HashKey& key, const std::uint64_t* slots,
                     const std::int64_t* slot_indptr) {
  LookUp in_tables(documents, known, key);
  for (std::int64_t q = 0; q < rows.queries.count; ++q)
    in_tables.search(rows.start[q], rows.queries.size(q), slots + slot_indptr[q],
                     slot_indptr[q + 1] - slot_indptr[q], rows.queries.begin(q));
  return std::move(in_tables.found);
}

}  // namespace skgraded::trec
