// Levels of grades of any kind: which distinct ones occur, ascending, and where each label is among
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sort_keys.hpp"

namespace skgraded {

// A grade's bits, which ascend with it, and the row that it stands in.
struct GradeOfRow {
  std::uint64_t bits;
  std::int32_t row;
};

// Grades sorted by their leading bits into about as many buckets as there are rows, and then within
// each bucket. Grades that are far apart on the whole scale share few buckets; the second sort then
// has more to do.
inline std::vector<GradeOfRow> sort_grades(const double* labels, std::int32_t n) {
  std::uint64_t most = 0;
  for (std::int32_t i = 0; i < n; ++i) most = std::max(most, bits_of(labels[i] + 0.0));
  std::uint64_t least = most;  // above 0
  for (std::int32_t i = 0; i < n; ++i) {
    const std::uint64_t bits = bits_of(labels[i] + 0.0);
    if (bits > 0) least = std::min(least, bits);
  }
  int shift = 0;
  while ((most - least) >> shift > static_cast<std::uint64_t>(n)) ++shift;
  const auto bucket_of = [=](std::uint64_t bits) {
    return bits == 0 ? std::size_t{0} : static_cast<std::size_t>((bits - least) >> shift) + 1;
  };
  std::vector<std::int32_t> end(bucket_of(most) + 2);
  for (std::int32_t i = 0; i < n; ++i) ++end[bucket_of(bits_of(labels[i] + 0.0)) + 1];
  for (std::size_t bucket = 1; bucket < end.size(); ++bucket) end[bucket] += end[bucket - 1];
  std::vector<GradeOfRow> sorted(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i) {
    const std::uint64_t bits = bits_of(labels[i] + 0.0);
    sorted[static_cast<std::size_t>(end[bucket_of(bits)]++)] = {bits, i};
  }
  std::int32_t first = end[0];  // the bucket of grade 0 needs no order
  for (std::size_t bucket = 1; bucket + 1 < end.size(); first = end[bucket++])
    std::sort(sorted.data() + first, sorted.data() + end[bucket],
              [](const GradeOfRow& a, const GradeOfRow& b) { return a.bits < b.bits; });
  return sorted;
}

// The distinct grades of labels >= 0, ascending, with grade 0 as the first one, and the level of
// each label, which is the place of its grade.
inline std::vector<double> distinct_grades(const double* labels, std::int32_t n,
                                           std::int32_t* levels) {
  const std::vector<GradeOfRow> sorted = sort_grades(labels, n);
  std::vector<double> grades;
  grades.reserve(sorted.size() + 1);
  grades.push_back(0.0);
  std::uint64_t last = 0;
  for (const GradeOfRow& each : sorted) {
    if (each.bits != last) grades.push_back(from_bits(last = each.bits));
    levels[each.row] = static_cast<std::int32_t>(grades.size()) - 1;
  }
  return grades;
}

}  // namespace skgraded
