// Schedule: the order in which queries are sorted, and which of them are sorted together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "queries.hpp"
#include "simd.hpp"

namespace skgraded {

// Queries so near to each other share the caches. In a larger window sizes would match better, but
// waiting for memory would take longer than that saves.
constexpr std::int64_t kScheduleWindow = 256;

// Query numbers, by size inside every window of neighbours.
inline void schedule_queries(const Queries& queries, std::int64_t* schedule) {
  const auto is_shorter = [&](std::int64_t q, std::int64_t other) {
    return queries.size(q) < queries.size(other);
  };
  std::iota(schedule, schedule + queries.count, std::int64_t{0});
  for (std::int64_t first = 0; first < queries.count; first += kScheduleWindow)
    std::stable_sort(schedule + first, schedule + std::min(first + kScheduleWindow, queries.count),
                     is_shorter);
}

// Neighbours in the schedule that are sorted together.
struct Group {
  const std::int64_t* query;
  int n_queries;
  std::int64_t largest;    // size of the largest of them
  std::int64_t documents;  // of all of them

  // A network over half-empty lanes or many rows costs more than a radix sort of each query.
  bool fits_network() const noexcept { return largest * largest <= 128 * documents; }
};

inline Group make_group(const Queries& queries, const std::int64_t* query,
                        std::int64_t n) noexcept {
  Group group{query, static_cast<int>(n), 0, 0};
  for (std::int64_t i = 0; i < n; ++i) {
    group.largest = std::max(group.largest, queries.size(query[i]));
    group.documents += queries.size(query[i]);
  }
  return group;
}

inline std::vector<Group> make_groups(const Queries& queries, const std::int64_t* schedule) {
  std::vector<Group> groups;
  groups.reserve(static_cast<std::size_t>(queries.count / kLanes + 1));
  for (std::int64_t first = 0; first < queries.count; first += kLanes) {
    const std::int64_t n = std::min<std::int64_t>(kLanes, queries.count - first);
    const Group together = make_group(queries, schedule + first, n);
    if (together.fits_network()) {
      groups.push_back(together);
      continue;
    }
    for (std::int64_t i = first; i < first + n; ++i)
      groups.push_back(make_group(queries, schedule + i, 1));
  }
  return groups;
}

}  // namespace skgraded
