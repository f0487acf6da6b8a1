// Levels that each query has of its own: the grades above 0 that occur in it. The levels of query q
// are borders[q] .. borders[q + 1] - 1, ascending; level 0, the grade 0, is that of all queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "queries.hpp"

namespace skgraded {

// In place of the grade of an unjudged document, or of one that was not sampled.
constexpr double kUnjudgedGrade = -1.0, kUnsampledGrade = -2.0;

// The documents of lists: their grades, and their order by grade, the best first, query by query.
struct SortedGrades {
  const double* grade;
  const std::int32_t* order;
  Queries queries;

  // The document at a place of the order.
  std::int64_t document(std::int64_t q, std::int64_t place) const noexcept {
    return queries.begin(q) + order[queries.begin(q) + place];
  }
};

// Numbers the grades of one query after the other, which it meets in ascending order.
class LevelNumbers {
  std::int64_t count_ = 1;
  double last_ = 0.0;

 public:
  void start_query() noexcept { last_ = 0.0; }

  std::int32_t meet(double grade) noexcept {
    count_ += grade != last_ ? 1 : 0;
    last_ = grade;
    return grade > 0.0 ? static_cast<std::int32_t>(count_ - 1) : 0;
  }

  std::int64_t count() const noexcept { return count_; }
};

// Marks the unjudged documents of a query, which stand last, by numbers below 0, and returns the
// number of the others.
inline std::int64_t mark_unjudged(const SortedGrades& lists, std::int64_t q,
                                  std::int32_t* level) noexcept {
  std::int64_t n = lists.queries.size(q);
  for (; n > 0; --n) {
    const std::int64_t document = lists.document(q, n - 1);
    if (lists.grade[document] >= 0.0) break;
    level[document] = static_cast<std::int32_t>(lists.grade[document]);
  }
  return n;
}

// Moves the marks of the unjudged behind the last level.
inline void move_marks(std::int64_t n_documents, std::int64_t n_levels,
                       std::int32_t* level) noexcept {
  for (std::int64_t i = 0; i < n_documents; ++i)
    if (level[i] < 0) level[i] = static_cast<std::int32_t>(n_levels - 1 - level[i]);
}

// The grades of the pools' documents, the best first, query by query; none where the lists hold the
// pools.
struct Pools {
  const double* grade;
  Queries queries;
};

// Finds the borders of the levels, and that of every document of the lists and of the pools.
inline void own_levels(const SortedGrades& lists, const Pools& pools, std::int64_t* borders,
                       std::int32_t* level, std::int32_t* pool) noexcept {
  LevelNumbers numbers;
  borders[0] = 1;
  for (std::int64_t q = 0; q < lists.queries.count; ++q) {
    const std::int64_t first = pools.queries.begin(q);
    std::int64_t pooled = pools.queries.begin(q + 1) - 1;
    const auto meet_pool = [&](double highest) noexcept {
      for (; pooled >= first && pools.grade[pooled] <= highest; --pooled)
        pool[pooled] = numbers.meet(pools.grade[pooled]);
    };
    numbers.start_query();
    for (std::int64_t place = mark_unjudged(lists, q, level) - 1; place >= 0; --place) {
      const std::int64_t document = lists.document(q, place);
      meet_pool(lists.grade[document]);
      level[document] = numbers.meet(lists.grade[document]);
    }
    meet_pool(std::numeric_limits<double>::infinity());
    borders[q + 1] = numbers.count();
  }
  move_marks(lists.queries.documents(), numbers.count(), level);
}

// The grades by level.
inline void own_grades(const double* grade, const std::int32_t* level, std::int64_t n_documents,
                       std::size_t n_levels, double* grades) noexcept {
  grades[0] = 0.0;
  for (std::int64_t i = 0; i < n_documents; ++i)
    if (const auto own = static_cast<std::size_t>(level[i]); own < n_levels) grades[own] = grade[i];
}

// Counts the judged documents of one query after the other by level.
class OwnCounts {
  const std::int32_t* level_;
  const Queries documents_, levels_;
  std::vector<std::int32_t> counts_;  // at level 0, and at each level of the query

