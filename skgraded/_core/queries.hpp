// Queries: where each query's documents lie in the flat arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace skgraded {

struct Queries {
  const std::int64_t* indptr;  // count + 1 borders
  std::int64_t count;

  std::int64_t begin(std::int64_t q) const noexcept { return indptr[q]; }
  std::int64_t size(std::int64_t q) const noexcept { return indptr[q + 1] - indptr[q]; }
  std::int64_t documents() const noexcept { return indptr[count] - indptr[0]; }

  // Size of the longest; 0 where there is none.
  std::int64_t longest() const noexcept {
    std::int64_t most = 0;
    for (std::int64_t q = 0; q < count; ++q) most = std::max(most, size(q));
    return most;
  }
};

// A ranked list: the grade level by rank and whether a rank's score equals the one before it.
template <class Level>
struct RankedList {
  const Level* level;
  const std::uint8_t* tied;
  std::int64_t size;

  bool has_ties() const noexcept {
    return size > 0 && std::memchr(tied, 1, static_cast<std::size_t>(size)) != nullptr;
  }

  bool is_tied(std::int64_t rank) const noexcept { return rank < size && tied[rank] != 0; }

  // One past the last rank of the tied block that starts at rank index `first`.
  std::int64_t block_end(std::int64_t first) const noexcept {
    std::int64_t end = first + 1;
    while (end < size && tied[end] != 0) ++end;
    return end;
  }
};

// The ranked lists of all queries, one behind the other.
template <class Level>
struct RankedLists {
  const Level* level;
  const std::uint8_t* tied;
  Queries queries;

  RankedList<Level> of(std::int64_t q) const noexcept {
    return {level + queries.begin(q), tied + queries.begin(q), queries.size(q)};
  }
};

// A weight by rank: one list for all queries, or each query's own (ragged).
struct RankWeights {
  const double* values;
  bool ragged;

  const double* of(const Queries& queries, std::int64_t q) const noexcept {
    return ragged ? values + queries.begin(q) : values;
  }
};

// A number of each query (stride 1), or one for all (0).
struct ByQuery {
  const double* values;
  std::int64_t stride;

  double operator[](std::int64_t q) const noexcept { return values[q * stride]; }
};

}  // namespace skgraded
