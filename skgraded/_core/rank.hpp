// Rank: the order of every query's documents by score, best first.
//
// The scores belong to the caller, who may rewrite them meanwhile in another thread. Each is read
// once, into memory of our own, and only that is compared: a sort whose comparisons contradict each
// other would run out of bounds. Whatever is written, every query gets a permutation, that of the
// values that were read. (To read a double while another thread writes it is formally a race all
// the same; nothing here depends on its value.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "queries.hpp"
#include "radix_sort.hpp"
#include "schedule.hpp"
#include "simd.hpp"
#include "sort_keys.hpp"
#include "sorting_network.hpp"
#include "threads.hpp"

namespace skgraded {

// Scores by document, and the order and the ties that result, by rank.
struct Scored {
  const double* scores;
  const Queries& queries;
  std::int32_t* order;
  std::uint8_t* tied;
};

// What one thread needs to sort any of the groups, allocated before it starts.
struct SortSpace {
  std::unique_ptr<LaneRow[]> rows;
  std::unique_ptr<std::uint64_t[]> keys;
  std::unique_ptr<std::uint64_t[]> spare;
  std::unique_ptr<std::uint64_t[]> bits;  // of the scores, by document; by lane in a network

  // Left uninitialized: every sort fills what it reads.
  SortSpace(std::size_t most_rows, std::size_t most_keys)
      : rows(new LaneRow[most_rows]),
        keys(new std::uint64_t[most_keys]),
        spare(new std::uint64_t[most_keys]),
        bits(new std::uint64_t[std::max(kLanes * most_rows, most_keys)]) {}
};

inline std::vector<SortSpace> make_spaces(const std::vector<Group>& groups, int n_slices) {
  std::int64_t most_rows = 0, most_keys = 0;
  for (const Group& group : groups) {
    std::int64_t& most = group.fits_network() ? most_rows : most_keys;
    most = std::max(most, group.largest);
  }
  std::vector<SortSpace> spaces;
  for (int slice = 0; slice < n_slices; ++slice)
    spaces.emplace_back(static_cast<std::size_t>(most_rows), static_cast<std::size_t>(most_keys));
  return spaces;
}

// Puts a run of equal key prefixes in the order of the true scores and marks the true ties.
inline void settle_run(const std::uint64_t* bits, std::int32_t* order, std::uint8_t* tied,
                       std::int64_t first, std::int64_t end) noexcept {
  const auto before = [bits](std::int32_t a, std::int32_t b) {
    return bits[a] < bits[b] || (bits[a] == bits[b] && a < b);
  };
  std::sort(order + first, order + end, before);
  for (std::int64_t i = first + 1; i < end; ++i)
    tied[i] = bits[order[i]] == bits[order[i - 1]] ? 1 : 0;
}

// Finds the runs of equal key prefixes, and settles them.
template <class KeyAt>
void settle_prefixes(const SortKeys& keys, const std::uint64_t* bits, std::int64_t n,
                     const KeyAt& key_at, std::int32_t* order, std::uint8_t* tied) noexcept {
  for (std::int64_t first = 0, end; first < n; first = end) {
    end = first + 1;
    while (end < n && keys.same_prefix(key_at(end), key_at(first))) ++end;
    settle_run(bits, order, tied, first, end);
  }
}

// Reads a query's order off its sorted keys, of which key_at(i) is the i-th. Ties are told by the
// true scores, without a branch. Where the scores do not descend, some of them differ in bits that
// the keys lack; that is rare.
template <class KeyAt>
void read_order(const Scored& scored, std::int64_t q, const SortKeys& keys,
                const std::uint64_t* bits, const KeyAt& key_at) noexcept {
  const std::int64_t begin = scored.queries.begin(q), n = scored.queries.size(q);
  if (n == 0) return;
  std::int32_t* order = scored.order + begin;
  std::uint8_t* tied = scored.tied + begin;
  for (std::int64_t i = 0; i < n; ++i) order[i] = keys.index(key_at(i));
  std::uint64_t previous = bits[order[0]];
  bool unsorted = false;
  tied[0] = 0;
  for (std::int64_t i = 1; i < n; ++i) {
    const std::uint64_t own = bits[order[i]];
    tied[i] = own == previous ? 1 : 0;
    unsorted |= own < previous;
    previous = own;
  }
  if (unsorted) settle_prefixes(keys, bits, n, key_at, order, tied);
}

// Returns the number of documents.
inline std::int64_t copy_bits(const Scored& scored, std::int64_t q, std::uint64_t* bits) noexcept {
  const double* scores = scored.scores + scored.queries.begin(q);
  const std::int64_t n = scored.queries.size(q);
  for (std::int64_t i = 0; i < n; ++i) bits[i] = descending_bits(scores[i]);
  return n;
}

// The keys of every query in its lane; infinity stands where a lane has no document.
inline void rank_by_network(const Scored& scored, const Group& group, SortSpace& space) noexcept {
  const SortKeys keys(group.largest);
  LaneRow* rows = space.rows.get();
  if (group.n_queries < kLanes) {  // lanes without a query
    LaneRow none;
    std::fill_n(none.lane, kLanes, std::numeric_limits<double>::infinity());
    std::fill_n(rows, group.largest, none);
  }
  const auto bits_of_lane = [&](int lane) { return space.bits.get() + lane * group.largest; };
  for (int lane = 0; lane < group.n_queries; ++lane) {
    std::uint64_t* bits = bits_of_lane(lane);
    const std::int64_t n = copy_bits(scored, group.query[lane], bits);
    for (std::int64_t i = 0; i < n; ++i) rows[i].lane[lane] = from_bits(keys.key(bits[i], i));
    for (std::int64_t i = n; i < group.largest; ++i)
      rows[i].lane[lane] = std::numeric_limits<double>::infinity();
  }
  sort_lanes(rows, group.largest);
  for (int lane = 0; lane < group.n_queries; ++lane)
    read_order(scored, group.query[lane], keys, bits_of_lane(lane),
               [rows, lane](std::int64_t i) { return bits_of(rows[i].lane[lane]); });
}

inline void rank_by_keys(const Scored& scored, std::int64_t q, SortSpace& space) noexcept {
  std::uint64_t *unsorted = space.keys.get(), *bits = space.bits.get();
  const std::int64_t n = copy_bits(scored, q, bits);
  const SortKeys keys(n);
  for (std::int64_t i = 0; i < n; ++i) unsorted[i] = keys.key(bits[i], i);
  const std::uint64_t* sorted = sort_keys(unsorted, space.spare.get(), n, index_bits(n));
  read_order(scored, q, keys, bits, [sorted](std::int64_t i) { return sorted[i]; });
}

inline void rank_group(const Scored& scored, const Group& group, SortSpace& space) noexcept {
  if (group.fits_network())
    rank_by_network(scored, group, space);
  else
    rank_by_keys(scored, group.query[0], space);
}

// First group of every slice, such that slices hold about as many documents, and the end.
inline std::vector<std::size_t> slice_groups(const std::vector<Group>& groups,
                                             std::int64_t documents, int n_slices) {
  std::vector<std::size_t> first = {0};
  std::int64_t before = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto slice = static_cast<std::int64_t>(first.size());
    if (slice < n_slices && before >= documents / n_slices * slice) first.push_back(g);
    before += groups[g].documents;
  }
  first.resize(static_cast<std::size_t>(n_slices) + 1, groups.size());
  first.back() = groups.size();
  return first;
}

inline void rank(const double* scores, const Queries& queries, const std::int64_t* schedule,
                 std::int64_t n_threads, std::int32_t* order, std::uint8_t* tied) {
  const Scored scored{scores, queries, order, tied};
  const std::vector<Group> groups = make_groups(queries, schedule);
  const int n_slices = slices_for(queries, n_threads);
  const std::vector<std::size_t> first = slice_groups(groups, queries.documents(), n_slices);
  std::vector<SortSpace> spaces = make_spaces(groups, n_slices);
  run_slices(n_slices, [&](int slice) noexcept {
    const auto s = static_cast<std::size_t>(slice);
    for (std::size_t g = first[s]; g < first[s + 1]; ++g) rank_group(scored, groups[g], spaces[s]);
  });
}

}  // namespace skgraded