 public:
  OwnCounts(const std::int32_t* level, const Queries& documents, const std::int64_t* borders)
      : level_(level),
        documents_(documents),
        levels_{borders, documents.count},
        counts_(static_cast<std::size_t>(levels_.longest()) + 1) {}

  const std::int32_t* of(std::int64_t q) noexcept {
    const auto before = static_cast<std::int32_t>(levels_.begin(q) - 1);
    const auto n_levels = static_cast<std::int32_t>(levels_.begin(levels_.count));
    std::int32_t* counts = counts_.data();
    std::fill_n(counts, levels_.size(q) + 1, 0);
    for (std::int64_t i = documents_.begin(q); i < documents_.begin(q + 1); ++i)
      if (level_[i] < n_levels) ++counts[std::max(level_[i] - before, 0)];
    return counts;
  }

  // Calls put(level) for every judged document, the best first.
  template <class Put>
  void best_first(std::int64_t q, const Put& put) noexcept {
    const std::int32_t* counts = of(q);
    const auto before = static_cast<std::int32_t>(levels_.begin(q) - 1);
    for (auto i = static_cast<std::int32_t>(levels_.size(q)); i > 0; --i)
      for (std::int32_t n = counts[i]; n > 0; --n) put(before + i);
    for (std::int32_t n = counts[0]; n > 0; --n) put(0);
  }
};

// The pools of judged documents, the best first, and their borders.
inline void own_pools(const std::int32_t* level, const Queries& queries,
                      const std::int64_t* borders, std::int32_t* pool, std::int64_t* pool_indptr) {
  OwnCounts counts(level, queries, borders);
  const std::int32_t* const start = pool;
  pool_indptr[0] = 0;
  for (std::int64_t q = 0; q < queries.count; ++q) {
    counts.best_first(q, [&](std::int32_t own) noexcept { *pool++ = own; });
    pool_indptr[q + 1] = pool - start;
  }
}

// The sums of a number by level over the pools, added up from the best document on.
inline void own_sums(const double* by_level, const std::int32_t* level, const Queries& queries,
                     const std::int64_t* borders, double* sums) {
  OwnCounts counts(level, queries, borders);
  for (std::int64_t q = 0; q < queries.count; ++q) {
    double sum = 0.0;
    counts.best_first(q, [&](std::int32_t own) noexcept { sum += by_level[own]; });
    sums[q] = sum;
  }
}

// Which queries go by levels of their own: those with fractional grades, or whose highest grade h
// is above `most`, or above `few` where (h + 1)^2 pairs of grades are more than `pairs` a document.
struct ScaleRule {
  double few, most, pairs;

  bool is_own(double highest, std::int64_t n_judged) const noexcept {
    const double levels = highest + 1.0;
    return highest > most ||
           (highest > few && levels * levels > pairs * static_cast<double>(n_judged));
  }
};

inline void go_by_own_levels(const double* grade, const Queries& queries, const ScaleRule& rule,
                             std::uint8_t* own) noexcept {
  for (std::int64_t q = 0; q < queries.count; ++q) {
    int highest = 0, n_judged = 0, n_fractional = 0;
    for (std::int64_t i = queries.begin(q); i < queries.begin(q + 1); ++i) {
      const double least = grade[i] < rule.most + 1.0 ? grade[i] : rule.most + 1.0;
      const int whole = static_cast<int>(least);
      highest = std::max(highest, whole);
      n_judged += whole >= 0 ? 1 : 0;
      n_fractional += static_cast<double>(whole) != least ? 1 : 0;
    }
    own[q] = n_fractional > 0 || rule.is_own(highest, n_judged);
  }
}

}  // namespace skgraded
