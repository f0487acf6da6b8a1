// Levels by rank: the grade levels of the documents in rank order, and their order inside ties.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "queries.hpp"
#include "threads.hpp"

namespace skgraded {

template <class Level>
void gather_levels(const Level* level, const std::int32_t* order, const Queries& queries,
                   std::int64_t n_threads, Level* level_by_rank) {
  for_query_slices(queries, n_threads, [=](std::int64_t first, std::int64_t last) noexcept {
    for (std::int64_t q = first; q < last; ++q) {
      const Level* of_query = level + queries.begin(q);
      const std::int64_t end = queries.begin(q + 1);
      for (std::int64_t i = queries.begin(q); i < end; ++i) level_by_rank[i] = of_query[order[i]];
    }
  });
}

// Documents of each level, by query; levels from n_levels on mark the unjudged.
template <class Level>
void count_levels(const Level* level, const Queries& queries, std::int64_t n_levels,
                  std::int64_t* counts) noexcept {
  std::fill(counts, counts + queries.count * n_levels, std::int64_t{0});
  for (std::int64_t q = 0; q < queries.count; ++q)
    for (std::int64_t i = queries.begin(q); i < queries.begin(q + 1); ++i)
      if (level[i] < n_levels) ++counts[q * n_levels + level[i]];
}

// By query, the documents whose level is marked; levels without a mark are those of the unjudged.
template <class Level>
void count_marked_documents(const Level* level, const Queries& queries, const std::uint8_t* marked,
                            std::size_t n_levels, std::int64_t* count) noexcept {
  for (std::int64_t q = 0; q < queries.count; ++q) {
    std::int64_t sum = 0;
    for (std::int64_t i = queries.begin(q); i < queries.begin(q + 1); ++i) {
      const auto own = static_cast<std::size_t>(level[i]);
      sum += own < n_levels && marked[own] != 0 ? 1 : 0;
    }
    count[q] = sum;
  }
}

// Long blocks of bytes by counting.
template <class Level>
void sort_block(Level* first, Level* last, bool descending) noexcept {
  constexpr std::ptrdiff_t kMany = 64;
  if (last - first < 2) return;
  if (sizeof(Level) == 1 && last - first > kMany) {
    std::int64_t counts[256] = {};
    for (const Level* i = first; i < last; ++i) ++counts[static_cast<std::uint8_t>(*i)];
    for (int n = 0; n < 256; ++n) {
      const int level = descending ? 255 - n : n;
      first = std::fill_n(first, counts[level], static_cast<Level>(level));
    }
  } else if (descending) {
    std::sort(first, last, std::greater<Level>());
  } else {
    std::sort(first, last);
  }
}

template <class Level>
void sort_within_ties(const Level* level_by_rank, const std::uint8_t* tied, const Queries& queries,
                      bool descending, std::int64_t n_threads, Level* sorted) {
  for_query_slices(queries, n_threads, [=](std::int64_t first, std::int64_t last) noexcept {
    std::copy(level_by_rank + queries.begin(first), level_by_rank + queries.begin(last),
              sorted + queries.begin(first));
    for (std::int64_t q = first; q < last; ++q) {
      Level* of_query = sorted + queries.begin(q);
      const RankedList<Level> list{of_query, tied + queries.begin(q), queries.size(q)};
      for (std::int64_t block = 0, end; block < list.size; block = end) {
        end = list.block_end(block);
        sort_block(of_query + block, of_query + end, descending);
      }
    }
  });
}

}  // namespace skgraded
